/// Waits, and ends the wait when a time has passed.
///
/// - Parameters:
///   - limit: The time, 68 years at most; `nil` for no limit.
///   - clock: The clock that measures it. One that wakes early is asked again; one that fails ends the wait.
///   - wait: The wait. When its task is cancelled, it looks once more, and returns `false` if it would have to
///     continue, so a limit of zero only checks. With a limit it runs in a child task, outside the caller's
///     isolation.
/// - Returns: The result of the wait: `false` if the time has passed or the caller's task was cancelled.
package func completes<C: Clock<Duration>>(
  within limit: Duration?,
  on clock: C,
  _ wait: @escaping @Sendable () async -> Bool
) async -> Bool {
  guard let limit else { return await wait() }
  let deadline = clock.now.advanced(by: min(limit, .longestSleep))
  return await withTaskGroup(of: Bool.self) { group in
    group.addTask { await wait() }
    group.addTask {
      while clock.now < deadline, !Task.isCancelled {
        do { try await clock.sleep(until: deadline, tolerance: nil) } catch { return false }
        if clock.now < deadline { await Task.yield() }
      }
      return false
    }
    var isDone = false
    for await result in group {
      isDone = isDone || result
      group.cancelAll()
    }
    return isDone
  }
}

extension Clock where Duration == Swift.Duration {
  /// Sleeps until a time since an instant, however long that is.
  ///
  /// A sleep that is longer than `longestSleep` is split into several.
  ///
  /// - Parameters:
  ///   - time: The time since the instant.
  ///   - start: The instant.
  /// - Throws: The error of the clock: `CancellationError` when the task is cancelled.
  package func sleep(until time: Duration, after start: Instant) async throws {
    while true {
      let now = self.now
      let rest = time.adding(.zero - start.duration(to: now))
      try await sleep(until: now.advanced(by: min(rest, .longestSleep)), tolerance: nil)
      if rest <= .longestSleep { return }
    }
  }
}

extension Duration {
  /// The longest time to sleep at once, 68 years.
  ///
  /// The instants and nanoseconds of a clock, and of the system behind it, have an end. On Linux the standard
  /// clocks trap on a sleep of the longest `Duration`; other systems and clocks count nanoseconds in 64 bits, which
  /// hold 292 years.
  static var longestSleep: Duration { .seconds(Int64(1) << 31) }

  /// Returns the sum with another duration, or the nearest duration if there is no such sum.
  package func adding(_ other: Duration) -> Duration {
    let (sum, isPastEnd) = attoseconds.addingReportingOverflow(other.attoseconds)
    if isPastEnd { return Duration(attoseconds: other < .zero ? .min : .max) }
    return Duration(attoseconds: sum)
  }
}
