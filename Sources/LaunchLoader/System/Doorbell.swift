internal import EventBus

/// A wake-up signal for a single waiting task.
///
/// A ring without a waiter is kept for the next wait.
///
/// Cancellation does not end the wait, because the waiting task must process whatever remains.
package struct Doorbell: ~Copyable, Sendable {
  private let state = Locked((hasRung: false, waiter: nil as CheckedContinuation<Void, Never>?))

  /// Creates a doorbell that has not rung.
  package init() {}

  /// Resumes the waiting task, or makes the next call of ``wait()`` return immediately.
  package func ring() {
    let waiter = state.withLock { state in
      state.hasRung = state.waiter == nil
      return state.waiter.take()
    }
    waiter?.resume()
  }

  /// Waits for a ring.
  nonisolated(nonsending) package func wait() async {
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
