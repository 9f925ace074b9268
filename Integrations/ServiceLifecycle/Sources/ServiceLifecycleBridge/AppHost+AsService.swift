public import LaunchLoader
public import ServiceLifecycle

extension AppHost {
  /// Returns the application as a service of swift-service-lifecycle.
  ///
  /// ```swift
  /// import LaunchLoader
  /// import Logging
  /// import ServiceLifecycle
  /// import ServiceLifecycleBridge
  /// import UnixSignals
  ///
  /// let app = AppHost(configuration: AppHost.Configuration(signals: [:]))
  /// let group = ServiceGroup(
  ///   services: [app.asService()],
  ///   gracefulShutdownSignals: [.sigterm],
  ///   logger: Logger(label: "shop")
  /// )
  /// ```
  ///
  /// A graceful shutdown of the group is a request to stop, and cancellation cancels the application. Give the
  /// application no signals, as above: those are the group's.
  ///
  /// - Returns: A service whose `run` returns when the application has ended. It throws the errors
  ///   of `run()`, and ``ExitCodeError`` if the exit code is not zero.
  public func asService() -> some Service {
    ApplicationService(application: self)
  }
}

/// The end of an application with an exit code other than zero.
public struct ExitCodeError: Error, Equatable, CustomStringConvertible {
  /// The exit code.
  public let exitCode: Int32

  /// Creates an error.
  public init(exitCode: Int32) { self.exitCode = exitCode }

  /// A sentence with the exit code.
  public var description: String { "The AppHost ended with exit code \(exitCode)." }
}

private struct ApplicationService: Service {
  let application: AppHost

  func run() async throws {
    let exitCode = try await withGracefulShutdownHandler {
      try await application.run()
    } onGracefulShutdown: { [application] in
      application.shutdown()
    }
    if exitCode != 0 { throw ExitCodeError(exitCode: exitCode) }
  }
}
