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

extension Latch {
  /// Waits until the latch is open, regardless of cancellation.
  nonisolated(nonsending) func waitUncancelled() async { await Task { _ = await wait() }.value }

  /// Waits until the latch is open, regardless of cancellation, and opens it when a limit expires.
  ///
  /// - Parameters:
  ///   - limit: The maximum time to wait; `nil` means no limit.
  ///   - clock: The clock that measures the limit.
  nonisolated(nonsending) func waitUncancelled(
    within limit: Duration?,
    on clock: any Clock<Duration>
  ) async {
    let watch = limit.map { limit in
      Task {
        do {
          try await Stopwatch(clock).sleep(limit)
        } catch {
          return  // Cancelled: the latch is open.
        }
        open()
      }
    }
    await waitUncancelled()
    watch?.cancel()
  }
}

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

/// An error of this library with which a wait may end because the program stops.
protocol EndedWaitError: Error {
  /// True if the error says only that a wait has ended, because the program stops or
  /// a task was cancelled.
  var isEndedWait: Bool { get }
}

extension Error {
  /// True if the error says only that a wait has ended, because the program stops or
  /// a task was cancelled.
  ///
  /// While the program stops, such an error is not a failure.
  var isOfEndedWait: Bool {
    self is CancellationError || (self as? any EndedWaitError)?.isEndedWait ?? false
  }
}
