// An event, an owner on the main actor.

import EventBus

nonisolated extension EventNames {  // usable from every actor
  static let didLogIn = EventName<String>("user.didLogIn")
}

@MainActor final class Screen {
  private(set) var title = ""
  init() {
    // Runs on the main actor for as long as the screen lives: no deinit, no [weak self].
    EventBus.default.observe(.didLogIn, owner: self) { screen, name in
      screen.title = "Hello, \(name)!"  // use the parameter, not `self`
    }
  }
}

let screen = Screen()
EventBus.default.post(.didLogIn, "Ada")  // a number instead of "Ada" does not compile
print(screen.title)  // Hello, Ada!
// snippet.hide
precondition(screen.title == "Hello, Ada!")
