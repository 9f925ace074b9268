// Three ways to see why a handler is not called: the table, the trace, the hook for unhandled events.

import EventBus

extension EventNames {
  static let didSave = EventName<String>("document.didSave")
}

let bus = EventBus()
let index = bus.observe(.didSave) { name in print("index \(name)") }
let pdf = bus.observe(.didSave, where: { $0.hasSuffix(".pdf") }) { name in print("show \(name)") }
_ = bus.observe(.didSave) { name in print("back up \(name)") }  // mistake: the token is dropped

let looking = bus.addHooks(
  EventHooks(
    onUnhandled: { event in print("unhandled: \(event.name), payload \(type(of: event.payload))") },
    onTrace: { step in print(step) }
  )
)
let pause = index.pause()
print(bus.snapshot())
bus.post(.didSave, "letter.txt")
bus.post(EventName<Int>("document.didSave"), 42)  // mistake: another payload type
looking.cancel()

// snippet.hide
precondition(bus.snapshot().observations.map(\.isPaused) == [true, false])
precondition(bus.post(.didSave, "letter.txt") == 0)
for token in [index, pdf, pause] { token.cancel() }
