private import _EventBusLocks

/// A value that is set once, and for which tasks wait.
final class Promise<Value: Sendable>: Sendable {
  private typealias Waiter = CheckedContinuation<Result<Value, NATSError>, Never>

  private struct State {
    var result: Result<Value, NATSError>?
    var waiters: [Int: Waiter] = [:]
    var cancelled: Set<Int> = []
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
  func value() async throws(NATSError) -> Value {
    let number = state.withLock { state in
      state.nextWaiter += 1
      return state.nextWaiter
    }
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let ready: Result<Value, NATSError>? = state.withLock { state in
          if let result = state.result { return result }
          if state.cancelled.remove(number) != nil { return Self.cancellation }
          state.waiters[number] = continuation
          return nil
        }
        if let ready { continuation.resume(returning: ready) }
      }
    } onCancel: {
      let waiter = state.withLock { state in
        guard let waiter = state.waiters.removeValue(forKey: number) else {
          state.cancelled.insert(number)
          return nil as Waiter?
        }
        return waiter
      }
      waiter?.resume(returning: Self.cancellation)
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
