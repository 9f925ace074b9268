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

  /// The callbacks for everything except milestones.
  struct Reports: Sendable {
    /// Called with each error that a service throws, on the thread where the service ended.
    let onError: @Sendable (_ service: String, any Error) -> Void
    /// Called with each message for the user of the program.
    let onMessage: @Sendable (String) -> Void
    /// Called when services are cancelled before the stop was permitted.
    var onForcedStop: @Sendable () -> Void = {}
    /// Called when launch work is left behind.
    var onLeaveLaunch: @Sendable () -> Void = {}
    /// Returns the names of everything besides services that delays the start or the stop.
    var others: @Sendable () -> [String] = { [] }
  }

  private struct State {
    var machine: Machine
    var reports: Reports?
    var loader: LaunchLoader
  }

  private let state: Locked<State>
  private let watchesStart: Bool
  private let alarms: ServiceAlarms
  /// Rings when there is a milestone to take.
  private let milestones = Doorbell()

  /// Creates a runner without services.
  ///
  /// - Parameters:
  ///   - machine: The state machine of the services.
  ///   - clock: The clock that measures their time limits.
  ///   - loader: The loader whose values the services use. A group replaces it when it claims the run.
  ///   - reports: The callbacks for errors and messages; `nil` for a group, which claims them.
  ///   - watchesStart: Whether messages name what the start waits for.
  init(
    _ machine: Machine,
    clock: any Clock<Duration>,
    loader: LaunchLoader = .shared,
    reports: Reports? = nil,
    watchesStart: Bool = true
  ) {
    alarms = ServiceAlarms(clock)
    state = Locked(State(machine: machine, reports: reports, loader: loader))
    self.watchesStart = watchesStart
  }

  /// The loader whose values the services use.
  var loader: LaunchLoader { state.withLock { $0.loader } }

  /// A Boolean value that indicates whether the services are stopping or have stopped.
  var isStopping: Bool { state.withLock { $0.machine.isStopping } }

  /// A Boolean value that indicates whether all services have ended or were left behind.
  var isOver: Bool { state.withLock { $0.machine.isOver } }

  /// Claims the run for the first caller.
  ///
  /// - Parameter group: If these services form a group, its name and the runner that it is a service of.
  ///   Errors and messages go to the callbacks of that runner, prefixed with the name of the group, and
  ///   values come from its loader.
  /// - Returns: `true` if the caller must run the services.
  func claim(for group: (name: String, in: ServiceRunner)? = nil) -> Bool {
    guard let group else { return send { $0.claim() } }
    let (path, reports, loader) = group.in.state.withLock {
      ($0.machine.path, $0.reports, $0.loader)
    }
    let (isClaimed, former) = update { state -> (Bool, LaunchLoader?) in
      guard state.machine.claim(under: path + group.name + "/") else { return (false, nil) }
      // Only the services of a group are reported.
      state.reports = reports.map { Reports(onError: $0.onError, onMessage: $0.onMessage) }
      defer { state.loader = loader }
      return (true, state.loader)
    }
    withExtendedLifetime(former) {}
    return isClaimed
  }

  /// Adds a service.
  func add(
    _ name: String,
    _ options: ServiceOptions,
    run body: @escaping ServiceHandle.Body
  ) throws(ServiceError) {
    let handle = ServiceHandle(body)
    _ = try send { machine throws(ServiceError) in try machine.add(handle, name: name, options) }
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
        if case .over = milestone { alarms.close() }
        return milestone
      }
      await milestones.wait()
    }
  }

  private func update<Result: Sendable, Failure: Error>(
    _ change: (inout State) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let (result, actions, reports) = try state.withLock { state throws(Failure) in
      (try change(&state), state.machine.takeActions(), state.reports)
    }
    for action in actions { perform(action, reports) }
    return result
  }

  private func perform(_ action: Machine.Action, _ reports: Reports?) {
    switch action {
    case .startServices(let turn):
      // A worker may have added the service, which is not a part of that work.
      Task { await LaunchContext.$current.withValue([]) { await self.startServices(turn) } }
    case .stop(let handle): handle.signal.raise()
    case .cancel(let handle): handle.cancel()
    case .arm(let id, let limit, let duration):
      alarms.set(.limit(of: id), limit, at: alarms.elapsed + duration) {
        self.send { $0.timedOut(id, limit) }
      }
    case .disarm(let id, let limit): alarms.remove(.limit(of: id), upTo: limit)
    case .drop: break
    case .report(let name, let error): reports?.onError(name, error)
    case .say(let message): reports?.onMessage(message)
    case .watch(let transition, let number):
      alarms.remove(.waitReport(number - 1), upTo: .start)
      guard let transition, watchesStart || transition != .start else { break }
      reportWait(number, since: alarms.elapsed, next: .seconds(5))
    case .forceStop: reports?.onForcedStop()
    case .leaveLaunch: reports?.onLeaveLaunch()
    case .announce: milestones.ring()
    }
  }

  /// Enters one service after the other, each when the previous one has suspended, returned or was passed
  /// over.
  ///
  /// On no actor, because only there does a task enter the service without a hop.
  @concurrent
  private func startServices(_ turn: Int) async {
    let passing = Task { await self.passOver(turn) }
    var previous: Machine.ID?
    while let (id, handle) = send({ $0.takeStart(after: previous, in: turn) }) {
      enter(handle, id)
      previous = id
    }
    passing.cancel()
  }

  /// Passes over a service that computes for too long, so that services which do not depend on it can start.
  ///
  /// Services are entered in registration order, so each delays the next one only for a limited time.
  /// Computation takes real time, regardless of the clock of the limits.
  nonisolated(nonsending) private func passOver(_ turn: Int) async {
    var entering: Machine.ID?
    repeat {
      do { try await Task.sleep(for: .milliseconds(500)) } catch { return }
      entering = send { $0.passOver(entering, in: turn) }
    } while entering != nil
  }

  /// Uses an unstructured task, because the runner must be able to leave a service behind.
  private func enter(_ handle: ServiceHandle, _ id: Machine.ID) {
    let task: Task<Void, Never>
    if #available(macOS 26.0, iOS 26.0, tvOS 26.0, watchOS 26.0, visionOS 26.0, *) {
      task = Task.immediate { await self.run(handle, id) }
    } else {
      task = Task { await self.run(handle, id) }
    }
    handle.adopt(task)
  }

  nonisolated(nonsending) private func run(_ handle: ServiceHandle, _ id: Machine.ID) async {
    let failure = await enterBody(of: handle, id)
    await handle.signal.close()
    send { $0.ended(id, failure) }
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
      try await body(ServiceContext(handle, id, of: self))
      return nil
    } catch {
      return error
    }
  }

  /// Reports what a transition waits for at the given time, and every ten seconds after it.
  private func reportWait(_ number: Int, since start: Duration, next: Duration) {
    alarms.set(.waitReport(number), .start, at: start + next) {
      var waited = next
      // Of several times that have passed, report only the last.
      let elapsed = self.alarms.elapsed - start
      while waited + .seconds(10) <= elapsed { waited += .seconds(10) }
      if self.reportWait(number, lasting: waited) {
        self.reportWait(number, since: start, next: waited + .seconds(10))
      }
    }
  }

  /// Reports what a transition waits for.
  ///
  /// - Returns: `false` if the transition is no longer in progress.
  private func reportWait(_ number: Int, lasting waited: Duration) -> Bool {
    let (transition, services, reports) = state.withLock { state in
      let isCurrent = state.machine.transitionNumber == number
      return (
        isCurrent ? state.machine.transition : nil, isCurrent ? state.machine.waitedFor : [],
        state.reports
      )
    }
    guard let transition, let reports else { return false }
    let names = services.map { "service \"\($0)\"" } + reports.others()
    if !names.isEmpty {
      let goal = transition == .start ? "start" : "stop"
      reports.onMessage(
        "waiting for \(names.joined(separator: ", ")) to \(goal), for \(waited.shortText) now"
      )
    }
    return true
  }
}

/// A registered service with its shutdown signal and its task.
///
/// Contexts keep their handle. A service may store its context, so the handle gives the body away when the
/// service is entered:
///
/// ```
/// task ──owns──► body ──► service ──► context ──► handle      (no way back: the end of the run releases all)
/// ```
///
/// ## Thread safety
///
/// Every member may be called from any thread. Tasks are cancelled, and bodies are released, outside the lock.
final class ServiceHandle: Sendable {
  typealias Body = @Sendable (ServiceContext) async throws -> Void

  private struct State {
    var body: Body?
    var task: Task<Void, Never>?
    var isCancelled = false
  }

  /// The signal that asks the service to stop.
  let signal = ShutdownSignal()
  private let state: Locked<State>

  init(_ body: @escaping Body) { state = Locked(State(body: body)) }

  /// Takes the body of the service, for its only run.
  func takeBody() -> Body? { state.withLock { $0.body.take() } }

  /// Stores the task of the service, and cancels it if the service was already cancelled.
  func adopt(_ task: Task<Void, Never>) {
    let isCancelled = state.withLock { state in
      state.task = task
      return state.isCancelled
    }
    if isCancelled { task.cancel() }
  }

  /// Cancels the task of the service and asks the service to stop.
  ///
  /// Cancellation handlers run in a separate task, because they may block.
  func cancel() {
    let task = state.withLock { state in
      state.isCancelled = true
      return state.task
    }
    Task {
      task?.cancel()
      signal.raise()
    }
  }
}
