/// Reads how much time has passed on a clock since it was started, and waits for a time.
///
/// Clocks belong to users, so it is never used under a lock.
internal struct Stopwatch: Sendable {
  /// The time since the start.
  internal let elapsed: @Sendable () -> Duration
  /// Sleeps until so much time has passed since the start.
  internal let sleep: @Sendable (_ until: Duration) async throws -> Void

  /// Starts measuring.
  ///
  /// - Parameter clock: The clock to read.
  internal init(_ clock: any Clock<Duration>) {
    // The usual clock is read without looking its type up every time.
    if let usual = clock as? ContinuousClock { self.init(usual) } else { self.init(opening: clock) }
  }

  /// The longest sleep, some 35,000 years: clocks trap for times that they cannot count.
  private static let longest = Duration.seconds(Int64(1) << 40)

  private init(_ clock: ContinuousClock) {
    let start = clock.now
    elapsed = { start.duration(to: clock.now) }
    sleep = { time in
      let end = start.advanced(by: min(time, Self.longest))
      try await clock.sleep(until: end, tolerance: nil)
    }
  }

  private init<C: Clock>(opening clock: C) where C.Duration == Duration {
    let start = clock.now
    elapsed = { start.duration(to: clock.now) }
    sleep = { time in
      let end = start.advanced(by: min(time, Self.longest))
      try await clock.sleep(until: end, tolerance: nil)
    }
  }
}
