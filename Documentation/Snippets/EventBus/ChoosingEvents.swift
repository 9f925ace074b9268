// Senders, filters, pauses, later turns, and a wait for handlers.

import EventBus

extension EventNames {
  static let didScroll = EventName<Int>("list.didScroll")
}

final class List: Sendable {}

let bus = EventBus()
let list = List()
let mine = bus.observe(.didScroll, from: list) { offset in print("my list: \(offset)") }
let far = bus.observe(.didScroll, where: { $0 > 1_000 }) { offset in print("far: \(offset)") }

bus.post(.didScroll, 12)  // neither: no sender, and not far
bus.post(.didScroll, 2_000, from: list)  // both

// snippet.hide
precondition(bus.post(.didScroll, 12) == 0)
precondition(bus.post(.didScroll, 2_000, from: list) == 2)
// snippet.show
let pause = mine.pause()
bus.post(.didScroll, 40, from: list)  // mine is not called
pause.cancel()

// snippet.hide
precondition(bus.post(.didScroll, 40, from: list) == 1)
mine.cancel()
far.cancel()
let edits = EventName<String>("document.didEdit")
let editor = bus.observe(edits) { text in precondition(text == "Dear Ada") }
// snippet.show
extension EventNames {
  static let didEdit = EventName<String>("document.didEdit")
}

bus.enqueue(.didEdit, "Dear A", coalescing: .name)
bus.enqueue(.didEdit, "Dear Ada", coalescing: .name)  // replaces it: one event, in a later turn

// snippet.hide
try await bus.waitUntilSettled(within: .seconds(10))
editor.cancel()
let closing = bus.observe(EventName<Void>("document.willClose")) { await Task.yield() }
// snippet.show
extension EventNames {
  static let willClose = EventName<Void>("document.willClose")
}

let closed = await bus.postAndWait(.willClose)
print(closed.reachedCount, closed.errors)  // how many handlers were reached, and their errors
// snippet.hide
precondition(closed.reachedCount == 1 && closed.errors.isEmpty)
closing.cancel()
