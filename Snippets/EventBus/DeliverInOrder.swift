// Senders, predicates, exclusion, pauses, nesting.

import EventBus

// snippet.hide
extension EventNames {
  static let didScroll = EventName<Int>("list.didScroll")
  static let willMove = EventName<Int>("cursor.willMove")
  static let didMove = EventName<Int>("cursor.didMove")
}

final class List: Sendable {}
let bus = EventBus()
let list = List()
// snippet.show
let mine = bus.observe(.didScroll, from: list) { offset in print("my list: \(offset)") }
let far = bus.observe(.didScroll, where: { $0 > 1_000 }) { offset in print("far: \(offset)") }

bus.post(.didScroll, 12)  // nobody: no sender, and not far
bus.post(.didScroll, 2_000, from: list)  // both
bus.post(.didScroll, 2_000, from: list, excluding: mine)  // the second only

let pause = mine.pause()
bus.post(.didScroll, 40, from: list)  // nobody
pause.cancel()
// snippet.hide
precondition(bus.post(.didScroll, 12) == 0)
precondition(bus.post(.didScroll, 2_000, from: list) == 2)
precondition(bus.post(.didScroll, 2_000, from: list, excluding: mine) == 1)
mine.cancel()
far.cancel()

// snippet.show
let first = bus.observe(.willMove) { line in
  print("will move to \(line)")
  bus.post(.didMove, line)  // delivered before this handler goes on
}
let moved = bus.observe(.didMove) { line in print("moved to \(line)") }
let last = bus.observe(.willMove, priority: .low) { _ in print("the last to be told") }
bus.post(.willMove, 7)  // will move to 7, moved to 7, the last to be told
// snippet.hide
for token in [first, moved, last] { token.cancel() }
