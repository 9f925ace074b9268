internal import EventBus

/// Services that start and stop together, and that are one service to the others.
///
/// ```swift
/// let storage = ServiceGroup("storage")
/// try storage.add(Heartbeat())
/// try app.add(storage)
/// ```
///
/// The group is ready when all its services have started, and are ready where that was asked for. Told to
/// stop it stops them, in its own order; cancelled it cancels them. It ends when all of them have ended,
/// or when an ending says so.
///
/// What there is to say about its services, and the errors that they throw, reach the application that runs the
/// group: named after the group, as `storage/heartbeat`.
///
/// ## Thread safety
///
/// Every member may be called from any thread.
public final class ServiceGroup: Service {
  /// What the group is called among its neighbours.
  public let name: String
  private let runner: ServiceRunner

  /// Creates an empty group.
  ///
  /// - Parameters:
  ///   - name: What it is called among its neighbours.
  ///   - stopTimeout: How long stopping all may take before they are cancelled; `nil` is for as long as the
  ///     one that runs the group waits.
  ///   - cancelTimeout: How long they may take to end after they were cancelled, before they are left
  ///     behind and named; `nil` is for as long as the one that runs the group waits.
  ///   - clock: Measures both.
  public init(
    _ name: String,
    stopTimeout: Duration? = nil,
    cancelTimeout: Duration? = nil,
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.name = name
    runner = ServiceRunner(
      limits: ServiceRunner.Machine.Limits(stopTimeout: stopTimeout, cancelTimeout: cancelTimeout),
      clock: clock,
      asksBeforeStopping: false
    )
  }

  /// Adds a service; while the group runs it starts as soon as it may.
  ///
  /// - Parameters:
  ///   - service: The service.
  ///   - options: How it gets on with the others.
  /// - Throws: ``ServiceError`` with the code `duplicate` if its name is taken, `stopping` if the group is
  ///   being stopped or was; while the group runs also `unknown` and `cycle`. Before that, those two end
  ///   the run that they would spoil.
  /// - Complexity: O(log *n*) in the number of services.
  public func add(
    _ service: some Service,
    _ options: ServiceOptions = ServiceOptions()
  ) throws(ServiceError) {
    try runner.add(service, options)
  }

  /// Adds a service that is a closure.
  ///
  /// - Parameters:
  ///   - name: What it is called among its neighbours.
  ///   - options: How it gets on with the others.
  ///   - body: What it does.
  /// - Throws: What ``add(_:_:)`` throws.
  /// - Complexity: O(log *n*) in the number of services.
  public func add(
    _ name: String,
    _ options: ServiceOptions = ServiceOptions(),
    run body: @escaping @Sendable (ServiceContext) async throws -> Void
  ) throws(ServiceError) {
    try runner.add(ServiceClosure(name: name, body: body), options)
  }

  /// Stops the services, in reverse order; before the group runs, none of them will start.
  public func shutdown() {
    runner.send { $0.shutdown() }
  }

  /// Runs the services until all have ended.
  ///
  /// - Parameter context: Says when to stop, and hears when all have started.
  /// - Throws: ``ServiceError`` with the code `failed` if anything went wrong, or `alreadyRan`;
  ///   `CancellationError` if nothing did but that the task was cancelled.
  public func run(_ context: ServiceContext) async throws {
    let token = context.onShutdown { [runner] in runner.send { $0.shutdown() } }
    defer { token.cancel() }
    let outcome = try await withTaskCancellationHandler {  // Reason: runs on no actor.
      try await drive(context)
    } onCancel: {
      runner.send { $0.cancel() }
    }
    if !outcome.errors.isEmpty {
      throw ServiceError(.failed(group: name, errors: outcome.errors))
    }
    try Task.checkCancellation()
  }

  private func drive(_ context: ServiceContext) async throws(ServiceError) -> ServiceOutcome {
    guard context.claim(runner, named: name) else { throw ServiceError(.alreadyRan) }
    runner.send { $0.begin() }
    while true {
      switch await runner.nextMilestone() {
      case .started: context.ready()
      case .stopping: break
      case .over(let outcome): return outcome
      }
    }
  }
}
