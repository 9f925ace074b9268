internal import EventBus

/// Delivers the messages of an application, or what becomes of its services, in order and one at a time.
///
/// The hook runs on a thread of its own, which ends when the queue is empty. A hook that blocks, for example
/// while writing to a full pipe, therefore delays neither the sender nor a deadline, even if the concurrency
/// runtime has few threads.
///
/// ## Thread safety
///
/// Every member may be called from any thread. ``send(_:)`` runs no user code and may be called under a lock.
final class MessageQueue<Message: Sendable>: Sendable {
  private let hook: @Sendable (Message) -> Void
  /// The waiting messages, and during their delivery a latch that opens when the queue becomes idle.
  private let state = Locked((waiting: BoundedQueue<Message>(), idle: nil as Latch?))

  /// Creates an empty queue.
  ///
  /// - Parameter hook: Called with each message.
  init(_ hook: @escaping @Sendable (Message) -> Void) { self.hook = hook }

  /// Appends a message and returns immediately.
  func send(_ message: Message) {
    let mustStart = state.withLock { state in
      _ = state.waiting.append(message)
      if state.idle != nil { return false }
      state.idle = Latch()
      return true
    }
    if mustStart, ServiceProcess.runOnThread({ self.deliver() }) != 0 {
      // The system could not create a thread.
      Task.detached { self.deliver() }
    }
  }

  /// Waits until every message is delivered or the limit expires.
  ///
  /// Cancellation does not end the wait.
  ///
  /// - Parameters:
  ///   - limit: The maximum time to wait; `nil` means no limit.
  ///   - clock: The clock that measures the limit.
  nonisolated(nonsending) func delivered(within limit: Duration?, on clock: any Clock<Duration>)
    async
  {
    guard let idle = state.withLock({ $0.idle }) else { return }
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
    await idle.waitUncancelled()
    watch?.cancel()
  }

  private func deliver() {
    while let message = next() { hook(message) }
  }

  private func next() -> Message? {
    let (message, idle) = state.withLock { state in
      let message = state.waiting.popFirst()
      return (message, message == nil ? state.idle.take() : nil)
    }
    idle?.open()
    return message
  }
}

extension MessageQueue<ApplicationMessage> {
  /// Appends a message that names nothing, and returns immediately.
  func send(_ text: String) { send(ApplicationMessage(text)) }
}
