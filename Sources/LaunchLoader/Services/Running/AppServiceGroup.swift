internal import EventBus

/// A service composed of several services that start and stop together.
///
/// ```swift
/// let storage = AppServiceGroup("storage")
/// try storage.add("cache") { context in try await context.waitUntilShutdown() }
///
/// let app = AppHost()
/// try app.add(storage)
/// ```
///
/// The group is ready when all its services have started and those with ``AppServiceOptions/reportsReadiness`` are
/// ready. When the group is asked to stop or is cancelled, it stops or cancels its services in its own order.
/// It ends when all of them have ended, when the ending of one of them says so, or immediately if it has none.
///
/// Its time limits apply to every stop, also to one that a failure inside the group causes. Limits that the
/// group does not set are those of the application, the group or the ``AppServiceRun`` that runs it, and so is the
/// clock: a group always ends if its application does.
///
/// Messages about its services and the errors they throw reach the application that runs the group, prefixed
/// with the name of the group: `storage/heartbeat`. A service that delays a stop of the group is named once,
/// in place of the group, at times measured on the clock of the application.
///
/// ## Thread safety
///
/// Every member may be called from any thread.
public final class AppServiceGroup: AppService {
  private struct State {
    /// The services, until the group runs.
    var machine: ServiceRunner.Machine
    var runner: ServiceRunner?
  }

  /// The name of the group in `after:` and in messages.
  public let serviceName: String
  private let clock: (any Clock<Duration>)?
  private let state: Locked<State>

  /// Creates an empty group.
  ///
  /// - Parameters:
  ///   - name: The name of the group, unique within its application or group.
  ///   - stopTimeout: The time in which all services must stop, before they are cancelled; `nil` means the
  ///     limit of the application or group that runs this one, counted from the beginning of this group's stop.
  ///   - cancelTimeout: The time in which cancelled services must end, before they are abandoned and named;
  ///     `nil` means the limit of the application or group that runs this one.
  ///   - clock: The clock that measures the time limits of the group and its services; `nil` means the clock of
  ///     the application or group that runs this one.
  public init(
    _ name: String,
    stopTimeout: Duration? = nil,
    cancelTimeout: Duration? = nil,
    clock: (any Clock<Duration>)? = nil
  ) {
    serviceName = name
    self.clock = clock
    let machine = ServiceRunner.Machine(
      stopTimeout: stopTimeout,
      cancelTimeout: cancelTimeout,
      endsWhenEmpty: true
    )
    state = Locked(State(machine: machine))
  }

  /// Adds a service.
  ///
  /// While the group runs, the service starts as soon as its order permits.
  ///
  /// - Parameters:
  ///   - service: The service.
  ///   - name: The name of the service, unique within the group. With `nil`, it is the service's
  ///     ``AppService/serviceName``, followed by a number if that name is taken: `Poller`, `Poller 2`.
  ///   - options: The order, time limits and failure policy of the service.
  /// - Throws: ``AppServiceError`` with the code `duplicate` if the given name, or that of a group, is taken, or
  ///   `stopped` after shutdown was requested. While the group runs also `unknown` and `cycle`; before, these
  ///   two make the run fail instead.
  /// - Complexity: Amortized O(log *n*) in the number of services.
  public func add(
    _ service: some AppService,
    named name: String? = nil,
    options: AppServiceOptions = AppServiceOptions()
  ) throws(AppServiceError) {
    // The name of a group is given where it is created.
    let isNumbered = name == nil && !(service is AppServiceGroup)
    let body = ServiceHandle.body(of: service)
    try add(name ?? service.serviceName, isNumbered: isNumbered, options, body)
  }

  /// Adds a service that runs a closure.
  ///
  /// - Parameters:
  ///   - name: The name of the service, unique within the group.
  ///   - options: The order, time limits and failure policy of the service.
  ///   - body: The work of the service.
  /// - Throws: The errors of ``add(_:named:options:)``.
  /// - Complexity: Amortized O(log *n*) in the number of services.
  public func add(
    _ name: String,
    options: AppServiceOptions = AppServiceOptions(),
    run body: @escaping @Sendable (AppServiceContext) async throws -> Void
  ) throws(AppServiceError) {
    try add(name, isNumbered: false, options, body)
  }

  /// Stops the services in reverse order.
  ///
  /// Before the group runs, prevents them from starting.
  public func shutdown() { send { $0.shutdown() } }

  /// Runs the services until all have ended.
  ///
  /// - Parameter context: Requests the stop, and accepts the report that all services have started.
  /// - Throws: ``AppServiceError`` with the code `failed` if anything went wrong, or `alreadyRan`;
  ///   `CancellationError` if the only cause was the cancellation of the task.
  public func run(_ context: AppServiceContext) async throws {
    try await run(context, as: serviceName)
  }

  /// Runs the services under the name that the group was added with.
  func run(_ context: AppServiceContext, as name: String) async throws {
    let runner = try claim(context, name)
    defer { context.groupHasEnded(runner) }
    let token = context.onShutdown { runner.send { $0.shutdown() } }
    defer { token.cancel() }
    let failures = await withTaskCancellationHandler {  // Reason: runs on no actor.
      await drive(runner, context)
    } onCancel: {
      runner.send { $0.cancel() }
    }
    if !failures.isEmpty {
      throw AppServiceError(.failed(group: name, errors: failures.map(\.error)))
    }
    try Task.checkCancellation()
  }

  /// Creates the runner of the services.
  ///
  /// - Throws: ``AppServiceError`` with the code `alreadyRan`.
  private func claim(
    _ context: AppServiceContext,
    _ name: String
  ) throws(AppServiceError) -> ServiceRunner {
    let place = context.place(ofGroup: name, on: clock)
    let runner = state.withLock { state -> ServiceRunner? in
      guard state.runner == nil else { return nil }
      let runner = ServiceRunner(state.machine, in: place)
      state = State(machine: ServiceRunner.Machine(), runner: runner)
      return runner
    }
    guard let runner else { throw AppServiceError(.alreadyRan) }
    context.groupBegins(runner)
    return runner
  }

  nonisolated(nonsending) private func drive(
    _ runner: ServiceRunner,
    _ context: AppServiceContext
  ) async -> [ServiceRunner.Machine.Failure] {
    runner.send { $0.begin() }
    while true {
      switch await runner.nextMilestone() {
      case .started: context.markReady()
      case .stopping: break
      case .over(let failures, _): return failures
      }
    }
  }

  private func add(
    _ name: String,
    isNumbered: Bool,
    _ options: AppServiceOptions,
    _ body: @escaping ServiceHandle.Body
  ) throws(AppServiceError) {
    let handle = ServiceHandle(body)
    try send { machine throws(AppServiceError) in
      _ = try machine.add(handle, name: name, isNumbered: isNumbered, options)
    }
  }

  /// Sends an event to the machine of the services, wherever it is.
  private func send<Failure: Error>(
    _ event: (inout ServiceRunner.Machine) throws(Failure) -> Void
  ) throws(Failure) {
    let runner = try state.withLock { state throws(Failure) in
      // Before the run, no event has an action that cannot wait for it.
      if state.runner == nil { try event(&state.machine) }
      return state.runner
    }
    try runner?.send(event)
  }
}

extension ServiceHandle {
  /// Returns the body that runs a service; a group runs under the name that it was added with.
  static func body(of service: some AppService) -> Body {
    guard let group = service as? AppServiceGroup else { return { try await service.run($0) } }
    return { try await group.run($0, as: $0.name ?? group.serviceName) }
  }
}
