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

    /// A line with the limit, the numbers and the remedy.
    public var description: String {
      let time = "the manual clock (at \(now.offset))"
      if let awaitedCount {
        return "Timed out after \(limit): expected \(Self.tasks(awaitedCount)) to sleep on \(time),"
          + " found \(sleeperCount). All timers of a clock count as one task."
      }
      let ticks = "\(unfinishedTickCount) \(unfinishedTickCount == 1 ? "tick has" : "ticks have")"
      return "Timed out after \(limit): \(ticks) not ended on \(time), where"
        + " \(Self.tasks(sleeperCount)) \(sleeperCount == 1 ? "sleeps" : "sleep"). If a handler"
        + " waits for a later step of the test, move the clock with jump(by:)."
    }

    private static func tasks(_ count: Int) -> String {
      "\(count) \(count == 1 ? "task" : "tasks")"
    }
  }

  /// Advances the clock deadline by deadline like ``advance(by:fileID:line:)``, for a limited time.
  ///
  /// - Parameters:
  ///   - duration: The time to advance. A negative duration traps.
  ///   - limit: The limit, in real time.
  ///   - fileID: The file of the call; filled in by the compiler.
  ///   - line: The line in that file; filled in by the compiler.
  /// - Throws: ``TimeoutError`` if the ticks have not ended by then; the clock remains at the instant of the wait.
  ///   `CancellationError` if the task is cancelled.
  public func advance(
    by duration: Duration,
    within limit: Duration,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) async throws {
    try await advance(to: now.advanced(by: checked(duration, fileID, line)), within: limit)
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
