// Names, and what to do with the tokens.

import EventBus

// snippet.hide
struct User: Sendable { let name: String }

let bus = EventBus()
let user = User(name: "Ada")
// snippet.show
extension EventNames {
  static let userDidLogIn = EventName<User>("user.didLogIn")
  static let didSave = EventName<Void>("document.didSave")
}
bus.post(.userDidLogIn, user)

let token = bus.observe(.userDidLogIn) { user in print(user.name) }
token.cancel()

let bag = TokenBag()
bus.observe(.userDidLogIn) { _ in }.store(in: bag)
bag.cancelAll()

let indexing = bus.observe(.didSave, priority: .low) { print("then the index") }
let backup = bus.observe(.didSave, priority: 42) { print("first the backup") }
// snippet.hide
precondition(bus.post(.userDidLogIn, user) == 0)
precondition(bus.post(.didSave) == 2)
indexing.cancel()
backup.cancel()
