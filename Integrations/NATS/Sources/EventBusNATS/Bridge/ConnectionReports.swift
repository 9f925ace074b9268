internal import EventBus
private import _EventBusLocks

/// Reports that a bridge has no connection, and that there is one again.
final class ConnectionReports: Sendable {
  private struct State {
    /// The time since which there is no connection.
    var absentSince: ContinuousClock.Instant?
  }

  private let link: any Link
  private let tally: Tally
  private let state = Locked(State())

  init(_ link: any Link, _ tally: Tally) { (self.link, self.tally) = (link, tally) }

  /// Reports the absence of a connection when the bridge begins.
  func start() {
    note(link.isConnected)
    // It may have been made in between.
    if link.isConnected { note(true) }
  }

  /// Notes whether there is a connection, and reports a change.
  func note(_ isConnected: Bool) {
    if !isConnected, link.isClosed { return }
    let now = ContinuousClock.now
    let since = state.withLock { state in
      defer { state.absentSince = isConnected ? nil : state.absentSince ?? now }
      return state.absentSince
    }
    if isConnected, let since {
      let time = Duration.milliseconds((now - since).milliseconds)
      tally.report(BridgeReport(.connected, "_connection", "there was no connection for \(time)"))
    } else if !isConnected, since == nil {
      let words = link.awaitedServer ?? "there is no connection; attempts to make one go on"
      tally.report(BridgeReport(.disconnected, "_connection", words))
    }
  }
}
