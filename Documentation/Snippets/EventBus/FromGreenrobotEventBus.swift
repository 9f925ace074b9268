// The equivalents of annotated methods.

import EventBus

struct Message: Sendable { let text: String }

extension EventNames {
  static let message = EventName<Message>("chat.message")
}

@MainActor final class Screen {
  private(set) var lines: [String] = []
  init(_ bus: EventBus) {
    bus.observe(.message, owner: self, priority: 1) { screen, message in
      screen.lines.append(message.text)  // ThreadMode.MAIN, in post order
    }
  }  // no unregister: the screen is held weakly
}

struct Store: Sendable {
  let tokens: [Token]
  init(_ bus: EventBus, save: @escaping @Sendable (Message) async throws -> Void) {
    tokens = [
      bus.observe(.message) { message in print(message.text) },  // ThreadMode.POSTING
      bus.observe(.message) { message in try await save(message) },  // ThreadMode.ASYNC, in order
    ]
  }
}

extension EventNames {
  static let location = EventName<String>("map.location", replay: 1)  // sticky
}

let bus = EventBus()
bus.post(.location, "Delft")  // postSticky
print(bus.latest(.location) ?? "unknown")  // getStickyEvent
bus.clearReplay(.location)  // removeStickyEvent

// snippet.hide
precondition(bus.latest(.location) == nil)
let screen = Screen(bus)
let store = Store(bus) { _ in }
precondition(bus.post(.message, Message(text: "hello")) == 3)
precondition(screen.lines == ["hello"])
for token in store.tokens { token.cancel() }
