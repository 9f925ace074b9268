// An event, a token, an owner.

import EventBus

nonisolated extension EventNames {
  static let didLogIn = EventName<String>("user.didLogIn")
}

let token = EventBus.default.observe(.didLogIn) { name in print("Hello, \(name)!") }
EventBus.default.post(.didLogIn, "Ada")  // a payload of another type does not compile
token.cancel()  // or release it

@MainActor final class Screen {
  var title = ""
  init() {
    EventBus.default.observe(.didLogIn, owner: self) { screen, name in screen.title = name }
  }
}  // Called on the main actor, for as long as the screen lives. No deinit, no [weak self].

// snippet.hide
let screen = Screen()
precondition(EventBus.default.post(.didLogIn, "Grace") == 1)
precondition(screen.title == "Grace")
