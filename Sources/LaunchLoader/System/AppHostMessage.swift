internal import EventBus

/// A message from a host to the user of the program, as text and as data.
///
/// See ``AppHost/Configuration/onMessage``.
public struct AppHostMessage: Sendable, CustomStringConvertible {
  /// The message in words: a single line, with line breaks and other control characters escaped, for example as
  /// `\n`.
  public let description: String
  /// The names of the services, each prefixed with the names of its groups, in the order of the description.
  public let services: [String]
  /// The names of the launch work.
  public let workers: [String]
  /// The state of the services or the launch work that the message names; `nil` if it reports something else, such as an
  /// error of the system.
  ///
  /// With ``AppServiceState/starting`` and ``AppServiceState/stopping``, the start or the stop takes long;
  /// with ``AppServiceState/pausing``, a service has failed or returned, and starts again; with
  /// ``AppServiceState/ended``, launch work has failed and the program continues, or a registration was
  /// refused.
  public let state: AppServiceState?
  /// The error that the message reports, if there is one.
  public let error: (any Error)?
  /// The time that the description mentions: of the wait so far, of the expired limit, or of the launch work.
  public let elapsed: Duration?

  /// Creates a message.
  ///
  /// - Parameters:
  ///   - description: The message in words. Its control characters are escaped.
  ///   - services: The names of the services.
  ///   - workers: The names of the launch work.
  ///   - state: The state of what the message names.
  ///   - error: The error that the message reports.
  ///   - elapsed: The time that the description mentions.
  public init(
    _ description: String,
    services: [String] = [],
    workers: [String] = [],
    state: AppServiceState? = nil,
    error: (any Error)? = nil,
    elapsed: Duration? = nil
  ) {
    self.description = description.onOneLine
    (self.services, self.workers) = (services, workers)
    (self.state, self.error, self.elapsed) = (state, error, elapsed)
  }
}

/// Delivers the messages of a host, or the state changes of its services, in order and one at a
/// time.
///
/// The hook runs on a separate thread, which ends when the queue is empty. A hook that blocks, for example while
/// writing to a full pipe, therefore delays neither the sender nor a deadline, even if the concurrency runtime
/// has few threads. The thread blocks the signals that the program blocks where it creates the queue, and no
/// others except `SIGPIPE`: programs that the hook starts inherit that.
///
/// ## Thread safety
///
/// Every member may be called from any thread. ``send(_:)`` runs no user code and may be called under a lock.
final class MessageQueue<Message: Sendable>: Sendable {
  private let hook: @Sendable (Message) -> Void
  private let mask = SignalMask.ofProgram
  /// The waiting messages, and during their delivery a latch that opens when the queue becomes idle.
  private let state = Locked((waiting: BoundedQueue<Message>(), idle: nil as Latch?))

  /// Creates an empty queue.
  ///
  /// - Parameter hook: Called with each message.
  init(_ hook: @escaping @Sendable (Message) -> Void) { self.hook = hook }

  /// Appends a message and returns immediately.
  @inline(never)  // It creates a thread: more than a sender of a message should contain.
  func send(_ message: Message) {
    let mustStart = state.withLock { state in
      _ = state.waiting.append(message)
      if state.idle != nil { return false }
      state.idle = Latch()
      return true
    }
    guard mustStart else { return }
    let code = ServiceProcess.runOnThread { [self] in
      mask.install()
      deliver()
    }
    // The system could not create a thread.
    if code != 0 { Task.detached { self.deliver() } }
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
    await idle.waitUncancelled(within: limit, on: clock)
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

extension MessageQueue<AppHostMessage> {
  /// Appends a message that names nothing, and returns immediately.
  func send(_ text: String) { send(AppHostMessage(text)) }
}
