// Handlers on the main actor, on an actor, on no actor, and asynchronous ones.

import EventBus

extension EventNames {
  static let didReceive = EventName<Int>("mail.didReceive")
  static let didEdit = EventName<String>("document.didEdit")
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

struct Draft: Sendable {
  let token: Token
  init(_ bus: EventBus, save: @escaping @Sendable (String) async throws -> Void) {
    token = bus.observe(.didEdit, buffering: .bufferingNewest(1)) { text in
      try await save(text)
    }
  }
}

// snippet.hide
let bus = EventBus()
let inbox = Inbox(bus)
let archive = Archive()
await archive.follow(bus)
let audit = Audit(bus)
let draft = Draft(bus) { text in print(text) }
precondition(bus.post(.didReceive, 2) == 3)
precondition(inbox.unread == 2)
precondition(bus.post(.didEdit, "Dear Ada") == 1)
audit.token.cancel()
draft.token.cancel()
