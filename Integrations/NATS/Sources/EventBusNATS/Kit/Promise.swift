private import _EventBusLocks

/// A value that is set once, and for which tasks wait.
final class Promise<Value: Sendable>: Sendable {
  private typealias Waiter = CheckedContinuation<Result<Value, NATSError>, Never>

  private struct State {
    var result: Result<Value, NATSError>?
    var waiters: [Int: Waiter] = [:]
    /// The waits that have ended before they began.
    var ended: [Int: Result<Value, NATSError>] = [:]
    var nextWaiter = 0
  }

  private let state = Locked(State())

  /// Sets the value; only the first time counts.
  func fulfill(_ result: Result<Value, NATSError>) {
    let waiters = state.withLock { state in
      guard state.result == nil else { return [:] as [Int: Waiter] }
      state.result = result
      defer { state.waiters = [:] }
      return state.waiters
    }
    for waiter in waiters.values { waiter.resume(returning: result) }
  }

  /// Waits for the value.
  ///
  /// - Throws: The error of the promise, or one with the code `cancelled`.
  func value() async throws(NATSError) -> Value { try await wait(newWaiter()) }

  /// Waits for the value until a time.
  ///
  /// - Parameters:
  ///   - deadline: The time.
  ///   - error: Makes the error that is thrown then; the promise stays open.
  /// - Returns: The value.
  /// - Throws: The error of the promise or of the time, or one with the code `cancelled`.
  func value(
    until deadline: ContinuousClock.Instant,
    _ error: @escaping @Sendable () -> NATSError
  ) async throws(NATSError) -> Value {
    let number = newWaiter()
    let timer = Task {
      do { try await Task.sleep(until: deadline) } catch { return }
      end(number, .failure(error()))
    }
    defer { timer.cancel() }
    return try await wait(number)
  }

  private func newWaiter() -> Int {
    state.withLock { state in
      state.nextWaiter += 1
      return state.nextWaiter
    }
  }

  /// Ends one wait, now or when it begins.
  private func end(_ number: Int, _ result: Result<Value, NATSError>) {
    let waiter = state.withLock { state in
      guard let waiter = state.waiters.removeValue(forKey: number) else {
        state.ended[number] = result
        return nil as Waiter?
      }
      return waiter
    }
    waiter?.resume(returning: result)
  }

  private func wait(_ number: Int) async throws(NATSError) -> Value {
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let ready: Result<Value, NATSError>? = state.withLock { state in
          if let result = state.result { return result }
          if let result = state.ended.removeValue(forKey: number) { return result }
          state.waiters[number] = continuation
          return nil
        }
        if let ready { continuation.resume(returning: ready) }
      }
    } onCancel: {
      end(number, Self.cancellation)
    }
    return try result.get()
  }

  private static var cancellation: Result<Value, NATSError> {
    .failure(NATSError(.cancelled, "The wait was cancelled"))
  }
}

extension Promise<Void> {
  /// Ends the wait for the promise.
  func fulfill() { fulfill(.success(())) }
}

extension Promise<Void> {
  /// Waits for the end of the promise or of a time, even in a cancelled task.
  func wait(within limit: Duration) async {
    let timer = Task {
      do { try await Task.sleep(for: limit) } catch { return }
      fulfill()
    }
    // In a separate task, which is not cancelled with the caller.
    await Task {
      do throws(NATSError) { try await value() } catch {}
    }.value
    timer.cancel()
  }
}
