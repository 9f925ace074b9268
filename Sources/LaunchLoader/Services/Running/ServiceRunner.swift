internal import EventBus

/// Runs services as the state machine directs.
///
/// No call blocks: each thread that reports an event also performs the resulting actions, which call neither
/// services nor closures of users. A dedicated task enters the services one after the other.
///
/// ## Thread safety
///
/// Every member may be called from any thread, except that only one task may call ``nextMilestone()``.
final class ServiceRunner: Sendable {
  typealias Machine = ServiceMachine<ServiceHandle>
  /// What delays a transition besides services: its descriptions, and the names of launch work among them.
  typealias Delays = (names: [String], workers: [String])
  /// Receives the actions that concern others than the services.
  ///
  /// Errors, changes of state and the messages of an event come under the lock and in order. Transitions, what
  /// they wait for, and that work is not waited for any longer come outside the lock.
  typealias Receiver = @Sendable (Machine.Action) -> Void

  struct State {
    var machine: Machine
    /// The runners of the groups that services run, by service.
    var groups: [Machine.ID: [ServiceRunner]] = [:]

    /// Takes the actions of an event.
    ///
    /// Those that only report something are queued under the lock, and delivered elsewhere: reports are in
    /// order, and none follows the end. Not inlined, because `update` is specialized for each event.
    @inline(never)
    mutating func takeActions(_ receiver: Receiver) -> [Machine.Action] {
      let actions = machine.takeActions()
      for action in actions where action.isReport { receiver(action) }
      return actions
    }
  }

  let state: Locked<State>
  let receiver: Receiver
  let watchesStart: Bool
  /// Returns what else delays the start or the stop, besides services.
  let others: @Sendable () -> Delays
  /// Returns whether changes of state are observed.
  let isObserved: @Sendable () -> Bool
  /// For a group, the runner of the service that runs it, and that service.
  let parent: (runner: ServiceRunner, service: Machine.ID)?
  /// The loader whose values the services use.
  let loader: LaunchLoader
  /// The time limits of the services, and of what else the application waits for.
  let alarms: ServiceAlarms
  /// The times of the messages that name what a transition waits for.
  let reports: ServiceAlarms
  /// Rings when there is a milestone to take.
  private let milestones = Doorbell()
  /// Opens when the run is over.
  let end = Latch()

  /// Creates a runner without services.
  ///
  /// - Parameters:
  ///   - machine: The state machine of the services.
  ///   - alarms: Their time limits.
  ///   - loader: The loader whose values the services use.
  ///   - watchesStart: Whether messages name what the start waits for.
  ///   - others: Returns what delays the start or the stop besides services.
  ///   - isObserved: Returns whether the receiver wants changes of state; called under the lock.
  ///   - receiver: The receiver of actions.
  init(
    _ machine: Machine,
    _ alarms: ServiceAlarms,
    loader: LaunchLoader = .shared,
    watchesStart: Bool = true,
    others: @escaping @Sendable () -> Delays = { ([], []) },
    isObserved: @escaping @Sendable () -> Bool = { false },
    receiver: @escaping Receiver
  ) {
    state = Locked(State(machine: machine))
    (self.alarms, reports) = (alarms, alarms)
    (self.watchesStart, self.others, self.isObserved) = (watchesStart, others, isObserved)
    (self.loader, self.receiver, parent) = (loader, receiver, nil)
  }

  /// Creates the runner of a group, whose run it claims.
  ///
  /// - Parameters:
  ///   - machine: The state machine of the services.
  ///   - place: The place of the group among other services.
  init(_ machine: Machine, in place: ServiceGroupPlace) {
    var machine = machine
    machine.inherit(stopTimeout: place.stopTimeout, cancelTimeout: place.cancelTimeout)
    _ = machine.claim(under: place.path)
    state = Locked(State(machine: machine))
    (alarms, reports) = (place.alarms, place.reports)
    (watchesStart, others) = (place.parent.watchesStart, { ([], []) })
    (loader, parent) = (place.parent.loader, (place.parent, place.service))
    isObserved = place.parent.isObserved
    // Only the services of a group are reported.
    receiver = { [receiver = place.parent.receiver] in if $0.isReport { receiver($0) } }
  }

  /// The services that have not ended, in registration order.
  var statuses: [AppServiceStatus] { state.withLock { $0.machine.statuses } }

  /// A Boolean value that indicates whether a stop or a cancellation was requested, permitted or not.
  var isStopRequested: Bool { state.withLock { $0.machine.isStopRequested } }

  /// A Boolean value that indicates whether services start or stop, or launch work runs before them.
  var isInTransition: Bool { state.withLock { $0.machine.transition != nil } }

  /// A Boolean value that indicates whether all services have ended or were abandoned.
  var isOver: Bool { state.withLock { $0.machine.isOver } }

  /// Returns the name of a service, unless it has ended.
  func name(of service: Machine.ID) -> String? { state.withLock { $0.machine.name(of: service) } }

  /// Claims the run for the first caller.
  ///
  /// - Returns: `true` if the caller must run the services.
  func claim() -> Bool { send { $0.claim() } }

  /// Adds a service.
  func add(
    _ name: String,
    isNumbered: Bool = false,
    _ options: AppServiceOptions,
    run body: @escaping ServiceHandle.Body
  ) throws(AppServiceError) {
    let handle = ServiceHandle(body)
    _ = try send { machine throws(AppServiceError) in
      try machine.add(handle, name: name, isNumbered: isNumbered, options)
    }
  }

  /// Sends an event to the machine and performs the resulting actions.
  ///
  /// - Returns: The result of the event.
  @discardableResult
  func send<Result: Sendable, Failure: Error>(
    _ event: (inout Machine) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try update { state throws(Failure) in try event(&state.machine) }
  }

  /// Waits for the next milestone, regardless of cancellation.
  nonisolated(nonsending) func nextMilestone() async -> Machine.Milestone {
    while true {
      if let milestone = state.withLock({ $0.machine.takeMilestone() }) {
        // No timer may outlast the run.
        if case .over = milestone {
          alarms.close()
          reports.close()
        }
        return milestone
      }
      await milestones.wait()
    }
  }

  /// Changes the state and performs the resulting actions.
  @discardableResult
  func update<Result: Sendable, Failure: Error>(
    _ change: (inout State) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    // Read outside the lock, and therefore possibly late: the machine's time does not go back.
    let time = alarms.elapsed
    let (result, actions, now) = try state.withLock { state throws(Failure) in
      state.machine.time = max(state.machine.time, time)
      state.machine.reportsChanges = isObserved()
      let result = try change(&state)
      return (result, state.takeActions(receiver), state.machine.time)
    }
    for action in actions { perform(action, at: now) }
    return result
  }

  /// Performs an action of an event.
  ///
  /// Not inlined, because ``update(_:)`` is specialized for each event.
  ///
  /// - Parameters:
  ///   - action: The action.
  ///   - time: The time of the event, from which limits count, however late the action is performed.
  @inline(never)
  private func perform(_ action: Machine.Action, at time: Duration) {
    switch action {
    case .startServices(let turn):
      // A worker may have added the service, which is not a part of that work. Without one, each service's task
      // would copy a value for nothing.
      if LaunchContext.current.isEmpty {
        Task { await startServices(turn) }
      } else {
        Task { await LaunchContext.$current.withValue([]) { await self.startServices(turn) } }
      }
    // Raises the `ShutdownSignal` of the service's context; its task goes on.
    case .stop(let handle): handle.signal.raise()
    case .cancel(let handle): handle.cancel()
    case .arm(let id, let limit, let duration):
      alarms.set(.limit(of: id), limit, at: time.adding(duration)) {
        self.send { $0.timedOut(id, limit) }
      }
    case .disarm(let id, let limit): alarms.remove(.limit(of: id), upTo: limit)
    case .drop, .report, .changed, .say: break
    case .watch(let transition, let number):
      reports.remove(.transition(number - 1), upTo: .start)
      receiver(action)
      if transition == .stop || transition == .start && watchesStart {
        reportTransition(number, .transition(number))
      }
    case .forceStop, .leaveLaunch: receiver(action)
    case .leaveGroups(let id): leaveGroups(of: id)
    case .announce:
      milestones.ring()
      if isOver { end.open() }
    }
  }

  /// Enters one service after the other, each when the previous one has suspended, returned or was passed
  /// over.
  ///
  /// On no actor, because only there does a task enter the service without a hop. No suspension: one thread
  /// enters all of them.
  @concurrent
  private func startServices(_ turn: Int) async {
    let processorTime = ServiceProcess.processorTime()
    var passing: Task<Void, Never>?
    var previous: Machine.ID?
    while let (id, handle) = send({ $0.takeStart(after: previous, in: turn) }) {
      passing = passing ?? Task { await self.passOver(turn, processorTime) }
      enter(handle, id)
      previous = id
    }
    passing?.cancel()
  }

  /// Passes over services that compute, so that services which do not depend on them can start.
  ///
  /// A service that is entered in parallel with the previous one might overtake it. A thread that has no
  /// processor does not compute: it is left the time to come to the first suspension. A service that blocks
  /// its thread without computing is passed over after half a second.
  ///
  /// - Parameters:
  ///   - turn: The turn that enters services.
  ///   - processorTime: Returns the processor time of its thread.
  nonisolated(nonsending) private func passOver(
    _ turn: Int,
    _ processorTime: @Sendable () -> Duration
  ) async {
    var entering: Machine.ID?
    // Computation takes real time, regardless of the clock of the limits.
    let clock = ContinuousClock()
    var (rounds, entered, start) = (0, clock.now, Duration.zero)
    repeat {
      // A service that blocks its thread need not be watched closely.
      let interval = Duration.milliseconds(rounds < 20 ? 1 : 10)
      do { try await Task.sleep(for: interval) } catch { return }
      rounds += 1
      let hasBlocked = clock.now - entered >= .milliseconds(500)
      let mustPass = hasBlocked || processorTime() - start >= .milliseconds(1)
      let current = send { $0.passOver(mustPass ? entering : nil, in: turn) }
      if current != entering {
        (entering, rounds, entered, start) = (current, 0, clock.now, processorTime())
      }
    } while entering != nil
  }

  /// Uses an unstructured task, because the runner must be able to abandon a service.
  private func enter(_ handle: ServiceHandle, _ id: Machine.ID) {
    let task: Task<Void, Never>
    if #available(macOS 26.0, iOS 26.0, tvOS 26.0, watchOS 26.0, visionOS 26.0, *) {
      task = Task.immediate { await self.run(handle, id) }
    } else {
      task = Task { await self.run(handle, id) }
    }
    handle.task.adopt(task)
  }

  nonisolated(nonsending) private func run(_ handle: ServiceHandle, _ id: Machine.ID) async {
    handle.task.begin()
    let failure = await enterBody(of: handle, id)
    await handle.task.end()?.waitUncancelled()
    if handle.signal.close() { await handle.signal.untilQuiet() }
    let isProgramStopping = isProgramStopping
    send { $0.ended(id, failure, isProgramStopping: isProgramStopping) }
  }

  /// Runs the body of a service in a frame of its own, which releases it before the end is reported.
  ///
  /// - Returns: The error that the body threw.
  nonisolated(nonsending) private func enterBody(
    of handle: ServiceHandle,
    _ id: Machine.ID
  ) async -> (any Error)? {
    guard let body = handle.takeBody() else { return nil }
    do {
      try await body(AppServiceContext(handle, id, of: self))
      return nil
    } catch {
      return error
    }
  }
}
