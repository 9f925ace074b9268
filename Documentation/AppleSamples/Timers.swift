import EventBus
import LaunchLoader
import UIKit

final class StopwatchLabel: UILabel {
  private var pauseInBackground: Token?

  func start() {
    let ticks = every(.seconds(1), owner: self, clock: SuspendingClock()) { label, tick in
      label.text = "\(tick.index)"
    }
    EventBus.default.observe(.didEnterBackground, owner: self) { label, _ in
      label.pauseInBackground = ticks.pause()
    }
    EventBus.default.observe(.willEnterForeground, owner: self) { label, _ in
      label.pauseInBackground = nil
    }
  }
}
