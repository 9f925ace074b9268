internal import EventBus

// The waits of the clock, with a limit of real time: a test that waits for something that never happens fails
// with an error instead of hanging.
extension ManualClock {
  /// The error of a wait of a manual clock that has not ended in time.
  public struct TimeoutError: Error, CustomStringConvertible {
    /// The limit, in real time.
    public let limit: Duration
    /// The current instant of the clock.
    public let now: Instant
    /// The number of tasks that sleep on the clock; all of its timers count as one.
    public let sleeperCount: Int
    /// The number of tasks that the wait was for; `nil` for a wait for timers.
    public let awaitedCount: Int?
    /// The number of ticks that have not returned, including those that are due.
    public let unfinishedTickCount: Int

    /// A line with the numbers, and the way out.
    public var description: String {
      let state = "The manual clock stands at \(now.offset)"
      let sleepers = "\(sleeperCount) \(sleeperCount == 1 ? "task sleeps" : "tasks sleep") on it"
      if let awaitedCount {
        return "\(state), and \(sleepers), where \(awaitedCount) were awaited for \(limit)."
          + " Wait for the tasks that will sleep; all timers of a clock count as one."
      }
      return "\(state), \(sleepers), and \(unfinishedTickCount) of its ticks have not ended"
        + " within \(limit). If a handler waits for a later step of the test, move the clock with"
        + " jump(by:)."
    }
  }

  /// Advances the clock deadline by deadline like ``advance(by:)``, for a limited time.
  ///
  /// - Parameters:
  ///   - duration: The time to advance. A negative duration traps.
  ///   - limit: The limit, in real time.
  /// - Throws: ``TimeoutError`` if the ticks have not ended by then; the clock remains at the instant of the wait.
  ///   `CancellationError` if the task is cancelled.
  public func advance(by duration: Duration, within limit: Duration) async throws {
    try await advance(to: now.advanced(by: checked(duration)), within: limit)
  }

  /// Advances the clock to an instant like ``advance(to:)``, for a limited time.
  ///
  /// - Parameters:
  ///   - instant: The instant. If it has passed, the method waits for the timers without moving the clock.
  ///   - limit: The limit, in real time.
  /// - Throws: ``TimeoutError`` if the ticks have not ended by then; the clock remains at the instant of the wait.
  ///   `CancellationError` if the task is cancelled.
  public func advance(to instant: Instant, within limit: Duration) async throws {
    try await wait(within: limit) { await $0.hasAdvanced(to: instant) }
  }

  /// Waits like ``waitUntilSettled()``, for a limited time.
  ///
  /// - Parameter limit: The limit, in real time.
  /// - Throws: ``TimeoutError`` if a timer still has work by then; `CancellationError` if the task is cancelled.
  public func waitUntilSettled(within limit: Duration) async throws {
    try await wait(within: limit) { await $0.activity.idle() }
  }

  /// Waits like ``waitForSleepers(atLeast:)``, for a limited time.
  ///
  /// ```swift
  /// let clock = ManualClock()
  /// let task = Task { try await clock.sleep(for: .seconds(60)) }
  /// try await clock.waitForSleepers(atLeast: 1, within: .seconds(5))
  /// await clock.advance(by: .seconds(60))
  /// try await task.value
  /// ```
  ///
  /// - Parameters:
  ///   - count: The number of tasks.
  ///   - limit: The limit, in real time.
  /// - Throws: ``TimeoutError``, which says how many tasks sleep, if there are fewer by then;
  ///   `CancellationError` if the task is cancelled.
  public func waitForSleepers(atLeast count: Int, within limit: Duration) async throws {
    try await wait(for: count, within: limit) { await $0.hasSleepers(atLeast: count) }
  }

  private func wait(
    for count: Int? = nil,
    within limit: Duration,
    _ wait: @escaping @Sendable (ManualClock) async -> Bool
  ) async throws {
    let isDone = await completes(within: limit, on: ContinuousClock()) { await wait(self) }
    try Task.checkCancellation()
    if isDone { return }
    throw TimeoutError(
      limit: limit,
      now: now,
      sleeperCount: sleeperCount,
      awaitedCount: count,
      unfinishedTickCount: activity.busyCount
    )
  }
}
