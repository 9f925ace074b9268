/// Waits, and ends the wait when a time has passed.
///
/// - Parameters:
///   - limit: The time, 68 years at most; `nil` for no limit.
///   - clock: The clock that measures it. One that wakes early is asked again; one that fails ends the wait.
///   - wait: The wait, which ends early when its task is cancelled, and then returns `false`. With a limit it
///     runs in a child task, outside the caller's isolation.
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

extension Duration {
  /// The longest time to sleep at once, 68 years: the standard clocks trap on sleeps that are too long.
  static var longestSleep: Duration { .seconds(Int64(1) << 31) }
}
