internal import EventBus

/// A value that is set once and read by everybody who comes, early or late.
///
/// ## Thread safety
///
/// Every member may be called from any thread. Waiters are resumed outside the lock.
package struct LatchedValue<Value: Sendable>: ~Copyable, Sendable {
  /// Not private: the compiler emits broken code for a lock around a private type in a structure that
  /// is stored in another file (6.3.1, debug).
  internal struct State: Sendable {
    fileprivate var value: Value?
    /// Made when somebody waits.
    fileprivate var latch: Latch?
  }

  private let state = Locked(State())

  /// Creates a value that is not set.
  package init() {}

  /// The value, once it is set.
  package var value: Value? { state.withLock { $0.value } }

  /// Sets the value and resumes everybody who waits for it; the first value stays.
  ///
  /// - Complexity: O(*n*) in the number of waiters.
  package func resolve(_ value: Value) {
    let latch = state.withLock { state in
      if state.value == nil { state.value = value }
      return state.latch.take()
    }
    latch?.open()
  }

  /// Sets another value in the place of the one that is there: those who have been told are not told again.
  package func replace(_ value: Value) {
    let former = state.withLock { state in
      defer { state.value = value }
      return state.value
    }
    withExtendedLifetime(former) {}
  }

  /// Waits for the value.
  ///
  /// A value that is there already is returned even to a cancelled task.
  ///
  /// - Throws: `CancellationError` as soon as the waiting task is cancelled.
  package func wait() async throws(CancellationError) -> Value {
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
