internal import EventBus

/// Wakes the one task that waits for something to do; a ring that nobody waits for is remembered.
///
/// Cancellation does not end the wait: who waits here has promised to see the work through.
package struct Doorbell: ~Copyable, Sendable {
  /// Not private: the compiler emits broken code for a lock around a private type in a structure that
  /// is stored in another file (6.3.1, debug).
  struct State {
    fileprivate var hasRung = false
    fileprivate var waiter: CheckedContinuation<Void, Never>?
  }

  private let state = Locked(State())

  /// Creates a bell that has not rung.
  package init() {}

  /// Wakes the waiting task, or the next one that waits.
  package func ring() {
    let waiter = state.withLock { state in
      state.hasRung = state.waiter == nil
      return state.waiter.take()
    }
    waiter?.resume()
  }

  /// Waits for a ring.
  package func wait() async {
    await withCheckedContinuation { waiter in
      let hasRung = state.withLock { state in
        if !state.hasRung { state.waiter = waiter }
        defer { state.hasRung = false }
        return state.hasRung
      }
      if hasRung { waiter.resume() }
    }
  }
}

/// A value that is set once and read by everybody who comes, early or late.
///
/// ## Thread safety
///
/// Every member may be called from any thread. Waiters are resumed outside the lock.
package struct LatchedValue<Value: Sendable>: ~Copyable, Sendable {
  /// Not private: the compiler emits broken code for a lock around a private type in a structure that
  /// is stored in another file (6.3.1, debug).
  struct State: Sendable {
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
