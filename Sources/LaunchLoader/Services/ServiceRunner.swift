internal import EventBus

/// Runs services: asks the rule, and does what it says.
///
/// Nothing waits inside it: whoever reports something also does what follows, on its own thread, and
/// neither code of a service nor a closure of its user is called there. Services are entered by a task
/// that does nothing else, one after the other.
///
/// ## Thread safety
///
/// Every member may be called from any thread; ``nextMilestone()`` by one task.
final class ServiceRunner: Sendable {
  typealias Machine = ServiceMachine<ServicePlace>

  /// What becomes of news that are not for the one who waits for the end.
  struct Reports: Sendable {
    /// Called with each error that a service throws, on the thread where it ended.
    let onError: @Sendable (_ service: String, any Error) -> Void
    /// Called with each message for the user who runs the program.
    let onMessage: @Sendable (String) -> Void
    /// Called when services are stopped before that was permitted.
    let onGoAhead: @Sendable () -> Void
    /// Called when launch work is to be left behind.
    let onLeaveLaunch: @Sendable () -> Void
    /// Names what holds up the start or the stop besides services.
    let others: @Sendable () -> [String]

    /// Those of a group inside: only its services are reported.
    fileprivate var ofGroup: Reports {
      Reports(
        onError: onError,
        onMessage: onMessage,
        onGoAhead: {},
        onLeaveLaunch: {},
        others: { [] }
      )
    }
  }

  /// Not private, for the closures of ``send(_:)``.
  struct State {
    fileprivate var machine: Machine
    fileprivate var reports: Reports?
    /// What is waited for, as far as those who wait know.
    fileprivate var wait: Machine.Wait?
    fileprivate var waitNumber = 0
    fileprivate var entry = Entry()

    /// Takes the next service to enter, unless another task does that by now.
    fileprivate mutating func takeStart(
      after previous: Machine.ID?,
      in lane: Int
    ) -> (start: (id: Machine.ID, handle: ServicePlace)?, actions: [Machine.Action]) {
      guard entry.lane == lane else {
        return (nil, previous.map { machine.suspended($0) } ?? [])
      }
      let taking = machine.takeStart(after: previous)
      entry.id = taking.start?.id
      entry.count += 1
      return taking
    }

    /// Passes over the service that is being entered if it has been so since an earlier look.
    ///
    /// - Returns: What is to be done; `nil` if it was too early.
    fileprivate mutating func passOver(_ lane: Int, since count: Int) -> [Machine.Action]? {
      guard entry.lane == lane, let id = entry.id else { return [] }
      if entry.count != count { return nil }
      entry.lane += 1
      entry.id = nil
      return machine.passOver(id)
    }
  }

  /// The service that is being entered.
  struct Entry {
    /// The number of the task that enters services; a higher one has passed it.
    var lane = 0
    var id: Machine.ID?
    var count = 0
  }

  private let state: Locked<State>
  private let alarms: ServiceAlarms
  private let news = Doorbell()

  /// Creates a runner without services.
  ///
  /// - Parameters:
  ///   - limits: How much time there is.
  ///   - clock: Measures that time.
  ///   - asksBeforeStopping: Whether nobody is stopped before the rule was given permission.
  ///   - reports: What becomes of errors and messages.
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

  /// Whether the services are to be stopped, or were.
  var isStopping: Bool { state.withLock { $0.machine.isStopping } }

  /// Claims the run; the first caller gets it.
  ///
  /// - Parameter group: If these services are a group: its name, and the runner that it is a service of. What
  ///   there is to report goes where the news of that runner go, under the name of the group.
  /// - Returns: Whether the caller runs the services.
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
    let place = ServicePlace(service)
    let name = service.name
    let actions = try state.withLock { state throws(ServiceError) in
      try state.machine.add(place, name: name, options).actions
    }
    perform(actions)
  }

  /// Reports to the rule what has happened, and does what follows.
  func send(_ event: (inout Machine) -> [Machine.Action]) {
    perform(state.withLock { event(&$0.machine) })
  }

  /// Waits for the next milestone, whoever is cancelled.
  func nextMilestone() async -> Machine.Milestone {
    while true {
      if let milestone = state.withLock({ $0.machine.takeMilestone() }) {
        // No timer outlasts the run.
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
      case .stop(let place): place.signal.raise()
      case .cancel(let place): place.cancel()
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

  /// Enters one service after the other, each when the one before has suspended, returned, or was passed.
  ///
  /// On no actor, because only there does a task begin with the service itself instead of with a hop.
  @concurrent
  private func startServices() async {
    let lane = state.withLock { state in
      state.entry.lane += 1
      return state.entry.lane
    }
    let passing = Task { await self.passOver(lane) }
    var previous: Machine.ID?
    while true {
      let (start, actions) = state.withLock { $0.takeStart(after: previous, in: lane) }
      perform(actions)
      guard let start else { break }
      enter(start.handle, start.id)
      previous = start.id
    }
    passing.cancel()
  }

  /// Passes over a service that computes, so that those can start that do not wait for it.
  ///
  /// The order in which services are entered is that of their registration, and so the next one is given
  /// only so much time to be first. Computing takes real time, whatever clock the limits are measured on.
  private func passOver(_ lane: Int) async {
    var seen = -1
    while true {
      do { try await Task.sleep(for: .milliseconds(500)) } catch { return }
      let (count, actions) = state.withLock { ($0.entry.count, $0.passOver(lane, since: seen)) }
      seen = count
      if let actions { return perform(actions) }
    }
  }

  /// Not a child task: whoever runs the services must be able to leave one behind.
  private func enter(_ place: ServicePlace, _ id: Machine.ID) {
    let task: Task<Void, Never>
    if #available(macOS 26.0, iOS 26.0, tvOS 26.0, watchOS 26.0, visionOS 26.0, *) {
      task = Task.immediate { await self.run(place, id) }
    } else {
      task = Task { await self.run(place, id) }
    }
    place.adopt(task)
  }

  private func run(_ place: ServicePlace, _ id: Machine.ID) async {
    var failure: (any Error)?
    do {
      try await place.service.run(ServiceContext(place, id, of: self))
    } catch {
      failure = error
    }
    await place.finish()
    send { $0.ended(id, failure) }
  }

  /// Sees to it that those who wait learn whom they wait for; no alarm outlasts the run.
  ///
  /// - Returns: What becomes of news.
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
      beginPatience(number)
    }
    return reports
  }

  private func beginPatience(_ number: Int) {
    alarms.remove(.patience, upTo: .start)
    exercisePatience(number, since: alarms.elapsed, next: .seconds(5))
  }

  /// Says who is waited for when the next time has come, and so on every ten seconds.
  private func exercisePatience(_ number: Int, since start: Duration, next: Duration) {
    let isWaiting = state.withLock { $0.waitNumber == number && $0.wait != nil }
    if !isWaiting { return }
    alarms.set(.patience, .start, after: start + next - alarms.elapsed) {
      var waited = next
      // Of times that were slept through the last one counts.
      let elapsed = self.alarms.elapsed - start
      while waited + .seconds(10) <= elapsed { waited += .seconds(10) }
      self.sayWhoIsWaitedFor(number, waited)
      self.exercisePatience(number, since: start, next: waited + .seconds(10))
    }
  }

  private func sayWhoIsWaitedFor(_ number: Int, _ waited: Duration) {
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
