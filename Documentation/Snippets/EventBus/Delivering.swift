// Where handlers run, in which order, and when they run later.

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

nonisolated func socketDidReceive(_ count: Int, on bus: EventBus) {
  bus.post(.didReceive, count)  // the handler runs in a later turn of the main actor
}

nonisolated func socketDidReceiveOnMain(_ count: Int, on bus: EventBus) {
  MainActor.assumeIsolated { _ = bus.post(.didReceive, count) }  // before this function continues
}

extension EventNames {
  static let didSetDegrees = EventName<Int>("heating.didSetDegrees")
}

let bus = EventBus()
let limit = bus.observe(.didSetDegrees) { degrees in
  if degrees > 25 { bus.post(.didSetDegrees, 25) }
}
let display = bus.observe(.didSetDegrees) { degrees in print("display: \(degrees)") }
bus.post(.didSetDegrees, 30)  // display: 25, display: 30

// snippet.hide
precondition(bus.post(.didSetDegrees, 30) == 2)
let inbox = Inbox(bus)
let archive = Archive()
await archive.follow(bus)
let audit = Audit(bus)
precondition(bus.post(.didReceive, 2) == 3)
precondition(inbox.unread == 2)
audit.token.cancel()
socketDidReceive(1, on: bus)
precondition(inbox.unread == 2)
socketDidReceiveOnMain(1, on: bus)
precondition(inbox.unread == 4)
// snippet.show
limit.cancel()
let orderly = bus.observe(.didSetDegrees, priority: .high) { degrees in
  if degrees > 25 { bus.enqueue(.didSetDegrees, 25) }
}
bus.post(.didSetDegrees, 30)  // display: 30
_ = try await bus.next(.didSetDegrees)  // display: 25

let rounding = bus.observe(.didSetDegrees) { degrees in
  let rounded = degrees / 5 * 5
  if rounded != degrees { bus.enqueue(.didSetDegrees, rounded) }  // or it never ends
}

// snippet.hide
bus.post(.didSetDegrees, 23)
let rounded = try await bus.next(.didSetDegrees)
precondition(rounded == 20)
for token in [orderly, display, rounding] { token.cancel() }
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
