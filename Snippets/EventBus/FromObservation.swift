// A value that views follow, of a property whose every change other code observes.

import EventBus
import Observation

@MainActor final class Thermostat {
  @Observed var target = 20
}

/// What a view reads: the value of one property.
@MainActor @Observable final class Shown<Value> {
  private(set) var value: Value

  init(_ property: Observed<Value>.ReadOnly) {
    value = property.value
    property.bind(to: self, \.value)  // held weakly: the binding ends with this object
  }
}

let thermostat = Thermostat()
let target = Shown(thermostat.$target)
thermostat.target = 22
print(target.value)  // 22

// snippet.hide
precondition(target.value == 22)
