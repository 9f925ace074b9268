// A recorder of every event of a bus.

import EventBus
import EventBusTesting

extension EventNames {
  static let userDidLogIn = EventName<String>("user.didLogIn")
}

let bus = EventBus()
let recorder = EventRecorder(bus)
bus.post(.userDidLogIn, "Ada")
print(recorder.events.map(\.name))  // ["user.didLogIn"]
print(recorder.payloads(of: .userDidLogIn))  // ["Ada"]
// snippet.hide
precondition(recorder.events.count == 1)
