internal import EventBus

/// Services that start and stop together: as one service of a host or of another group, or alone.
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
/// ready. When the group is asked to stop or is cancelled, it stops or cancels its services in its own order. It
/// ends when all have ended, when one ends whose options stop the others, or immediately if it has none.
///
/// Its time limits apply to every stop, including one that a failure inside the group causes. It inherits the limits and
/// the clock that it does not set, so that it always ends if its host does.
///
/// Messages about its services, and their errors, reach the host with the name of the group in front:
/// `storage/heartbeat`. A service that delays a stop is named in place of the group.
///
/// If the host restarts the group, the services added before its first run start again, with new contexts.
///
/// ## By itself
///
/// ```swift
/// let services = AppServiceGroup("test")
/// try services.add("heartbeat", options: AppServiceOptions(reportsReadiness: true)) { context in
///   context.markReady()
///   try await context.waitUntilShutdown()
/// }
/// try services.start()
/// try await services.waitUntilReady()
/// services.shutdown()
/// try await services.waitUntilStopped()
/// ```
///
/// Tests and other lifecycles run a group without a host. Keep it until ``waitUntilStopped()`` has returned:
/// a group that is released earlier cancels its services, which a message reports.
///
/// ## Thread safety
///
/// Every member may be called from any thread, and by several tasks.
public final class AppServiceGroup: AppService {
  /// A service that was added before the first run.
  fileprivate struct Member: Sendable {
    let name: String
    let isNumbered: Bool
    let options: AppServiceOptions
    let body: ServiceRunner.Body
  }

  /// The use of a group, which has one use only.
  private enum Use {
    /// It was added to a host or another group, or ran in a service.
    case service
    /// It was started by itself.
    case alone(MessageQueue<AppHostMessage>)
  }

  private struct State {
    var runner: ServiceRunner
    /// The services, for a restart of the group; `nil` once it cannot start again.
    var members: [Member]? = []
    var use: Use?
    /// True if the program has asked the group to stop.
    var isStopRequested = false
  }

  /// The values that tasks wait for, outside the group, which must not keep itself alive.
  private final class Outcome: Sendable {
    /// Resolved when the group is ready or will not be, which is an error.
    let readiness = LatchedValue<(any Error)?>()
    /// Resolved with the error of the run when it is over.
    let end = LatchedValue<(any Error)?>()
  }

  /// The name of the group in `after:` and in messages.
  public let serviceName: String
  private let stopTimeout, cancelTimeout: Duration?
  private let clock: (any Clock<Duration>)?
  private let state: Locked<State>
  private let outcome = Outcome()

  /// Creates an empty group.
  ///
  /// - Parameters:
  ///   - name: The name of the group, unique within its host or group.
  ///   - stopTimeout: The time in which all services must stop, before they are cancelled; `nil` means the
  ///     limit of the host or group that runs this one, counted from the beginning of this group's stop, or 20
  ///     seconds in a group by itself.
  ///   - cancelTimeout: The time in which cancelled services must end, before they are abandoned and named;
  ///     `nil` means the limit of the host or group that runs this one, or 5 seconds in a group by itself.
  ///   - clock: The clock that measures the time limits of the group and its services, and the times of messages about
  ///     them; `nil` means the clock of the host or group that runs this one, or a `ContinuousClock`.
  public init(
    _ name: String,
    stopTimeout: Duration? = nil,
    cancelTimeout: Duration? = nil,
    clock: (any Clock<Duration>)? = nil
  ) {
    serviceName = name
    (self.stopTimeout, self.cancelTimeout, self.clock) = (stopTimeout, cancelTimeout, clock)
    state = Locked(State(runner: Self.runner(stopTimeout, cancelTimeout)))
  }

  deinit {
    let (runner, use) = state.withLock { ($0.runner, $0.use) }
    guard case .alone(let messages) = use, !runner.isOver else { return }
    messages.send(
      "The AppServiceGroup \"\(serviceName)\" was released. Keep it until waitUntilStopped() has returned."
    )
    runner.send { $0.cancel() }
  }

  private static func runner(_ stopTimeout: Duration?, _ cancelTimeout: Duration?) -> ServiceRunner
  {
    ServiceRunner(
      ServiceMachine(stopTimeout: stopTimeout, cancelTimeout: cancelTimeout, endsWhenEmpty: true)
    )
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
  /// - Throws: ``AppServiceError`` with the code `duplicate` if the given name, or that of a group, is taken,
  ///   or `stopped` after shutdown was requested. While the group runs, `unknown` and `cycle` as well; before
  ///   that, the run fails with these two.
  /// - Complexity: Amortized O(log *n*) in the number of services.
  public func add(
    _ service: some AppService,
    named name: String? = nil,
    options: AppServiceOptions = AppServiceOptions()
  ) throws(AppServiceError) {
    let group = service as? AppServiceGroup
    let member = Member(
      name: name ?? service.serviceName,
      // The name of a group is given where it is created.
      isNumbered: name == nil && group == nil,
      options: options,
      body: ServiceRunner.body(of: service)
    )
    try add(member)
    group?.becomeService()
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
    try add(Member(name: name, isNumbered: false, options: options, body: body))
  }

  private func add(_ member: Member) throws(AppServiceError) {
    while true {
      let runner = state.withLock { $0.runner }
      guard runner.isOver else {
        let isFirstRun = runner.machine(\.isCollecting)
        try runner.add(member)
        if isFirstRun { state.withLock { $0.members?.append(member) } }
        return
      }
      // In a pause before the group starts again, the service is one of the next run.
      let (isAdded, isReplaced) = state.withLock { state in
        let isReplaced = state.runner !== runner
        if isReplaced || state.isStopRequested || state.members == nil {
          return (false, isReplaced)
        }
        state.members?.append(member)
        return (true, false)
      }
      if isAdded { return }
      if !isReplaced { return try runner.add(member) }
    }
  }

  /// Asks the services to stop, in reverse order.
  ///
  /// Only the first call has an effect. Before the group runs, it prevents the services from starting.
  public func shutdown() {
    state.withLock { $0.isStopRequested = true }
    send { $0.shutdown() }
  }

  /// Cancels all services, even during a stop.
  public func cancel() {
    state.withLock { $0.isStopRequested = true }
    send { $0.cancel() }
  }

  private func send(_ event: (inout ServiceMachine) -> Void) {
    state.withLock { $0.runner }.send(event)
  }

  // MARK: As a service

  /// Runs the services until all have ended.
  ///
  /// - Parameter context: Requests the stop, and accepts the report that all services have started.
  /// - Throws: ``AppServiceError`` with the code `failed` if anything went wrong, or `alreadyRan`;
  ///   `CancellationError` if the only cause was the cancellation of the task.
  public func run(_ context: AppServiceContext) async throws {
    becomeService()
    try await run(context, as: serviceName)
  }

  /// Records that the group is a service, and therefore cannot be started by itself.
  func becomeService() {
    state.withLock { state in
      if state.use == nil { state.use = .service }
    }
  }

  /// Releases the services, which will not start again.
  func forgetServices() {
    let members = state.withLock { $0.members.take() }
    withExtendedLifetime(members) {}
  }

  /// Runs the services under the name that the group was added with.
  func run(_ context: AppServiceContext, as name: String) async throws {
    let (runner, mayRepeat) = try claim(context, name)
    if !mayRepeat { forgetServices() }
    let token = context.onShutdown { runner.send { $0.shutdown() } }
    defer { token.cancel() }
    await withTaskCancellationHandler {  // Reason: runs on no actor.
      await runner.drive()
    } onCancel: {
      runner.send { $0.cancel() }
    }
    let failures = runner.outcome.failures
    if !failures.isEmpty {
      throw AppServiceError(.failed(group: name, errors: failures.map(\.error)))
    }
    try Task.checkCancellation()
  }

  /// Begins a run in the place of a service.
  ///
  /// - Returns: The runner, and whether the group may start again.
  /// - Throws: ``AppServiceError`` with the code `alreadyRan`.
  private func claim(
    _ context: AppServiceContext,
    _ name: String
  ) throws(AppServiceError) -> (ServiceRunner, mayRepeat: Bool) {
    guard let parent = context.runner.place else { throw hasRun }
    var place = parent
    place.clock = clock ?? parent.clock
    place.path += name + "/"
    place.parent = (context.runner, context.handle)
    place.mayRepeat =
      parent.mayRepeat || context.runner.machine { $0.mayRestart(context.handle.id) }
    place.isRepeated = parent.isRepeated || context.attempt > 1
    (place.stopTimeout, place.cancelTimeout) = context.runner.machine {
      ($0.stopTimeout, $0.cancelTimeout)
    }
    place.others = { ([], []) }
    place.perform = { if case .started = $0 { context.markReady() } }
    let runner = try runner(isRepeated: place.isRepeated)
    guard runner.claim(at: place) else { throw hasRun }
    context.handle.begins(self, runner)
    runner.send { $0.begin() }
    return (runner, place.mayRepeat)
  }

  private var hasRun: AppServiceError {
    AppServiceError(.alreadyRan, runner: "The AppServiceGroup \"\(serviceName)\"")
  }

  /// Returns the runner for a run, with all services.
  private func runner(isRepeated: Bool) throws(AppServiceError) -> ServiceRunner {
    let (former, use) = state.withLock { ($0.runner, $0.use) }
    if case .alone = use { throw hasRun }
    guard isRepeated, former.isOver else { return former }
    let runner = Self.runner(stopTimeout, cancelTimeout)
    var count = 0
    while true {
      // Until there are no others, which come from other threads meanwhile.
      let (others, isFirst, isStopRequested) = state.withLock { [count] state in
        let others = Array((state.members ?? []).dropFirst(count))
        let isFirst = state.runner === former
        if isFirst && others.isEmpty { state.runner = runner }
        return (others, isFirst, state.isStopRequested)
      }
      guard isFirst else { throw hasRun }
      for member in others { try runner.add(member) }
      count += others.count
      guard others.isEmpty else { continue }
      if isStopRequested { runner.send { $0.shutdown() } }
      return runner
    }
  }

  // MARK: By itself

  /// Starts the services, without a host.
  ///
  /// - Parameters:
  ///   - loader: The loader whose values the services read. The group does not launch it. Without a loader,
  ///     reading a value throws.
  ///   - onMessage: Called with each message of the run: that the start or the stop takes long, that
  ///     a service waits for a value although no launch has begun, that it starts again, or that it is cancelled or
  ///     abandoned. By default, each message is a line on standard error.
  /// - Throws: ``AppServiceError`` with the code `alreadyRan` if the group was started before, or was added to an
  ///   host or another group.
  public func start(
    loader: LaunchLoader? = nil,
    onMessage: (@Sendable (AppHostMessage) -> Void)? = nil
  ) throws(AppServiceError) {
    let messages = MessageQueue(onMessage ?? { printError("AppServiceGroup: \($0)") })
    let (runner, isFirst, members) = state.withLock { state in
      let isFirst = state.use == nil
      if isFirst { state.use = .alone(messages) }
      return (state.runner, isFirst, isFirst ? state.members.take() : nil)
    }
    withExtendedLifetime(members) {}
    guard isFirst else { throw hasRun }
    let clock = clock ?? ContinuousClock()
    let place = ServiceRunner.Place(
      clock: clock,
      loader: loader ?? Self.loaderWithoutValues(),
      hasLoader: loader != nil,
      report: { if case .message(let message) = $0 { messages.send(message) } },
      perform: { [outcome] in if case .started = $0 { outcome.readiness.resolve(nil) } },
      stopTimeout: .seconds(20),
      cancelTimeout: .seconds(5)
    )
    _ = runner.claim(at: place)
    runner.send { $0.begin() }
    Task { [serviceName, outcome] in
      await runner.drive()
      let errors = runner.outcome.failures.map(\.error)
      let error =
        errors.isEmpty ? nil : AppServiceError(.failed(group: serviceName, errors: errors))
      let limit = runner.machine(\.cancelTimeout)
      await messages.delivered(within: limit, on: clock)
      outcome.readiness.resolve(error ?? AppServiceError(.endedBeforeReady(serviceName)))
      outcome.end.resolve(error)
    }
  }

  /// Waits until the group, started by itself, is ready: all services have started, and those with
  /// ``AppServiceOptions/reportsReadiness`` are ready.
  ///
  /// - Throws: ``AppServiceError`` with the code `failed`, or `endedBeforeReady` with the name of the group,
  ///   if the run has ended before the group was ready. `CancellationError` when the waiting task is
  ///   cancelled first.
  nonisolated(nonsending) public func waitUntilReady() async throws {
    if let error = try await outcome.readiness.wait() { throw error }
  }

  /// Waits until all services of a group, started by itself, have ended or were abandoned.
  ///
  /// - Throws: ``AppServiceError`` with the code `failed` if anything went wrong; it carries the errors, the cause first.
  ///   `CancellationError` when the waiting task is cancelled first, which affects only the wait.
  nonisolated(nonsending) public func waitUntilStopped() async throws {
    if let error = try await outcome.end.wait() { throw error }
  }

  /// Returns a loader that will never launch, so that waiting for its values throws.
  private static func loaderWithoutValues() -> LaunchLoader {
    let loader = LaunchLoader()
    loader.stop()
    return loader
  }
}

extension ServiceRunner {
  /// Adds a service of a group.
  fileprivate func add(_ member: AppServiceGroup.Member) throws(AppServiceError) {
    try add(
      member.name,
      isNumbered: member.isNumbered,
      member.options,
      run: member.body
    )
  }

  /// Returns the body that runs a service; a group runs under the name that it was added with.
  static func body(of service: some AppService) -> Body {
    guard let group = service as? AppServiceGroup else { return { try await service.run($0) } }
    return { try await group.run($0, as: $0.name ?? group.serviceName) }
  }
}
