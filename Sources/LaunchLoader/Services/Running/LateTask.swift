internal import EventBus

/// A task that may be cancelled before it is known.
///
/// A task that is entered immediately is known to its creator only once it has suspended. Until then, it is
/// cancelled through a reference that is valid while it runs:
///
/// ```
/// begin() ──▶ cancelled by reference ──▶ adopt(_:) ──▶ cancelled as a task
///                     └──▶ end() returns a latch to await such a cancellation
/// ```
///
/// Cancellation handlers run in a separate task, because they may block.
///
/// ## Thread safety
///
/// Every member may be called from any thread. Tasks are cancelled outside the lock.
final class LateTask: Sendable {
  @safe
  private struct State: @unchecked Sendable {  // Reason: `end()` outlasts every use of `current`.
    var task: Task<Void, Never>?
    /// The task between its beginning and its end, unless it is known.
    ///
    /// Unlike other members of the reference, its cancellation is allowed outside the task.
    var current: UnsafeCurrentTask?
    var isCancelled = false
    /// The number of cancellations in progress that use the reference.
    var useCount = 0
    /// Opens when there is no such cancellation; created by the end of the task.
    var isUnused: Latch?
  }

  private let state = Locked(State())

  /// Called by the task when it begins; cancels it if the cancellation came first.
  func begin() {
    unsafe withUnsafeCurrentTask { task in  // Reason: `end()` outlasts every use.
      let isCancelled = state.withLock { state in
        if state.task == nil { unsafe state.current = task }  // Reason: as above.
        return state.isCancelled
      }
      // It has no cancellation handlers yet.
      if isCancelled { unsafe task?.cancel() }  // Reason: within the call.
    }
  }

  /// Called by the task before it ends.
  ///
  /// - Returns: A latch that opens when no cancellation in progress uses the reference, for the task to await
  ///   regardless of its cancellation; `nil` if there is none.
  func end() -> Latch? {
    state.withLock { state in
      unsafe state.current = nil  // Reason: removed.
      if state.useCount > 0 { state.isUnused = Latch() }
      return state.isUnused
    }
  }

  /// Stores the task, and cancels it if the cancellation came first.
  func adopt(_ task: Task<Void, Never>) {
    let isCancelled = state.withLock { state in
      state.task = task
      unsafe state.current = nil  // Reason: removed.
      return state.isCancelled
    }
    if isCancelled { cancel() }
  }

  /// Cancels the task.
  ///
  /// - Parameter next: Called after the cancellation handlers.
  func cancel(then next: @escaping @Sendable () -> Void = {}) {
    let cancelled = state.withLock { state in
      state.isCancelled = true
      if unsafe state.current != nil { state.useCount += 1 }  // Reason: only compared.
      return state
    }
    Task.detached { [self] in
      cancelled.task?.cancel()
      if let current = unsafe cancelled.current {  // Reason: counted as a use.
        unsafe current.cancel()  // Reason: counted as a use.
        let isUnused = state.withLock { state in
          state.useCount -= 1
          return state.useCount == 0 ? state.isUnused : nil
        }
        isUnused?.open()
      }
      next()
    }
  }
}
