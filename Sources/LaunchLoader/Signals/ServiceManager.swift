internal import EventBus

/// The service manager that started the program, such as systemd.
///
/// A running host notifies it automatically, with `READY=1`, `RELOADING=1`, `STOPPING=1`, `WATCHDOG=1` and,
/// while a start or a stop takes long, `EXTEND_TIMEOUT_USEC=` and `STATUS=`. A program can add its own
/// lines:
///
/// ```swift
/// ServiceManager.notify("STATUS=serving 3 clients")
/// ```
public enum ServiceManager: Sendable {
  /// The connection of the host that runs.
  private static let connection = Locked<NotifySocket?>(nil)
  /// The connection of a program without a host, made when it is first used.
  private static let own = Locked<NotifySocket?>(nil)

  /// Sends one line to the service manager, in the format of `sd_notify(3)`.
  ///
  /// Does nothing if no service manager started the process. The first line that cannot be sent is reported, as
  /// a message of the running host or on standard error; later ones are not.
  ///
  /// - Parameter line: An assignment such as `STATUS=…` or `ERRNO=2`. Line breaks in it are escaped: it cannot become two
  ///   lines.
  ///
  /// ## Thread safety
  ///
  /// May be called from any thread. The call does not block.
  public static func notify(_ line: String) {
    (connection.withLock { $0 } ?? ownConnection())?.notify(line)
  }

  /// Returns a connection before the run of a host, which removes the variables of the environment.
  private static func ownConnection() -> NotifySocket? {
    if let known = own.withLock({ $0 }) { return known }
    let socket = NotifySocket(environment: ServiceProcess.environment)
    return own.withLock { own in
      own = own ?? socket
      return own
    }
  }

  /// Uses the connection of a host that begins to run.
  static func begin(_ socket: NotifySocket?) {
    guard let socket else { return }
    let former = connection.withLock { connection in
      defer { connection = socket }
      return connection
    }
    withExtendedLifetime(former) {}
  }

  /// Uses it no more.
  static func end(_ socket: NotifySocket?) {
    let former = connection.withLock { connection in
      connection === socket ? connection.take() : nil
    }
    withExtendedLifetime(former) {}
  }
}
