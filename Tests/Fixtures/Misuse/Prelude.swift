import EventBus
import LaunchLoader
import Theming

// Declarations for the programs beside this file, which use only the public API.

extension EventNames {
  static let number = EventName<Int>("misuse.number")
  static let nothing = EventName<Void>("misuse.nothing")
}

extension ThemeKeys {
  static let color = ThemeKey("misuse.color", default: RGBA(red: 0, green: 0, blue: 0))
  static let size = ThemeKey("misuse.size", default: 1)
}

let bus = EventBus()
let loader = LaunchLoader()

/// A type that may be shared between threads.
final class Shared: Sendable {}

/// A type that may not be shared between threads.
// expected-note@+1 * {{class 'Unshared' does not conform to the 'Sendable' protocol}}
final class Unshared: Equatable {
  var count = 0

  static func == (left: Unshared, right: Unshared) -> Bool { left === right }
}

@MainActor
final class View {
  var color = RGBA(red: 0, green: 0, blue: 0)
  // expected-note@+1 * {{mutation of this property is only permitted within the actor}}
  var size = 1
}

actor Worker {
  var count = 0

  func add(_ number: Int) { count += number }
}
