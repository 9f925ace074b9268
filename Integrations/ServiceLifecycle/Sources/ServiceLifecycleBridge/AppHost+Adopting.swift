private import EventBus
public import LaunchLoader
public import Logging
public import ServiceLifecycle

extension AppHost {
  /// Adds a service of swift-service-lifecycle.
  ///
  /// ```swift
  /// import LaunchLoader
  /// import ServiceLifecycle
  /// import ServiceLifecycleBridge
  ///
  /// struct Poller: Service {
  ///   func run() async throws { try await gracefulShutdown() }
  /// }
  ///
  /// let app = AppHost()
  /// try app.add(adopting: Poller(), named: "poller", options: AppServiceOptions(after: ["database"]))
  /// ```
  ///
  /// The service runs inside a `ServiceGroup` of its own, which handles no signals: those are the application's.
  /// A request to stop becomes a graceful shutdown, so that `withGracefulShutdownHandler`,
  /// `cancelWhenGracefulShutdown`, `gracefulShutdown()` and `Task.isShuttingDownGracefully` work. A cancellation
  /// is a cancellation. Task-local values of the caller of `run()` are visible.
  ///
  /// A `ServiceGroup` is refused: it would take the signals from the application, and stop its services in an order of
  /// its own. Adopt its services one by one.
  ///
  /// The service counts as ready as soon as it runs. If it becomes ready later, it reports that to a ``Readiness``,
  /// which is passed as `ready`.
  ///
  /// - Parameters:
  ///   - service: The service.
  ///   - name: The name of the service, unique within the application.
  ///   - options: The order, time limits and failure policy of the service.
  ///   - ready: Reports when the service is ready; `nil` means as soon as it runs.
  ///   - logger: The logger of the group.
  /// - Throws: `AppServiceError`, as for other services; with the code `unsuitable` for a `ServiceGroup`.
  public func add(
    adopting service: some Service,
    named name: String,
    options: AppServiceOptions = AppServiceOptions(),
    ready: Readiness? = nil,
    logger: Logger = Logger(label: "ServiceLifecycleBridge") { _ in SwiftLogNoOpLogHandler() }
  ) throws(AppServiceError) {
    let adopted = AdoptedService(service, name, ready: ready, logger: logger)
    try adopted.checkSuitability()
    try add(adopted, named: name, options: options)
  }
}

/// A service of swift-service-lifecycle, as a service of an application, of a group or of an `AppServiceRun`.
public struct AdoptedService: AppService {
  /// The name of the service.
  public let serviceName: String
  private let service: any Service
  private let readiness: Readiness?
  private let logger: Logger

  /// Wraps a service.
  ///
  /// - Parameters:
  ///   - service: The service.
  ///   - name: The name of the service.
  ///   - ready: Reports when the service is ready; `nil` means as soon as it runs.
  ///   - logger: The logger of the group around the service.
  public init(
    _ service: some Service,
    _ name: String,
    ready: Readiness? = nil,
    logger: Logger = Logger(label: "ServiceLifecycleBridge") { _ in SwiftLogNoOpLogHandler() }
  ) {
    (self.service, serviceName, readiness, self.logger) = (service, name, ready, logger)
  }

  /// Refuses a service that is a group, with signals and an order of its own.
  func checkSuitability() throws(AppServiceError) {
    guard service is ServiceGroup else { return }
    let reason =
      "a ServiceGroup takes the signals from the application, and stops its services in an order of its own;"
      + " adopt its services one by one, with after: for their order"
    throw AppServiceError(.unsuitable(serviceName, reason: reason))
  }

  /// Runs the service until it ends.
  ///
  /// - Throws: The error of the service; `AppServiceError` with the code `unsuitable` for a `ServiceGroup`.
  public func run(_ context: AppServiceContext) async throws {
    try checkSuitability()
    let group = ServiceGroup(
      configuration: ServiceGroupConfiguration(
        services: [
          ServiceGroupConfiguration.ServiceConfiguration(
            service: service,
            // The options of the application decide about the consequences of an end.
            successTerminationBehavior: .gracefullyShutdownGroup,
            failureTerminationBehavior: .gracefullyShutdownGroup,
            serviceName: serviceName
          )
        ],
        logger: logger
      )
    )
    // The group remembers a request that comes before its run.
    let token = context.onShutdown { Task { await group.triggerGracefulShutdown() } }
    defer { token.cancel() }
    if let readiness { readiness.connect(context) } else { context.markReady() }
    try await group.run()
  }
}
