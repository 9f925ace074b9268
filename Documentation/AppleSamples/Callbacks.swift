import EventBus
import UIKit

nonisolated extension EventNames {
  static let memoryIsLow = EventName<Void>("app.memoryIsLow")
}

/// Call it once, at the launch: the center keeps the observer as long as the app runs.
@MainActor
func postMemoryWarnings() {
  _ = NotificationCenter.default.addObserver(
    forName: UIApplication.didReceiveMemoryWarningNotification,
    object: nil,
    queue: .main
  ) { _ in
    // On the main thread, as the queue says, but the closure's type does not say it.
    MainActor.assumeIsolated { _ = EventBus.default.post(.memoryIsLow) }
  }
}
