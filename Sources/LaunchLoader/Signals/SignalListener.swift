/// One who listens to signals, from its making to its end.
///
/// ## Thread safety
///
/// Every member may be called from any thread. Of several tasks that wait each signal reaches one.
internal final class SignalListener: Sendable {
  private let key: SignalDesk<SignalCenter.Waiter>.Key?

  /// Listens to some signals.
  ///
  /// - Parameter signals: Traps if there is one among them that cannot be listened to.
  internal init(_ signals: some Sequence<UnixSignal>) {
    SignalRefusal.check(signals)
    key = SignalCenter.shared.open(Set(signals.map(\.rawValue)))
  }

  deinit { end() }

  /// Waits for the next signal.
  ///
  /// - Returns: The signal, or `nil` after ``end()``.
  internal func next() async -> UnixSignal? {
    guard let key else { return nil }
    return await SignalCenter.shared.next(key).map(UnixSignal.init(rawValue:))
  }

  /// Stops listening; doing so again does nothing.
  internal func end() {
    if let key { SignalCenter.shared.close(key) }
  }
}
