private import EventBus

/// The notification socket of the service manager: `$NOTIFY_SOCKET`, `sd_notify(3)`.
///
/// Send failures are harmless: the first is reported, and the program continues.
///
/// ## Thread safety
///
/// Every member may be called from any thread. Messages are sent under the lock to keep their order. They are
/// never queued: if the manager's queue is full, sending fails.
package final class NotifySocket: Sendable {
  /// The interval in which the manager expects a keep-alive message: `sd_watchdog_enabled(3)`.
  ///
  /// `nil` if the manager expects none, or expects it from another process. Send at half this interval.
  package let watchdogInterval: Duration?

  private enum Phase { case starting, running, stopping }

  private let address: UnixAddress
  private let onMessage: @Sendable (String) -> Void
  /// The phase, whether sending has failed, and whether the manager shows a status of the start.
  private let state = Locked((phase: Phase.starting, hasFailed: false, hasStatus: false))

  /// Creates the socket of a process.
  ///
  /// Returns `nil` if the environment names none, or an invalid one.
  ///
  /// - Parameters:
  ///   - environment: The environment variables. `NOTIFY_SOCKET` is the absolute path of a socket, or an
  ///     abstract name after an `@`; other forms are reported.
  ///   - process: The process identifier; `nil` means this process.
  ///   - onMessage: Called with each failure.
  package init?(
    environment: [String: String],
    process: Int32? = nil,
    onMessage: @escaping @Sendable (String) -> Void = NotifySocket.print
  ) {
    guard let name = environment["NOTIFY_SOCKET"], !name.isEmpty else { return nil }
    guard let address = UnixAddress(name) else {
      let reason =
        name.hasPrefix("@") && !UnixAddress.hasAbstractNames
        ? "is an abstract name, which this system does not have"
        : "is not an absolute path or @ name, or is too long"
      onMessage(Self.message("\(name) \(reason)"))
      return nil
    }
    self.address = address
    self.onMessage = onMessage
    watchdogInterval = Self.watchdogInterval(environment, process ?? ServiceProcess.identifier)
  }

  /// Removes the variables of the service manager from the environment of the process, so that its children do not
  /// inherit them, as `sd_notify(3)` can.
  ///
  /// The C library does not protect the environment against threads that read it meanwhile.
  ///
  /// - Parameter environment: The environment that named the socket. Nothing is removed if the process has none of
  ///   this name, as in a test that passes its own variables.
  static func removeVariables(readFrom environment: [String: String]) {
    guard let name = environment["NOTIFY_SOCKET"], !name.isEmpty,
      ServiceProcess.environment["NOTIFY_SOCKET"] == name
    else { return }
    for variable in ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"] {
      ServiceProcess.removeVariable(variable)
    }
  }

  /// Reports that the service has started, unless it has done so or is stopping.
  package func started() {
    let hasStatus = state.withLock { state in
      defer { state.hasStatus = false }
      return state.hasStatus
    }
    if hasStatus { send("STATUS=") }
    send("READY=1", in: .starting, then: .running)
  }

  /// Reports that the service begins to reload its configuration, if it is running.
  ///
  /// Call ``reloaded()`` when done. The message contains the time of `CLOCK_MONOTONIC`, by which the manager
  /// distinguishes this reply from one to an earlier request.
  package func reloading() {
    send("RELOADING=1\nMONOTONIC_USEC=\(ServiceProcess.monotonicMicroseconds)", in: .running)
  }

  /// Reports that the service has reloaded its configuration, if it is running.
  package func reloaded() { send("READY=1", in: .running) }

  /// Reports that the service begins to stop.
  package func stopping() { send("STOPPING=1", then: .stopping) }

  /// Sends the cause of a delay of a start or a stop, and asks the manager for 20 more seconds.
  ///
  /// - Parameter text: What it waits for, on one line.
  package func extend(_ text: String) {
    send("EXTEND_TIMEOUT_USEC=20000000\nSTATUS=\(text.onOneLine)")
    state.withLock { $0.hasStatus = true }
  }

  /// Sends a line of the program.
  package func notify(_ line: String) { send(line.onOneLine) }

  /// Reports that the service is alive.
  package func watchdog() { send("WATCHDOG=1") }

  /// Sends the lines of a message as in `sd_notify(3)`.
  private func send(_ message: String, in required: Phase? = nil, then next: Phase? = nil) {
    let code: Int32 = state.withLock { state in
      if let required, state.phase != required { return 0 }
      if let next { state.phase = next }
      let code = address.send(message)
      defer { state.hasFailed = state.hasFailed || code != 0 }
      return state.hasFailed ? 0 : code
    }
    if code != 0 { onMessage(Self.message("system error \(code)")) }
  }

  /// Writes a message to standard error.
  static let print: @Sendable (String) -> Void = { message in
    printError("LaunchLoader: \(message)")
  }

  private static func message(_ problem: String) -> String {
    "Cannot notify the service manager (NOTIFY_SOCKET): \(problem)."
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
