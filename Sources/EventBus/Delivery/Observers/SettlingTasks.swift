/// The tasks that wait until the queues of a bus have settled.
final class SettlingTasks: Sendable {
  private struct Waiter {
    /// The calls of handlers that cannot end before this task resumes; none for other tasks.
    let calls: [RunningCall]
    var latch: Latch?
  }

  private struct State: ~Copyable {
    var waiters: [UInt: Waiter] = [:]
    var lastNumber: UInt = 0
  }

  private let state = Locked(State())

  /// Adds a task.
  func add(_ calls: [RunningCall]) -> UInt {
    let number = state.withLock { state in
      state.lastNumber += 1
      state.waiters[state.lastNumber] = Waiter(calls: calls)
      return state.lastNumber
    }
    // The others need not wait for these calls any more.
    if !calls.isEmpty { resume() }
    return number
  }

  /// Removes a task.
  ///
  /// - Parameters:
  ///   - number: The number of the task.
  ///   - didEmpty: Called under the lock if no other task is left.
  func remove(_ number: UInt, didEmpty: () -> Void) {
    let removed = state.withLock { state in
      let removed = state.waiters.removeValue(forKey: number)
      if state.waiters.isEmpty { didEmpty() }
      return removed
    }
    withExtendedLifetime(removed) {}
  }

  /// Returns a latch that opens at the next change, and calls a closure under the lock.
  func prepare(_ number: UInt, _ body: () -> Void) -> Latch {
    let latch = Latch()
    state.withLock { state in
      state.waiters[number]?.latch = latch
      body()
    }
    return latch
  }

  /// Resumes all tasks, so that they look again.
  func resume() {
    let latches = state.withLock { state in
      let latches = state.waiters.values.compactMap(\.latch)
      for number in state.waiters.keys { state.waiters[number]?.latch = nil }
      return latches
    }
    for latch in latches { latch.open() }
  }

  /// Returns whether a task may resume although so many turns are left.
  ///
  /// A task outside handlers waits for every turn. A call of a handler leaves out its own turn and those of the
  /// calls that wait like it: these would otherwise wait for each other.
  func allow(_ turnCount: Int, for number: UInt) -> Bool {
    if turnCount == 0 { return true }
    let waiters = state.withLock { $0.waiters }
    guard waiters[number]?.calls.isEmpty == false else { return false }
    let calls = waiters.values.flatMap(\.calls).filter { !$0.hasEnded }
    // A handler makes one call at a time, and its queue has one turn.
    return turnCount <= Set(calls.map(\.registration)).count
  }
}
