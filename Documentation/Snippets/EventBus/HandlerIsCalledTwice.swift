// A stored token, which each registration replaces.

import EventBus

extension EventNames {
  static let didSave = EventName<String>("document.didSave")
}

@MainActor final class Screen {
  private(set) var saved: [String] = []
  private var saving: Token?

  /// Called each time the screen appears.
  func appear(on bus: EventBus) {
    saving = bus.observe(.didSave) { [weak self] name in self?.saved.append(name) }
  }

  func disappear() { saving = nil }
}
// snippet.hide
let bus = EventBus()
let screen = Screen()
for _ in 0..<3 { screen.appear(on: bus) }
precondition(bus.post(.didSave, "letter") == 1 && screen.saved == ["letter"])
screen.disappear()
precondition(bus.post(.didSave, "letter") == 0)
