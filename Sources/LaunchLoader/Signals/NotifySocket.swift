private import EventBus
private import Synchronization

/// The socket on which the service manager hears from this process: `$NOTIFY_SOCKET`, `sd_notify(3)`.
///
/// What cannot be sent does no harm: the first failure is reported, and the program goes on.
///
/// ## Thread safety
///
/// Every member may be called from any thread. No message waits: one for which the queue of the manager
/// has no room is one that cannot be sent.
package final class NotifySocket: Sendable {
  /// How often the manager wants to hear that the process is alive: `sd_watchdog_enabled(3)`.
  ///
  /// `nil` if it does not, or if the wish is for another process. Half of this is a good interval.
  package let watchdogInterval: Duration?

  private let address: UnixAddress
  private let onMessage: @Sendable (String) -> Void
  private let hasFailed = Atomic<Bool>(false)

  /// Finds the socket of this process; `nil` if there is none, or none that can be used.
  ///
  /// - Parameters:
  ///   - environment: Its variables. `NOTIFY_SOCKET` is the absolute path of a socket, or an abstract name
  ///     after an `@`; other forms are reported.
  ///   - onMessage: Called with what fails.
  package convenience init?(
    environment: [String: String],
    onMessage: @escaping @Sendable (String) -> Void = NotifySocket.print
  ) {
    self.init(environment: environment, process: ServiceProcess.identifier, onMessage: onMessage)
  }

  /// Finds the socket of a process.
  ///
  /// - Parameters:
  ///   - environment: Its variables.
  ///   - process: Its identifier.
  ///   - onMessage: Called with what fails.
  package init?(
    environment: [String: String],
    process: Int32,
    onMessage: @escaping @Sendable (String) -> Void = NotifySocket.print
  ) {
    guard let name = environment["NOTIFY_SOCKET"], !name.isEmpty else { return nil }
    guard let address = UnixAddress(name) else {
      onMessage(Self.message("\(name) is no absolute path, no name after an @, or too long"))
      return nil
    }
    self.address = address
    self.onMessage = onMessage
    watchdogInterval = Self.watchdogInterval(environment, process)
  }

  /// Tells that the service has started, or has read its configuration anew.
  package func ready() { send(.ready) }

  /// Tells that it begins to read its configuration anew; call ``ready()`` when that is done.
  package func reloading() { send(.reloading(microseconds: ServiceProcess.monotonicMicroseconds)) }

  /// Tells that it begins to end.
  package func stopping() { send(.stopping) }

  /// Tells that it is alive.
  package func watchdog() { send(.watchdog) }

  /// Sends a message.
  package func send(_ message: NotifyMessage) {
    let code = address.send(message.text)
    if code == 0 { return }
    if hasFailed.exchange(true, ordering: .relaxed) { return }
    onMessage(Self.message("error \(code) of the system"))
  }

  /// Writes a message to standard error.
  package static let print: @Sendable (String) -> Void = { message in
    StandardError.print("LaunchLoader: \(message).")
  }

  private static func message(_ problem: String) -> String {
    "cannot tell the service manager (NOTIFY_SOCKET): \(problem)"
  }

  private static func watchdogInterval(
    _ environment: [String: String],
    _ process: Int32
  ) -> Duration? {
    guard let text = environment["WATCHDOG_USEC"], let count = Int64(text), count > 0 else {
      return nil
    }
    if let owner = environment["WATCHDOG_PID"], owner != "\(process)" { return nil }
    return .microseconds(count)
  }
}

/// What a service tells the manager that started it: the lines of `sd_notify(3)`.
package enum NotifyMessage: Sendable, Equatable {
  /// It has started, or has read its configuration anew.
  case ready
  /// It begins to read its configuration anew; ``ready`` says when that is done.
  ///
  /// The manager wants to know when, on the clock that `CLOCK_MONOTONIC` reads, to tell this answer from
  /// one to an earlier request.
  case reloading(microseconds: UInt64)
  /// It begins to end.
  case stopping
  /// It is alive.
  case watchdog

  /// The lines.
  package var text: String {
    switch self {
    case .ready: "READY=1"
    case .reloading(let microseconds): "RELOADING=1\nMONOTONIC_USEC=\(microseconds)"
    case .stopping: "STOPPING=1"
    case .watchdog: "WATCHDOG=1"
    }
  }
}
