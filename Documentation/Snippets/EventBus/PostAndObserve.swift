// A name, a bus, a handler, a token.

import EventBus

extension EventNames {
  static let userDidLogIn = EventName<String>("user.didLogIn")
}

let bus = EventBus()
let token = bus.observe(.userDidLogIn) { user in print("hello \(user)") }
bus.post(.userDidLogIn, "Ada")
token.cancel()

// snippet.hide
precondition(!token.isActive)
