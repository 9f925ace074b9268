private import _EventBusLocks

/// What the server says of a durable event that it has stored.
public struct Receipt: Sendable, Equatable {
  /// The stream that stores the event.
  public let stream: String
  /// The number of the event in the stream.
  public let sequence: UInt64
  /// Whether the event was stored before, and was sent again as its acknowledgement was missing.
  public let isDuplicate: Bool
}

/// A value that will be there once, and that tasks wait for.
final class Promise<Value: Sendable>: Sendable {
  private struct State {
    var result: Result<Value, NATSError>?
    var waiters: [Int: CheckedContinuation<Result<Value, NATSError>, Never>] = [:]
    var cancelled: Set<Int> = []
    var nextWaiter = 0
  }

  private let state = Locked(State())

  /// Sets the value; only the first time counts.
  func fulfil(_ result: Result<Value, NATSError>) {
    let waiters = state.withLock { state in
      guard state.result == nil else {
        return [:] as [Int: CheckedContinuation<Result<Value, NATSError>, Never>]
      }
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
          return nil as CheckedContinuation<Result<Value, NATSError>, Never>?
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

/// The number of pieces of work that have begun and not ended.
final class OpenCount: Sendable {
  private struct State {
    var count = 0
    var waiters: [Promise<Void>] = []
  }

  private let state = Locked(State())

  func begin() { state.withLock { $0.count += 1 } }

  func end() {
    let due = state.withLock { state in
      state.count -= 1
      guard state.count == 0 else { return [] as [Promise<Void>] }
      defer { state.waiters = [] }
      return state.waiters
    }
    for promise in due { promise.fulfil(.success(())) }
  }

  /// Waits until all have ended, or the task is cancelled.
  func ended() async {
    let promise = Promise<Void>()
    let isOpen = state.withLock { state in
      if state.count > 0 { state.waiters.append(promise) }
      return state.count > 0
    }
    guard isOpen else { return }
    do throws(NATSError) { try await promise.value() } catch { return }
  }
}

/// Promises that are due when a counter has reached a number.
struct Waiters: Sendable {
  private var waiting: [(target: UInt64, promise: Promise<Void>)] = []

  /// Adds a promise.
  mutating func add(_ target: UInt64, _ promise: Promise<Void>) {
    waiting.append((target, promise))
  }

  /// Removes the promises that are due.
  mutating func take(reached: UInt64) -> [Promise<Void>] {
    guard !waiting.isEmpty else { return [] }
    let due = waiting.filter { $0.target <= reached }.map(\.promise)
    waiting.removeAll { $0.target <= reached }
    return due
  }
}
