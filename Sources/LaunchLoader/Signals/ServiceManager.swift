internal import EventBus

/// The service manager that started the program, such as systemd.
///
/// An application speaks to it by itself: `READY=1`, `RELOADING=1`, `STOPPING=1`, `WATCHDOG=1` and, while a start or
/// a stop takes long, `EXTEND_TIMEOUT_USEC=` and `STATUS=`. A program can add its own lines:
///
/// ```swift
/// ServiceManager.notify("STATUS=serving 3 clients")
/// ```
public enum ServiceManager: Sendable {
  /// The connection of the application that runs.
  private static let connection = Locked<NotifySocket?>(nil)
  /// The connection of a program without an application, made when it is first used.
  private static let own = Locked<NotifySocket?>(nil)

  /// Sends one line to the service manager, in the format of `sd_notify(3)`.
  ///
  /// Does nothing if no service manager started the process. A line that cannot be sent is a message of the application
  /// that runs, or a line on standard error: the first one, not each.
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

  /// Returns a connection before the run of an application, which removes the variables of the environment.
  private static func ownConnection() -> NotifySocket? {
    if let known = own.withLock({ $0 }) { return known }
    let socket = NotifySocket(environment: ServiceProcess.environment)
    return own.withLock { own in
      own = own ?? socket
      return own
    }
  }

  /// Uses the connection of an application that begins to run.
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
