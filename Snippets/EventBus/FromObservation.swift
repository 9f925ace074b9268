// `@Observable` for views that draw themselves, `@Observed` for code that must not miss a change.

import EventBus
import Observation

@MainActor @Observable final class Thermostat {
  @ObservationIgnored @Observed var target = 20

  var shownTarget = 20

  init() {
    $target.bind(to: self, \.shownTarget)
  }
}

// snippet.hide
let thermostat = Thermostat()
thermostat.target = 22
precondition(thermostat.shownTarget == 22)
