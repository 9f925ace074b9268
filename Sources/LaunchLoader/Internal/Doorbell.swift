internal import EventBus

/// Wakes the one task that waits for something to do; a ring that nobody waits for is remembered.
///
/// Cancellation does not end the wait: who waits here has promised to see the work through.
package struct Doorbell: ~Copyable, Sendable {
  /// Not private: the compiler emits broken code for a lock around a private type in a structure that
  /// is stored in another file (6.3.1, debug).
  internal struct State {
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
