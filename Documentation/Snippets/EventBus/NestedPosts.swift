// Posts inside handlers: which event an observer hears last, and how to keep the order.

import EventBus
import EventBusTesting

extension EventNames {
  static let didSetDegrees = EventName<Int>("heating.didSetDegrees")
}

let bus = EventBus()
let limit = bus.observe(.didSetDegrees) { degrees in
  if degrees > 25 { bus.post(.didSetDegrees, 25) }
}
let display = bus.observe(.didSetDegrees) { degrees in print("display: \(degrees)") }
bus.post(.didSetDegrees, 30)  // display: 25, display: 30
// snippet.hide
let recorder = EventRecorder(bus)
// snippet.show

limit.cancel()
let orderly = bus.observe(.didSetDegrees, priority: .high) { degrees in
  if degrees > 25 { bus.enqueue(.didSetDegrees, 25) }
}
bus.post(.didSetDegrees, 30)  // display: 30
_ = try await bus.next(.didSetDegrees)  // display: 25

let rounding = bus.observe(.didSetDegrees) { degrees in
  let rounded = degrees / 5 * 5
  if rounded != degrees { bus.enqueue(.didSetDegrees, rounded) }  // or it never ends
}

// snippet.hide
precondition(recorder.events.count == 2)
bus.post(.didSetDegrees, 23)
try await bus.waitUntilSettled()
precondition(recorder.payloads(of: .didSetDegrees).suffix(2) == [23, 20])
for token in [orderly, display, rounding] { token.cancel() }
