/// A gate that opens once and then stays open for all current and future waiters.
///
/// ## Thread safety
///
/// Every member may be called from any thread. Waiters resume after the lock is released.
package final class Latch: Sendable {
  private typealias Waiter = CheckedContinuation<Bool, Never>

  private struct State: ~Copyable {
    var isOpen = false
    /// The number of the next waiter.
    var next = 0
    /// The first waiter, which needs no table: most latches have no other.
    var first: (number: Int, waiter: Waiter)?
    var others = [Int: Waiter]()

    mutating func add(_ waiter: Waiter, number: Int) {
      if first == nil { first = (number, waiter) } else { others[number] = waiter }
    }

    mutating func remove(number: Int) -> Waiter? {
      first?.number == number ? first.take()?.waiter : others.removeValue(forKey: number)
    }

    /// Opens the latch.
    mutating func open() -> (first: Waiter?, others: [Int: Waiter]) {
      isOpen = true
      defer { others = [:] }
      return (first.take()?.waiter, others)
    }
  }

  private let state = Locked(State())

  /// Creates a closed latch.
  package init() {}

  /// A Boolean value that indicates whether the latch is open.
  package var isOpen: Bool { state.withLock { $0.isOpen } }

  /// Opens the latch and resumes its waiters.
  ///
  /// Opening an open latch does nothing.
  package func open() {
    let (first, others) = state.withLock { $0.open() }
    first?.resume(returning: true)
    for waiter in others.values { waiter.resume(returning: true) }
  }

  /// Waits until the latch is open.
  ///
  /// - Parameter isolation: The caller's isolation.
  /// - Returns: `false` when the waiting task was cancelled first.
  @discardableResult
  package func wait(isolation: isolated (any Actor)? = #isolation) async -> Bool {
    let number = state.withLock { state in
      defer { state.next += 1 }
      return state.next
    }
    return await withTaskCancellationHandler {  // Reason: captures the actor, and so stays on it.
      _ = isolation
      return await withCheckedContinuation { waiter in
        // Checked under the lock: a cancellation handler that runs later finds the waiter.
        let answer: Bool? = state.withLock { state in
          if state.isOpen { return true }
          if Task.isCancelled { return false }
          state.add(waiter, number: number)
          return nil
        }
        if let answer { waiter.resume(returning: answer) }
      }
    } onCancel: {
      let waiter = state.withLock { $0.remove(number: number) }
      waiter?.resume(returning: false)
    }
  }
}

/// Runs an operation on the caller's actor, with a handler for task cancellation.
///
/// `withTaskCancellationHandler` alone leaves the actor: its operation runs there only if it captures the
/// actor, and a closure in a `nonisolated(nonsending)` function does not (Swift 6.3). Other work of the
/// actor could then run between the call and the operation.
///
/// - Parameters:
///   - isolation: The caller's isolation.
///   - operation: The operation. It runs in the caller's isolation.
///   - handler: Called once, on any thread, if the task is or becomes cancelled during the operation.
/// - Returns: The operation's result.
package func withCancellationHandling<Result>(
  isolation: isolated (any Actor)? = #isolation,
  _ operation: nonisolated(nonsending) () async -> Result,
  onCancel handler: @Sendable () -> Void
) async -> Result {
  await withTaskCancellationHandler {  // Reason: captures the actor, and so stays on it.
    _ = isolation
    return await operation()
  } onCancel: {
    handler()
  }
}
