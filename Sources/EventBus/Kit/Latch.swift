/// A gate that opens once and then stays open for all current and future waiters.
///
/// ## Thread safety
///
/// Every member may be called from any thread. Waiters resume after the lock is released.
package final class Latch: Sendable {
  private typealias Waiters = [Int: CheckedContinuation<Bool, Never>]

  /// The waiters by number, or `nil` once the latch is open, and the number of the next one.
  private let state = Locked<(waiters: Waiters?, next: Int)>(([:], 0))

  /// Creates a closed latch.
  package init() {}

  /// A Boolean value that indicates whether the latch is open.
  package var isOpen: Bool { state.withLock { $0.waiters == nil } }

  /// Opens the latch and resumes its waiters.
  ///
  /// Opening an open latch does nothing.
  package func open() {
    let waiters = state.withLock { $0.waiters.take() }
    for waiter in (waiters ?? [:]).values { waiter.resume(returning: true) }
  }

  /// Waits until the latch is open.
  ///
  /// - Returns: `false` when the waiting task was cancelled first.
  @discardableResult
  package func wait() async -> Bool {
    let waiter = state.withLock { state in
      defer { state.next += 1 }
      return state.next
    }
    return await withCancellationHandling {
      await withCheckedContinuation { continuation in
        // Checked under the lock: a cancellation handler that runs later finds the waiter.
        let answer: Bool? = state.withLock { state in
          if state.waiters == nil { return true }
          if Task.isCancelled { return false }
          state.waiters?[waiter] = continuation
          return nil
        }
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      let continuation = state.withLock { $0.waiters?.removeValue(forKey: waiter) }
      continuation?.resume(returning: false)
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
