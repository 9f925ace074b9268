// Hooks, a table of the registrations, and a recorder for tests.

import EventBus

extension EventNames {
  static let didSave = EventName<String>("document.didSave")
}

var hooks = EventHooks()
hooks.onError = { failure in print(failure) }
hooks.onUnhandled = { event in print("unhandled: \(event.name), posted at \(event.site)") }
hooks.onTrace = { step in print(step) }
hooks.onManyObservers = { name, count in print("\(name) has \(count) observers") }

let bus = EventBus(label: "documents", hooks: hooks)

// snippet.hide
struct DiskIsFull: Error {}

let index = bus.observe(.didSave) { _ in }
let backup = bus.observe(.didSave) { _ in throw DiskIsFull() }
let pdf = bus.observe(.didSave, where: { $0.hasSuffix(".pdf") }) { _ in }
precondition(bus.post(.didSave, "letter.txt") == 2)
// snippet.show

print(bus.snapshot())

let recorder = EventRecorder(bus)
bus.post(.didSave, "letter.pdf")
print(recorder.events.map(\.name))  // ["document.didSave"]
let event = await recorder.next()  // the same event; a later call waits for a later one

// snippet.hide
precondition(recorder.events.count == 1 && event?.payload as? String == "letter.pdf")
for token in [index, backup, pdf] { token.cancel() }
precondition(bus.post(.didSave, "letter.txt") == 0)
