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
    var onGoAhead: @Sendable () -> Void = {}
    /// Called when launch work is left behind.
    var onLeaveLaunch: @Sendable () -> Void = {}
    /// Returns the names of everything besides services that delays the start or the stop.
    var others: @Sendable () -> [String] = { [] }

    /// The callbacks for a group inside: only its services are reported.
    fileprivate var ofGroup: Reports {
      Reports(onError: onError, onMessage: onMessage)
    }
  }

  /// Not private because closures passed to ``send(_:)`` use it.
  struct State {
    fileprivate var machine: Machine
    fileprivate var reports: Reports?
    /// The transition in progress, as last seen by ``ServiceRunner/watch()``.
    fileprivate var wait: Machine.Wait?
    fileprivate var waitNumber = 0
    /// The number of the current task that enters services; each time a service is passed over, the next task
    /// takes over.
    fileprivate var entryTask = 0
    /// The service that is being entered.
    fileprivate var entering: Machine.ID?
    fileprivate var entryCount = 0

    /// Takes the next service to enter, unless a later task has taken over.
    fileprivate mutating func takeStart(
      after previous: Machine.ID?,
      in task: Int
    ) -> (start: (id: Machine.ID, handle: ServiceHandle)?, actions: [Machine.Action]) {
      guard entryTask == task else {
        return (nil, previous.map { machine.suspended($0) } ?? [])
      }
      let taking = machine.takeStart(after: previous)
      entering = taking.start?.id
      entryCount += 1
      return taking
    }

    /// Passes over the service being entered, if it has been since an earlier check.
    ///
    /// - Returns: The actions to perform, or `nil` if it is too early.
    fileprivate mutating func passOver(_ task: Int, since count: Int) -> [Machine.Action]? {
      guard entryTask == task, let id = entering else { return [] }
      if entryCount != count { return nil }
      entryTask += 1
      entering = nil
      return machine.passOver(id)
    }
  }

  private let state: Locked<State>
  private let alarms: ServiceAlarms
  private let news = Doorbell()

  /// Creates a runner without services.
  ///
  /// - Parameters:
  ///   - limits: The common time limits.
  ///   - clock: The clock that measures them.
  ///   - asksBeforeStopping: Whether no service stops before the machine receives permission.
  ///   - reports: The callbacks for errors and messages.
  init(
    limits: Machine.Limits,
    clock: any Clock<Duration>,
    asksBeforeStopping: Bool,
    reports: Reports? = nil
  ) {
    alarms = ServiceAlarms(clock)
    state = Locked(
      State(
        machine: Machine(limits: limits, asksBeforeStopping: asksBeforeStopping),
        reports: reports
      )
    )
  }

  /// A Boolean value that indicates whether the services are stopping or have stopped.
  var isStopping: Bool { state.withLock { $0.machine.isStopping } }

  /// Claims the run for the first caller.
  ///
  /// - Parameter group: If these services form a group, its name and the runner that it is a service of. Its
  ///   reports go to the callbacks of that runner, prefixed with the name of the group.
  /// - Returns: `true` if the caller must run the services.
  func claim(for group: (name: String, in: ServiceRunner)? = nil) -> Bool {
    let outer = group.map { group in
      let (path, reports) = group.in.state.withLock { ($0.machine.path, $0.reports) }
      return (path: path + group.name + "/", reports: reports?.ofGroup)
    }
    let actions: [Machine.Action]? = state.withLock { state in
      if state.machine.isClaimed { return nil }
      if let outer { state.reports = outer.reports }
      return state.machine.claim(under: outer?.path ?? "")
    }
    guard let actions else { return false }
    perform(actions)
    return true
  }

  /// Adds a service.
  func add(_ service: any Service, _ options: ServiceOptions) throws(ServiceError) {
    let handle = ServiceHandle(service)
    let name = service.name
    let actions = try state.withLock { state throws(ServiceError) in
      try state.machine.add(handle, name: name, options).actions
    }
    perform(actions)
  }

  /// Sends an event to the machine and performs the resulting actions.
  func send(_ event: (inout Machine) -> [Machine.Action]) {
    perform(state.withLock { event(&$0.machine) })
  }

  /// Waits for the next milestone, regardless of cancellation.
  func nextMilestone() async -> Machine.Milestone {
    while true {
      if let milestone = state.withLock({ $0.machine.takeMilestone() }) {
        // No timer may outlast the run.
        if case .over = milestone { watch() }
        return milestone
      }
      await news.wait()
    }
  }

  private func perform(_ actions: [Machine.Action]) {
    let reports = watch()
    for action in actions {
      switch action {
      case .startServices: Task { await self.startServices() }
      case .stop(let handle): handle.signal.raise()
      case .cancel(let handle): handle.cancel()
      case .arm(let id, let limit, let duration):
        alarms.set(.service(id), limit, after: duration) {
          self.send { $0.timedOut(id, limit) }
        }
      case .disarm(let id, let limit): alarms.remove(.service(id), upTo: limit)
      case .armAll(let limit, let duration):
        alarms.set(.all, limit, after: duration) { self.send { $0.timedOut(limit) } }
      case .drop: break
      case .report(let name, let error): reports?.onError(name, error)
      case .say(let message): reports?.onMessage(message)
      case .goAhead: reports?.onGoAhead()
      case .leaveLaunch: reports?.onLeaveLaunch()
      case .announce: news.ring()
      }
    }
  }

  /// Enters one service after the other, each when the previous one has suspended, returned or was passed
  /// over.
  ///
  /// On no actor, because only there does a task enter the service without a hop.
  @concurrent
  private func startServices() async {
    let task = state.withLock { state in
      state.entryTask += 1
      return state.entryTask
    }
    let passing = Task { await self.passOver(task) }
    var previous: Machine.ID?
    while true {
      let (start, actions) = state.withLock { $0.takeStart(after: previous, in: task) }
      perform(actions)
      guard let start else { break }
      enter(start.handle, start.id)
      previous = start.id
    }
    passing.cancel()
  }

  /// Passes over a service that computes for too long, so that services which do not depend on it can start.
  ///
  /// Services are entered in registration order, so each delays the next one only for a limited time.
  /// Computation takes real time, regardless of the clock of the limits.
  private func passOver(_ task: Int) async {
    var seen = -1
    while true {
      do { try await Task.sleep(for: .milliseconds(500)) } catch { return }
      let (count, actions) = state.withLock { ($0.entryCount, $0.passOver(task, since: seen)) }
      seen = count
      if let actions { return perform(actions) }
    }
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

  private func run(_ handle: ServiceHandle, _ id: Machine.ID) async {
    var failure: (any Error)?
    do {
      try await handle.service.run(ServiceContext(handle, id, of: self))
    } catch {
      failure = error
    }
    await handle.finish()
    send { $0.ended(id, failure) }
  }

  /// Updates the messages about long waits after a change, and closes the alarms after the run.
  ///
  /// - Returns: The callbacks for reports.
  @discardableResult
  private func watch() -> Reports? {
    let (number, isOver, isChanged, reports) = state.withLock { state in
      let wait = state.reports == nil ? nil : state.machine.wait
      let isChanged = wait != state.wait
      if isChanged {
        state.wait = wait
        state.waitNumber += 1
      }
      return (state.waitNumber, state.machine.isOver, isChanged, state.reports)
    }
    if isOver {
      alarms.close()
    } else if isChanged {
      beginWaitReports(number)
    }
    return reports
  }

  private func beginWaitReports(_ number: Int) {
    alarms.remove(.waitReport, upTo: .start)
    reportWait(number, since: alarms.elapsed, next: .seconds(5))
  }

  /// Reports what is being waited for at the given time, and every ten seconds after it.
  private func reportWait(_ number: Int, since start: Duration, next: Duration) {
    let isWaiting = state.withLock { $0.waitNumber == number && $0.wait != nil }
    if !isWaiting { return }
    alarms.set(.waitReport, .start, after: start + next - alarms.elapsed) {
      var waited = next
      // Of several times that have passed, report only the last.
      let elapsed = self.alarms.elapsed - start
      while waited + .seconds(10) <= elapsed { waited += .seconds(10) }
      self.reportWait(number, lasting: waited)
      self.reportWait(number, since: start, next: waited + .seconds(10))
    }
  }

  private func reportWait(_ number: Int, lasting waited: Duration) {
    let (wait, services, reports) = state.withLock { state in
      let isCurrent = state.waitNumber == number
      return (
        isCurrent ? state.wait : nil, isCurrent ? state.machine.waitedFor : [], state.reports
      )
    }
    guard let wait, let reports else { return }
    let names = services.map { "service \"\($0)\"" } + reports.others()
    if names.isEmpty { return }
    let goal = wait == .start ? "start" : "stop"
    reports.onMessage(
      "waiting for \(names.joined(separator: ", ")) to \(goal), for \(waited.shortText) now"
    )
  }
}
