// What to write when the compiler infers too much.

import EventBus

struct User: Sendable { let name: String }

extension EventNames {
  static let didLogIn = EventName<User>("user.didLogIn")
  static let didLogOut = EventName<Void>("user.didLogOut")
}

let bus = EventBus()
let greeting = bus.observe(.didLogIn) { (user: User) in print("Hello, \(user.name)!") }
let audit = bus.observe(EventNames.didLogIn) { user in print("in: \(user.name)") }

@MainActor final class Screen {
  var title = ""

  init(_ bus: EventBus) {
    bus.observe(.didLogOut, owner: self) { screen, _ in screen.title = "" }
  }
}

// Nonisolated: the handler states its actor.
func follow(_ screen: Screen, on bus: EventBus) {
  bus.observe(.didLogIn, owner: screen) { @MainActor screen, user in screen.title = user.name }
}

// snippet.hide
let screen = Screen(bus)
follow(screen, on: bus)
precondition(bus.post(.didLogIn, User(name: "Ada")) == 3 && screen.title == "Ada")
precondition(bus.post(.didLogOut) == 1 && screen.title.isEmpty)
withExtendedLifetime((greeting, audit)) {}
