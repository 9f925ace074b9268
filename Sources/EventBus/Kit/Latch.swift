/// A gate that opens once and lets everybody through who waits, or comes later.
///
/// ## Thread safety
///
/// Every member may be called from any thread. Waiters are resumed outside the lock.
package final class Latch: Sendable {
  private struct State {
    var isOpen = false
    var waiters: [Int: CheckedContinuation<Bool, Never>] = [:]
    var nextWaiter = 0
  }

  private let state = Locked(State())

  /// Creates a closed latch.
  package init() {}

  /// Whether it has been opened.
  package var isOpen: Bool { state.withLock { $0.isOpen } }

  /// Opens it.
  ///
  /// Opening an open latch does nothing.
  package func open() {
    let waiters = state.withLock { state in
      state.isOpen = true
      let waiters = Array(state.waiters.values)
      state.waiters = [:]
      return waiters
    }
    for waiter in waiters { waiter.resume(returning: true) }
  }

  /// Waits until the latch is open.
  ///
  /// - Returns: `false` when the waiting task was cancelled first.
  @discardableResult
  package func wait() async -> Bool {
    let waiter = state.withLock { state in
      defer { state.nextWaiter += 1 }
      return state.nextWaiter
    }
    return await withCancellationHandling {
      await withCheckedContinuation { continuation in
        // The cancellation is looked at under the lock: a handler that comes later finds the waiter.
        let answer: Bool? = state.withLock { state in
          if state.isOpen { return true }
          if Task.isCancelled { return false }
          state.waiters[waiter] = continuation
          return nil
        }
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      let continuation = state.withLock { $0.waiters.removeValue(forKey: waiter) }
      continuation?.resume(returning: false)
    }
  }
}

/// Runs an operation on the caller's actor, and a closure as soon as the task is cancelled.
///
/// `withTaskCancellationHandler` alone leaves the actor: its operation runs there only if it captures the
/// actor, which a closure in a function that merely stays with its caller does not (Swift 6.3). Then
/// others may have their turn between the call and the operation, and "it waits" and "it runs where it
/// was called" are no longer true.
///
/// - Parameters:
///   - isolation: The caller's isolation.
///   - operation: What to do. It runs where the caller does.
///   - handler: Called once if the task is, or meanwhile becomes, cancelled; on any thread.
/// - Returns: What the operation returns.
package func withCancellationHandling<Result>(
  isolation: isolated (any Actor)? = #isolation,
  _ operation: nonisolated(nonsending) () async -> Result,
  onCancel handler: @Sendable () -> Void
) async -> Result {
  await withTaskCancellationHandler {  // Reason: the actor is captured, and so is not left.
    _ = isolation
    return await operation()
  } onCancel: {
    handler()
  }
}
