internal import EventBus

/// Notices that other code handles signals that a host should receive.
///
/// The system does not report a change of a disposition, so the dispositions are compared at certain moments. Each
/// signal is reported once.
///
/// ## Thread safety
///
/// Every member may be called from any thread. `onMessage` is called outside the lock; it must not run user code.
package final class DispositionWatch: Sendable {
  private let onMessage: @Sendable (String) -> Void
  /// The signals to compare, with their meanings.
  private let watched = Locked<[UnixSignal: UnixSignal.Meaning]>([:])

  /// Creates a watch that compares nothing yet.
  ///
  /// - Parameter onMessage: Called with each report.
  package init(onMessage: @escaping @Sendable (String) -> Void) { self.onMessage = onMessage }

  /// Begins to compare.
  ///
  /// - Parameters:
  ///   - taken: The signals that the host receives, with their meanings.
  ///   - ignored: The signals that it does not receive, because the process ignores them.
  func begin(_ taken: [UnixSignal: UnixSignal.Meaning], ignored: [UnixSignal: UnixSignal.Meaning]) {
    watched.withLock { $0 = taken }
    for (signal, meaning) in inOrder(ignored) where meaning == .shutdown || meaning == .reload {
      if signal == .hangup || isLeftToShell(signal) { continue }
      onMessage(
        "\(signal) was ignored before the run, so the AppHost does not receive it."
          + " If other code of the program ignores it, remove that code."
      )
    }
  }

  /// Reports the signals that other code handles now.
  func compare() {
    for (signal, meaning) in inOrder(watched.withLock { $0 }) {
      guard let other = SignalCenter.shared.foreignDisposition(of: signal.rawValue) else {
        continue
      }
      if other.isIgnoring, meaning == .ignore || isLeftToShell(signal) { continue }
      // Another thread may have reported it.
      guard watched.withLock({ $0.removeValue(forKey: signal) }) != nil else { continue }
      let way = other.isIgnoring ? ", by ignoring it" : other.isDefault ? ", by default" : ""
      onMessage(
        "Other code now handles \(signal)\(way), so the AppHost does not receive it."
          + " Remove that code, or remove the signal from AppHost.Configuration."
      )
    }
  }

  /// Stops comparing.
  func end() { watched.withLock { $0 = [:] } }

  /// Returns whether the process ignores the signals of the keyboard, as a shell makes it do for a job in the
  /// background, and as `system(3)` does while its program runs.
  private func isLeftToShell(_ signal: UnixSignal) -> Bool {
    signal == .interrupt && SignalCenter.shared.isIgnored(UnixSignal.quit.rawValue)
  }

  private func inOrder(
    _ signals: [UnixSignal: UnixSignal.Meaning]
  ) -> [(key: UnixSignal, value: UnixSignal.Meaning)] {
    signals.ordered { $0.key.rawValue < $1.key.rawValue }
  }
}
