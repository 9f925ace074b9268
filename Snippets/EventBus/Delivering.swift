// Where handlers run, in which order, and how long a post waits.

import EventBus

extension EventNames {
  static let didReceive = EventName<Int>("mail.didReceive")
}

@MainActor final class Inbox {
  var unread = 0
  init(_ bus: EventBus) {
    bus.observe(.didReceive, owner: self) { inbox, count in inbox.unread += count }
  }
}

actor Archive {
  var total = 0
  func follow(_ bus: EventBus) {
    bus.observe(.didReceive, owner: self) { archive, count in archive.total += count }
  }
}

struct Audit: Sendable {
  let token: Token
  init(_ bus: EventBus) {
    token = bus.observe(.didReceive) { count in print("\(count) received") }
  }
}

extension EventNames {
  static let willMove = EventName<Int>("cursor.willMove")
  static let didMove = EventName<Int>("cursor.didMove")
}

let bus = EventBus()
let first = bus.observe(.willMove) { line in
  print("will move to \(line)")
  bus.post(.didMove, line)  // delivered before this handler continues
}
let moved = bus.observe(.didMove) { line in print("moved to \(line)") }
let last = bus.observe(.willMove, priority: .low) { _ in print("last") }
bus.post(.willMove, 7)  // will move to 7, moved to 7, last

// snippet.hide
for token in [first, moved, last] { token.cancel() }
let inbox = Inbox(bus)
let archive = Archive()
await archive.follow(bus)
let audit = Audit(bus)
precondition(bus.post(.didReceive, 2) == 3)
precondition(inbox.unread == 2)
audit.token.cancel()
// snippet.show

extension EventNames {
  static let didEdit = EventName<String>("document.didEdit")
}

struct Draft: Sendable {
  let token: Token
  init(_ bus: EventBus, save: @escaping @Sendable (String) async throws -> Void) {
    token = bus.observe(.didEdit, buffering: .bufferingNewest(1)) { text in
      try await save(text)
    }
  }
}

// snippet.hide
let draft = Draft(bus) { text in print(text) }
precondition(bus.post(.didEdit, "Dear") == 1)
draft.token.cancel()
// snippet.show

extension EventNames {
  static let didScroll = EventName<Int>("list.didScroll")
}

final class List: Sendable {}

let list = List()
let mine = bus.observe(.didScroll, from: list) { offset in print("my list: \(offset)") }
let far = bus.observe(.didScroll, where: { $0 > 1_000 }) { offset in print("far: \(offset)") }

bus.post(.didScroll, 12)  // neither: no sender, and not far
bus.post(.didScroll, 2_000, from: list)  // both
bus.post(.didScroll, 2_000, from: list, excluding: mine)  // the second only

let pause = mine.pause()
bus.post(.didScroll, 40, from: list)  // neither
pause.cancel()

// snippet.hide
precondition(bus.post(.didScroll, 12) == 0)
precondition(bus.post(.didScroll, 2_000, from: list) == 2)
precondition(bus.post(.didScroll, 2_000, from: list, excluding: mine) == 1)
mine.cancel()
far.cancel()
let editor = bus.observe(.didEdit) { text in print(text) }
let closing = bus.observe(EventName<Void>("document.willClose")) { await Task.yield() }
// snippet.show

extension EventNames {
  static let willClose = EventName<Void>("document.willClose")
}

bus.enqueue(.didEdit, "Dear A", coalescing: .name)
bus.enqueue(.didEdit, "Dear Ada", coalescing: .name)  // replaces it: one event, in a later turn

let closed = await bus.postAndWait(.willClose)
print(closed.reachedCount, closed.errors)  // the number of handlers that finished, and their errors

// snippet.hide
precondition(closed.reachedCount == 1 && closed.errors.isEmpty)
editor.cancel()
closing.cancel()
// snippet.show

final class Download: Sendable {
  private let finish = Signal<Int>(label: "download.didFinish")
  var didFinish: Signal<Int>.ReadOnly { finish.readOnly }
  func run() { finish.send(42) }
}

let download = Download()
let bytes = download.didFinish.observe { count in print("\(count) bytes") }
download.run()  // 42 bytes

// snippet.hide
precondition(download.didFinish.observerCount == 1)
bytes.cancel()
