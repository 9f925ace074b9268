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
  /// The service runs inside its own `ServiceGroup`, which handles no signals, because those are the
  /// application's. A request to stop becomes a graceful shutdown, so that `withGracefulShutdownHandler`,
  /// `cancelWhenGracefulShutdown`, `gracefulShutdown()` and `Task.isShuttingDownGracefully` work. A cancellation
  /// is a cancellation. Task-local values of the caller of `run()` are visible.
  ///
  /// A `ServiceGroup` is refused: it would take the signals from the application. Adopt its services one by one, so
  /// that the application stops them in order, or its configuration with
  /// ``LaunchLoader/AppHost/add(adopting:named:options:ready:)``.
  ///
  /// The service counts as ready as soon as it runs. If it becomes ready later, it reports that to a ``Readiness``,
  /// which is passed as `ready`.
  ///
  /// With `onThrow: .restart(RestartPolicy())` in the options, the application runs it again after an error: choose that
  /// only for a service whose `run` may be called again. A ``Readiness`` that was reported once stays reported.
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
    try add(AdoptedService(service, name, ready: ready, logger: logger), name, options)
  }

  /// Adds a group of services of swift-service-lifecycle as one service.
  ///
  /// ```swift
  /// import LaunchLoader
  /// import Logging
  /// import ServiceLifecycle
  /// import ServiceLifecycleBridge
  /// import UnixSignals
  ///
  /// struct Poller: Service {
  ///   func run() async throws { try await gracefulShutdown() }
  /// }
  ///
  /// let app = AppHost()
  /// let configuration = ServiceGroupConfiguration(
  ///   services: [Poller(), Poller()],
  ///   gracefulShutdownSignals: [.sigterm],
  ///   logger: Logger(label: "pollers")
  /// )
  /// try app.add(adopting: configuration, named: "pollers")
  /// ```
  ///
  /// The signals of the configuration have no effect: they are the application's. Everything else has: a request to
  /// stop is a graceful shutdown of the group, which stops its services in reverse order, and an end of one
  /// of them has the consequences that the configuration names. The group ends as one service of the application.
  ///
  /// - Parameters:
  ///   - configuration: The group.
  ///   - name: The name of the service, unique within the application.
  ///   - options: The order, time limits and failure policy of the service.
  ///   - ready: Reports when the group is ready; `nil` means as soon as it runs.
  /// - Throws: `AppServiceError`, as for other services; with the code `unsuitable` if one of the services is a
  ///   `ServiceGroup`.
  public func add(
    adopting configuration: ServiceGroupConfiguration,
    named name: String,
    options: AppServiceOptions = AppServiceOptions(),
    ready: Readiness? = nil
  ) throws(AppServiceError) {
    try add(AdoptedService(configuration, name, ready: ready), name, options)
  }

  private func add(
    _ adopted: AdoptedService,
    _ name: String,
    _ options: AppServiceOptions
  ) throws(AppServiceError) {
    try adopted.checkSuitability()
    try add(adopted, named: name, options: options)
  }
}

/// A service of swift-service-lifecycle, or a group of them, as a service of an application or of a group.
public struct AdoptedService: AppService {
  /// The name of the service.
  public let serviceName: String
  /// A group that handles no signals.
  private let configuration: ServiceGroupConfiguration
  private let readiness: Readiness?

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
    let only = ServiceGroupConfiguration.ServiceConfiguration(
      service: service,
      // The options of the application decide about the consequences of an end.
      successTerminationBehavior: .gracefullyShutdownGroup,
      failureTerminationBehavior: .gracefullyShutdownGroup,
      serviceName: name
    )
    self.init(ServiceGroupConfiguration(services: [only], logger: logger), name, ready: ready)
  }

  /// Wraps a group of services.
  ///
  /// - Parameters:
  ///   - configuration: The group. Its signals have no effect.
  ///   - name: The name of the group.
  ///   - ready: Reports when the group is ready; `nil` means as soon as it runs.
  public init(
    _ configuration: ServiceGroupConfiguration,
    _ name: String,
    ready: Readiness? = nil
  ) {
    var configuration = configuration
    configuration.gracefulShutdownSignals = []
    configuration.cancellationSignals = []
    (self.configuration, serviceName, readiness) = (configuration, name, ready)
  }

  /// Refuses a service that is a group, with its own signals.
  func checkSuitability() throws(AppServiceError) {
    guard configuration.services.contains(where: { $0.service is ServiceGroup }) else { return }
    let reason =
      "a ServiceGroup takes the signals from the application; adopt its services one by one, with after: for their"
      + " order, or its ServiceGroupConfiguration"
    throw AppServiceError(.unsuitable(serviceName, reason: reason))
  }

  /// Runs the service until it ends.
  ///
  /// - Throws: The error of the service; `AppServiceError` with the code `unsuitable` for a `ServiceGroup`.
  public func run(_ context: AppServiceContext) async throws {
    try checkSuitability()
    let group = ServiceGroup(configuration: configuration)
    // The group remembers a request that comes before its run.
    let token = context.onShutdown { Task { await group.triggerGracefulShutdown() } }
    defer { token.cancel() }
    if let readiness { readiness.connect(context) } else { context.markReady() }
    try await group.run()
  }
}
