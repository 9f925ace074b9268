import EventBus
import UIKit

nonisolated extension EventNames {
  static let memoryIsLow = EventName<Void>("app.memoryIsLow")
}

@MainActor
final class MemoryWatch {
  private let observer = NotificationCenter.default.addObserver(
    forName: UIApplication.didReceiveMemoryWarningNotification,
    object: nil,
    queue: .main
  ) { _ in
    // On the main thread, as the queue says, but the closure's type does not say it.
    MainActor.assumeIsolated { _ = EventBus.default.post(.memoryIsLow) }
  }
}
