internal import EventBus

/// Measures the time since its creation, and sleeps until a given time after it.
///
/// The clock may run user code, so a stopwatch is never used under a lock.
struct Stopwatch: Sendable {
  /// Returns the time since the start.
  let elapsed: @Sendable () -> Duration
  /// Sleeps until the given time since the start.
  let sleep: @Sendable (_ until: Duration) async throws -> Void

  /// Starts measuring.
  ///
  /// - Parameter clock: The clock to read.
  init(_ clock: any Clock<Duration>) { self.init(opening: clock) }

  private init<C: Clock>(opening clock: C) where C.Duration == Duration {
    let start = clock.now
    if clock is ContinuousClock, let start = start as? ContinuousClock.Instant {
      // The most common clock is read without a witness table.
      elapsed = { ContinuousClock.now - start }
    } else {
      elapsed = { start.duration(to: clock.now) }
    }
    sleep = { time in try await clock.sleep(until: time, after: start) }
  }
}
