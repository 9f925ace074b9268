// A stream in a loop, and a recorder.

import EventBus

// snippet.hide
extension EventNames {
  static let userDidLogIn = EventName<String>("user.didLogIn")
}

let bus = EventBus()
let loop = Task {
  // snippet.show
  for await user in bus.events(.userDidLogIn) { print(user) }
  // snippet.hide
}
while bus.signal(.userDidLogIn).observerCount == 0 { await Task.yield() }

// snippet.show
let recorder = EventRecorder(bus)
bus.post(.userDidLogIn, "Ada")
print(recorder.events.map(\.name))  // ["user.didLogIn"]
// snippet.hide
precondition(recorder.events.count == 1)
loop.cancel()
await loop.value
