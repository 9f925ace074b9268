internal import EventBus

/// Runs services as the state machine directs: those of a host, or of a group.
///
/// An event changes the machine under the one lock. The actions that follow are performed after unlocking, in their
/// order, by one task at a time: the driver, ``drive()``, or the task of a service outside its `run`. An
/// event from anywhere else wakes the driver. Services therefore inherit the task-local values of the code that runs the
/// host or the group, and not those of the code that marks another service as ready or adds one.
///
/// ## Thread safety
///
/// Every member may be called from any thread. No call blocks.
package final class ServiceRunner: Sendable {
  /// The work of a service.
  typealias Body = @Sendable (AppServiceContext) async throws -> Void
  /// Other causes of delay: descriptions, and names of launch workers.
  typealias Delays = (names: [String], workers: [String])

  /// A step of the run that concerns others than the services.
  enum Step: Sendable {
    case started, stopping, abandonHandlers, abandonLaunch, over
    /// A transition takes long: what it waits for.
    case delayed(String)
  }

  /// Where services run, and for whom.
  struct Place: Sendable {
    /// The clock of the limits and of the messages about delays.
    var clock: any Clock<Duration>
    /// The loader whose values the services use.
    var loader: LaunchLoader
    /// False for a group that was started without a loader.
    var hasLoader = true
    /// Receives reports.
    ///
    /// They come in order, and none after ``Step/over``. It must not block.
    var report: @Sendable (ServiceMachine.Report) -> Void
    /// Performs the steps that concern others than the services.
    ///
    /// Called by one task at a time. It must not block.
    var perform: @Sendable (Step) -> Void
    /// Returns whether state changes are observed; called under the lock.
    var isObserved: @Sendable () -> Bool = { false }
    /// Returns what else delays the start or the stop, besides services.
    var others: @Sendable () -> Delays = { ([], []) }
    /// The prefix of names in messages: the names of the enclosing groups, each followed by a slash.
    var path = ""
    /// The service that runs the group, and its runner.
    var parent: (runner: ServiceRunner, attempt: ServiceAttempt)?
    /// True if the service which runs the group, or one around it, may start again.
    var mayRepeat = false
    /// True if it has started again.
    var isRepeated = false
    /// The limits of a group that sets none.
    var stopTimeout, cancelTimeout: Duration?
  }

  private struct Entry {
    /// The work; given away to the last attempt, so that the service is released when it returns.
    var body: Body?
    var attempt: ServiceAttempt?
  }

  private struct State {
    var machine: ServiceMachine
    var entries: [ServiceMachine.ID: Entry] = [:]
    var place: Place?
    var stopwatch: Stopwatch?
    /// The timer of the next deadline.
    var timer: (deadline: Duration, token: Token)?
    /// True if the machine may have actions.
    var isChanged = false
    /// True if a task performs actions, and goes on until there are none.
    var isActing = false
    /// True if ``ServiceMachine/Action/over`` was performed.
    var isOver = false
  }

  private let state: Locked<State>
  /// Rings for the driver when there may be actions that no other task performs.
  private let bell = Doorbell()
  /// Opens when the run is over.
  private let end = Latch()

  /// Creates a runner without services.
  init(_ machine: ServiceMachine) { state = Locked(State(machine: machine)) }

  /// True if a stop or a cancellation was requested, permitted or not.
  var isStopRequested: Bool { machine(\.isStopRequested) }

  /// True if all services have ended or were abandoned.
  var isOver: Bool { machine(\.isOver) }

  /// The failures of the run, and whether all services were cancelled.
  var outcome: (failures: [ServiceMachine.Failure], isCancelled: Bool) {
    state.withLock { ($0.machine.outcome, $0.machine.wasCancelled) }
  }

  /// True if the outermost services, those of the host, are stopping.
  var isProgramStopping: Bool {
    var outermost = self
    while let parent = outermost.place?.parent?.runner { outermost = parent }
    return outermost.isStopRequested
  }

  /// Where the services run; `nil` before the run and after it.
  var place: Place? { state.withLock { $0.place } }

  /// The time since the run was claimed, by its clock.
  var elapsed: Duration { state.withLock { $0.stopwatch }?.elapsed() ?? .zero }

  /// Reads the machine under the lock.
  func machine<Result: Sendable>(_ read: (ServiceMachine) -> Result) -> Result {
    state.withLock { read($0.machine) }
  }

  /// Returns the runners of the groups that a service runs.
  func groups(of id: ServiceMachine.ID) -> [ServiceRunner] { attempt(id)?.groups ?? [] }

  // MARK: Events

  /// Adds a service.
  func add(
    _ name: String,
    isNumbered: Bool = false,
    _ options: AppServiceOptions,
    run body: @escaping Body
  ) throws(AppServiceError) {
    try update { state throws(AppServiceError) in
      let id = try state.machine.add(name, isNumbered: isNumbered, options)
      state.entries[id] = Entry(body: body)
    }
  }

  /// Sends an event to the machine.
  func send(_ event: (inout ServiceMachine) -> Void) { update { event(&$0.machine) } }

  /// Changes the state, and lets a task perform the actions that follow.
  ///
  /// - Parameters:
  ///   - isOwn: Whether the task of a service sends the event outside its `run`, and so may perform the actions.
  ///   - change: Changes the state, under the lock.
  /// - Throws: The error of the change.
  private func update<Failure: Error>(
    isOwn: Bool = false,
    _ change: (inout State) throws(Failure) -> Void
  ) throws(Failure) {
    // Read outside the lock, and therefore possibly late: the machine's time does not go back.
    let time = elapsed
    let isActing = try state.withLock { state throws(Failure) in
      state.machine.advance(to: time)
      state.machine.reportsChanges = state.place?.isObserved() ?? false
      try change(&state)
      endEvent(&state)
      return state.isActing
    }
    // A task that performs actions goes on until there are none.
    if isOwn { act() } else if !isActing { bell.ring() }
  }

  /// Ends an event.
  ///
  /// Not inlined, because `update` is specialized for each event.
  @inline(never)
  private func endEvent(_ state: inout State) {
    state.machine.endEvent()
    state.isChanged = true
  }

  // MARK: The driver

  /// Claims the run for the first caller, before its launch work.
  ///
  /// - Returns: `true` if the caller must run the services.
  func claim(at place: Place) -> Bool {
    let stopwatch = Stopwatch(place.clock)
    var isFirst = false
    update { state in
      isFirst = state.machine.claim(
        under: place.path,
        stopTimeout: place.stopTimeout,
        cancelTimeout: place.cancelTimeout
      )
      if isFirst { (state.place, state.stopwatch) = (place, stopwatch) }
    }
    return isFirst
  }

  /// Performs actions until the claimed run is over, regardless of cancellation.
  @concurrent
  func drive() async {
    // Services are not part of launch work that may have called `run()`.
    await LaunchContext.$current.withValue([]) {
      while true {
        act()
        if state.withLock({ $0.isOver }) { return }
        await bell.wait()
      }
    }
  }

  /// Waits until the run is over, regardless of cancellation.
  nonisolated(nonsending) func waitUntilOver() async { await end.waitUncancelled() }

  /// Performs actions until there are none, unless another task does.
  private func act() {
    let place = state.withLock { state -> Place? in
      if state.isActing { return nil }
      state.isActing = state.place != nil
      return state.place
    }
    guard let place else { return }
    while true {
      let next = state.withLock { state -> (actions: [ServiceMachine.Action], Duration?)? in
        // Cleared under the lock in which nothing is found: an event after it wakes the driver.
        state.isActing = state.isChanged
        guard state.isChanged else { return nil }
        state.isChanged = false
        return (state.machine.takeActions(), state.machine.nextDeadline())
      }
      guard let (actions, deadline) = next else { return }
      for action in actions { perform(action, place) }
      setTimer(deadline, place.clock)
    }
  }

  private func perform(_ action: ServiceMachine.Action, _ place: Place) {
    switch action {
    case .start(let id, let number): start(id, number)
    case .stop(let id): attempt(id)?.raise()
    case .cancel(let id, let stopsFirst): attempt(id)?.cancel(stopsFirst: stopsFirst)
    case .abandon(let id): abandonGroups(of: id)
    case .drop(let id):
      let entry = state.withLock { $0.entries.removeValue(forKey: id) }
      if !place.mayRepeat { entry?.attempt?.forgetGroups() }
      // A service that never started, or may have started again, is released elsewhere: that runs its code.
      if let body = entry?.body { Task.detached { withExtendedLifetime(body) {} } }
    case .report(let report): place.report(report)
    case .delayed(let transition, let waited, let services):
      reportDelay(of: transition, waited, services, place)
    case .started: place.perform(.started)
    case .stopping: place.perform(.stopping)
    case .abandonHandlers: place.perform(.abandonHandlers)
    case .abandonLaunch: place.perform(.abandonLaunch)
    case .over:
      state.withLock { $0.isOver = true }
      place.perform(.over)
      // It may refer to the owner of the runner.
      let former = state.withLock { $0.place.take() }
      withExtendedLifetime(former) {}
      end.open()
      bell.ring()
    }
  }

  private func attempt(_ id: ServiceMachine.ID) -> ServiceAttempt? {
    state.withLock { $0.entries[id]?.attempt }
  }

  private func setTimer(_ deadline: Duration?, _ clock: any Clock<Duration>) {
    let (former, stopwatch) = state.withLock { ($0.timer?.deadline, $0.stopwatch) }
    guard former != deadline, let stopwatch else { return }
    let timer = deadline.map { deadline in
      // The clock is read once more: the deadline may have passed.
      let delay = max(.zero, deadline - stopwatch.elapsed())
      let token = after(delay, clock: clock) { [weak self] _ in self?.timePassed() }
      return (deadline, token)
    }
    let replaced = state.withLock { state in
      defer { state.timer = timer }
      return state.timer
    }
    replaced?.token.cancel()
  }

  private func timePassed() {
    update { state in
      // Set again if the clock has gone back, and the deadline has not passed.
      state.timer = nil
      state.machine.timePassed()
    }
  }

  // MARK: Services

  /// Begins an attempt, in an unstructured task, because the runner must be able to abandon it.
  private func start(_ id: ServiceMachine.ID, _ number: Int) {
    let attempt = ServiceAttempt(id, number: number)
    let former = state.withLock { state in
      defer { state.entries[id]?.attempt = attempt }
      return state.entries[id]?.attempt
    }
    withExtendedLifetime(former) {}
    // Known before any later action, which may cancel it, because actions are performed in order.
    attempt.adopt(Task { await run(attempt) })
  }

  nonisolated(nonsending) private func run(_ attempt: ServiceAttempt) async {
    let (id, number) = (attempt.id, attempt.number)
    // Others' actions must not delay its first statement.
    update { $0.machine.entered(id, attempt: number) }
    let failure = await enterBody(of: attempt)
    if attempt.close() { await attempt.untilQuiet() }
    let isProgramStopping = isProgramStopping
    update(isOwn: true) { state in
      state.machine.ended(id, attempt: number, failure, isProgramStopping: isProgramStopping)
    }
  }

  /// Runs the body of a service in a separate frame, which releases it before the end is reported, unless the service
  /// may start again.
  ///
  /// - Returns: The error that the body threw.
  nonisolated(nonsending) private func enterBody(of attempt: ServiceAttempt) async -> (any Error)? {
    let body = state.withLock { state in
      state.machine.mayRestart(attempt.id)
        ? state.entries[attempt.id]?.body : state.entries[attempt.id]?.body.take()
    }
    guard let body else { return nil }
    do {
      try await body(AppServiceContext(attempt, of: self))
      return nil
    } catch {
      return error
    }
  }

  // MARK: Groups

  /// Abandons the groups of a service, and with them all their services, and then reports their errors.
  private func abandonGroups(of id: ServiceMachine.ID) {
    let groups = attempt(id)?.groups ?? []
    if groups.isEmpty { return send { $0.abandoned(id, nil) } }
    Task {
      let wereOver = groups.allSatisfy(\.isOver)
      var errors: [any Error] = []
      for group in groups {
        group.send { $0.abandonAll() }
        await group.waitUntilOver()
        errors += group.outcome.failures.map(\.error)
      }
      // The service itself is stuck, after its groups have ended.
      let isAlone = wereOver && AppServiceError.abandonedServices(in: errors).isEmpty
      send { [errors] in $0.abandoned(id, isAlone ? nil : errors) }
    }
  }
}
