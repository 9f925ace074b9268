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

  private init(_ clock: ContinuousClock) {
    let start = clock.now
    elapsed = { start.duration(to: clock.now) }
    sleep = { time in try await clock.sleep(until: start.advanced(by: time), tolerance: nil) }
  }

  private init<C: Clock>(opening clock: C) where C.Duration == Duration {
    let start = clock.now
    elapsed = { start.duration(to: clock.now) }
    sleep = { time in try await clock.sleep(until: start.advanced(by: time), tolerance: nil) }
  }
}
