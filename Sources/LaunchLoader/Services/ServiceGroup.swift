internal import EventBus

/// A service composed of several services that start and stop together.
///
/// ```swift
/// let storage = ServiceGroup("storage")
/// try storage.add("cache") { context in try await context.untilShutdown() }
///
/// let app = Application()
/// try app.add(storage)
/// ```
///
/// The group is ready when all its services have started and those with ``ServiceOptions/waitsForReady`` are
/// ready. When the group is asked to stop or is cancelled, it stops or cancels its services in its own order.
/// It ends when all of them have ended, or when the ending of one of them says so.
///
/// Messages about its services and the errors they throw reach the application that runs the group, prefixed
/// with the name of the group: `storage/heartbeat`.
///
/// ## Thread safety
///
/// Every member may be called from any thread.
public final class ServiceGroup: Service {
  /// The name of the group in `after:` and in messages.
  public let name: String
  private let runner: ServiceRunner

  /// Creates an empty group.
  ///
  /// - Parameters:
  ///   - name: The name of the group, unique within its application or group.
  ///   - stopTimeout: The time in which all services must stop, before they are cancelled; `nil` leaves the
  ///     limit to the application or group that runs this one.
  ///   - cancelTimeout: The time in which cancelled services must end, before they are left behind and named;
  ///     `nil` leaves the limit to the application or group that runs this one.
  ///   - clock: The clock that measures both.
  public init(
    _ name: String,
    stopTimeout: Duration? = nil,
    cancelTimeout: Duration? = nil,
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.name = name
    let machine = ServiceRunner.Machine(stopTimeout: stopTimeout, cancelTimeout: cancelTimeout)
    runner = ServiceRunner(machine, ServiceAlarms(clock))
  }

  /// Adds a service.
  ///
  /// While the group runs, the service starts as soon as its order permits.
  ///
  /// - Parameters:
  ///   - service: The service.
  ///   - options: The order, time limits and failure policy of the service.
  /// - Throws: ``ServiceError`` with the code `duplicate` if the name is taken, or `stopping` after shutdown
  ///   was requested. While the group runs also `unknown` and `cycle`; before, these two make the run fail
  ///   instead.
  /// - Complexity: O(log *n*) in the number of services.
  public func add(
    _ service: some Service,
    _ options: ServiceOptions = ServiceOptions()
  ) throws(ServiceError) {
    try runner.add(service.name, options) { try await service.run($0) }
  }

  /// Adds a service that runs a closure.
  ///
  /// - Parameters:
  ///   - name: The name of the service, unique within the group.
  ///   - options: The order, time limits and failure policy of the service.
  ///   - body: The work of the service.
  /// - Throws: The errors of ``add(_:_:)``.
  /// - Complexity: O(log *n*) in the number of services.
  public func add(
    _ name: String,
    _ options: ServiceOptions = ServiceOptions(),
    run body: @escaping @Sendable (ServiceContext) async throws -> Void
  ) throws(ServiceError) {
    try runner.add(name, options, run: body)
  }

  /// Stops the services in reverse order.
  ///
  /// Before the group runs, prevents them from starting.
  public func shutdown() { runner.send { $0.shutdown() } }

  /// Runs the services until all have ended.
  ///
  /// - Parameter context: Requests the stop, and accepts the report that all services have started.
  /// - Throws: ``ServiceError`` with the code `failed` if anything went wrong, or `alreadyRan`;
  ///   `CancellationError` if the only cause was the cancellation of the task.
  public func run(_ context: ServiceContext) async throws {
    let token = context.onShutdown { [runner] in runner.send { $0.shutdown() } }
    defer { token.cancel() }
    let failures = try await withTaskCancellationHandler {  // Reason: runs on no actor.
      try await drive(context)
    } onCancel: {
      runner.send { $0.cancel() }
    }
    if !failures.isEmpty {
      throw ServiceError(.failed(group: name, errors: failures.map(\.error)))
    }
    try Task.checkCancellation()
  }

  nonisolated(nonsending) private func drive(
    _ context: ServiceContext
  ) async throws(ServiceError) -> [ServiceRunner.Machine.Failure] {
    guard context.claim(runner, named: name) else { throw ServiceError(.alreadyRan) }
    runner.send { $0.begin() }
    while true {
      switch await runner.nextMilestone() {
      case .started: context.ready()
      case .stopping: break
      case .over(let failures, _): return failures
      }
    }
  }
}
