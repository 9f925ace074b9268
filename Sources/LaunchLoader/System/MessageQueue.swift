internal import EventBus

/// The messages of an application on their way to its hook: in the order sent, one at a time.
///
/// The hook runs on a thread of its own, which ends when no message waits. A hook that blocks, as writing to a
/// full pipe does, so delays neither the sender nor a deadline, however few threads the concurrency runtime has.
///
/// ## Thread safety
///
/// Every member may be called from any thread, ``send(_:)`` under a lock, too: it runs no code of users.
final class MessageQueue: Sendable {
  private struct State: Sendable {
    var waiting = BoundedQueue<String>()
    var isDelivering = false
    /// Opened when every message has been delivered.
    var idle: Latch?
  }

  private let hook: @Sendable (String) -> Void
  private let state = Locked(State())

  /// Creates an empty queue.
  ///
  /// - Parameter hook: Called with each message.
  init(_ hook: @escaping @Sendable (String) -> Void) { self.hook = hook }

  /// Adds a message behind all others and returns at once.
  func send(_ message: String) {
    let mustStart = state.withLock { state in
      _ = state.waiting.append(message)
      defer { state.isDelivering = true }
      return !state.isDelivering
    }
    if mustStart, ServiceThread.start({ self.deliver() }) != 0 {
      // The system has no thread to give.
      Task.detached { self.deliver() }
    }
  }

  /// Waits until every message has been delivered, or for a time; cancellation does not end the wait.
  ///
  /// - Parameters:
  ///   - limit: How long to wait at most; `nil` is for ever.
  ///   - clock: Measures it.
  func delivered(within limit: Duration?, on clock: any Clock<Duration>) async {
    let candidate = Latch()
    let idle: Latch? = state.withLock { state in
      if state.isDelivering && state.idle == nil { state.idle = candidate }
      return state.idle
    }
    guard let idle else { return }
    let watch = limit.map { limit in
      Task {
        do {
          try await Stopwatch(clock).sleep(limit)
        } catch {
          return  // Cancelled: all are delivered.
        }
        idle.open()
      }
    }
    await Task { _ = await idle.wait() }.value
    watch?.cancel()
  }

  private func deliver() {
    while let message = next() { hook(message) }
  }

  private func next() -> String? {
    let (message, idle) = state.withLock { state in
      let message = state.waiting.popFirst()
      if message == nil { state.isDelivering = false }
      return (message, message == nil ? state.idle.take() : nil)
    }
    idle?.open()
    return message
  }
}
