/// Reads how much time has passed on a clock since it was started.
///
/// Clocks belong to users, so it is never read under a lock.
internal struct Stopwatch: Sendable {
  /// The time since the start.
  internal let elapsed: @Sendable () -> Duration

  /// Starts measuring.
  ///
  /// - Parameter clock: The clock to read.
  internal init(_ clock: any Clock<Duration>) {
    elapsed = Self.reader(of: clock)
  }

  private static func reader<C: Clock>(of clock: C) -> @Sendable () -> Duration
  where C.Duration == Duration {
    let start = clock.now
    return { start.duration(to: clock.now) }
  }
}
