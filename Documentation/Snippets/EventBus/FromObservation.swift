// A view that follows a property, and events from an observable model.

import EventBus
import Observation
import ObservationBridge

@MainActor final class Thermostat {
  @Observed var target = 20
}

let thermostat = Thermostat()
let target = ObservableMirror(of: thermostat.$target)
thermostat.target = 22
print(target.value)  // 22

extension EventNames {
  static let cartDidChange = EventName<Int>("cart.didChange")
}

@MainActor @Observable final class Cart {
  var items: [String] = []
}

let bus = EventBus()
let cart = Cart()
let printing = bus.observe(.cartDidChange) { count in print("\(count) items") }
let posting = bus.forward(tracking: { cart.items.count }, as: .cartDidChange)
cart.items.append("tea")
cart.items.append("milk")  // one event, with 2, in a later turn of the main actor
// snippet.hide
precondition(target.value == 22)
let count = try await bus.next(.cartDidChange)
precondition(count == 2)
_ = (printing, posting)
