internal import EventBus

/// A value that is set once and awaited by any number of tasks, before or after it is set.
///
/// ## Thread safety
///
/// Every member may be called from any thread. Waiters are resumed after the lock is released.
package struct LatchedValue<Value: Sendable>: ~Copyable, Sendable {
  /// The value, and the latch that the first waiter creates.
  private let state = Locked((value: nil as Value?, latch: nil as Latch?))

  /// Creates a value that is not set.
  package init() {}

  /// The value, or `nil` before it is set.
  package var value: Value? { state.withLock { $0.value } }

  /// Sets the value, unless it is already set, and resumes all waiters.
  ///
  /// - Complexity: O(*n*) in the number of waiters.
  package func resolve(_ value: Value) {
    let latch = state.withLock { state in
      if state.value == nil { state.value = value }
      return state.latch.take()
    }
    latch?.open()
  }

  /// Replaces the value.
  ///
  /// Tasks that already received the former value are not notified.
  package func replace(_ value: Value) {
    let former = state.withLock { state in
      defer { state.value = value }
      return state.value
    }
    withExtendedLifetime(former) {}
  }

  /// Waits for the value.
  ///
  /// Returns a value that is already set even if the task is cancelled.
  ///
  /// - Throws: `CancellationError` when the task is cancelled before the value is set.
  nonisolated(nonsending) package func wait() async throws(CancellationError) -> Value {
    let (known, latch) = state.withLock { state -> (Value?, Latch) in
      let latch = state.latch ?? Latch()
      if state.value == nil { state.latch = latch }
      return (state.value, latch)
    }
    if let known { return known }
    await latch.wait()
    guard let value else { throw CancellationError() }
    return value
  }
}
