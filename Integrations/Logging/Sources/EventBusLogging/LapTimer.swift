private import _EventBusLocks

/// Measures the time between successive moments.
final class LapTimer: Sendable {
  private let elapsed: @Sendable () -> Duration
  private let last: Locked<Duration>

  /// Starts with the first moment.
  init(_ clock: any Clock<Duration>) {
    elapsed = Self.stopwatch(clock)
    last = Locked(.zero)
  }

  /// Returns the time since the previous call, or since the creation.
  func next() -> Duration {
    let now = elapsed()
    return last.withLock { last in
      defer { last = now }
      return now - last
    }
  }

  private static func stopwatch<C: Clock<Duration>>(_ clock: C) -> @Sendable () -> Duration {
    let start = clock.now
    return { start.duration(to: clock.now) }
  }
}
