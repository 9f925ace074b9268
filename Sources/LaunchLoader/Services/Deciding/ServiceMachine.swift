internal import EventBus

/// The state machine that decides which services start, stop, start again, are cancelled or abandoned, and when the run
/// is over.
///
///     collecting ──claim──▶ launching ──begin──▶ running
///          └──(requested)───────┴──────────────────┤ shutdown, cancel, the end of a service
///                                                   ▼
///                     announced ──▶ stopping ──▶ cancelling ──last one ended──▶ over
///
/// A request to stop announces ``Action/stopping``, and from then on no service starts. A run skips the stages
/// that it does not need: `announced` if nothing follows the announcement, `stopping` if all services are
/// cancelled at once, and `cancelling` if all end in order.
///
/// A plain value that takes no lock, runs no service and reads no clock. Before each event the caller sets the time with
/// ``advance(to:)``; after it, under the same lock, it takes the actions with ``takeActions()``. Actions are performed
/// in order.
///
/// All limits are deadlines: a service has at most one, that of its state, and the run has one. ``nextDeadline()`` is the
/// earliest, and ``timePassed()`` the only event that time causes.
package struct ServiceMachine: Sendable {
  /// The identifier of a service; never reused.
  package typealias ID = Int

  /// An error, and the service that threw it; `nil` if the error did not come from a service.
  package typealias Failure = (service: String?, error: any Error)

  /// An action for the caller to perform.
  package enum Action: Sendable {
    /// Create a task that reports ``entered(_:attempt:)``, runs the service, and reports ``ended(_:attempt:_:isProgramStopping:)``.
    case start(ID, attempt: Int)
    /// Ask this service to stop.
    case stop(ID)
    /// Cancel this service, and ask it to stop: before, if it is not too late to be asked in order, or right after.
    case cancel(ID, stopsFirst: Bool)
    /// Abandon the groups that this service runs, and report their errors with ``abandoned(_:_:)``.
    case abandon(ID)
    /// Release this service, whose last attempt has ended or which never started.
    case drop(ID)
    /// Report that a transition has lasted for some time, and waits for these services.
    case delayed(ServiceTransition, Duration, [(id: ID, name: String)])
    /// Pass a report on.
    case report(Report)
    /// All services present have started, and those with `reportsReadiness` are ready.
    case started
    /// The services are about to stop; no further service starts. Answered with ``permitStop()`` if the machine asks
    /// before it stops.
    case stopping
    /// Abandon the handlers and methods that follow the announcement, or belong to the launch.
    case abandonHandlers
    /// Stop waiting for the launch work, which did not end after it was cancelled.
    case abandonLaunch
    /// All services have ended or were abandoned.
    case over
  }

  /// What is reported about services.
  package enum Report: Sendable {
    /// A message for the user of the program.
    case message(AppHostMessage)
    /// A service has entered a state.
    case changed(AppServiceStateChange)
  }

  /// A request to end the run; a later one overrules earlier ones.
  enum Request: Sendable, Comparable {
    /// Services stop in order.
    case stop
    /// All services are cancelled at once.
    case cancel

    /// Returns whether the request changes anything after a former one.
    func overrules(_ former: Request?) -> Bool { former.map { $0 < self } ?? true }
  }

  /// The stage of the run, with the data that exists in that stage.
  enum Stage: Sendable {
    /// Services are added. A request is carried out when the run begins.
    case collecting(Request?)
    /// The run is claimed, and its launch work runs; services are added as before.
    case launching(Request?)
    /// Services start and run. Others may be added.
    case running
    /// The stop was announced, and must not begin yet.
    case announced(Request)
    /// Services stop, one layer after the other: those whose turn has not come, in the order of their turns.
    case stopping(ArraySlice<ID>)
    /// All services were cancelled.
    case cancelling
    /// All services have ended or were abandoned.
    case over
  }

  /// A time at which a service or, with `nil`, the run has reached its limit.
  struct Deadline: HeapElement, Sendable {
    let time: Duration
    /// The number of deadlines set before, which decides among equal ones.
    let number: Int
    let service: ID?

    func precedes(_ other: Deadline) -> Bool { (time, number) < (other.time, other.number) }
  }

  /// The prefix of service names in messages: the names of the enclosing groups, each followed by a slash.
  package internal(set) var path = ""
  /// The time of the current event.
  private(set) var now = Duration.zero
  /// True if state changes are reported.
  ///
  /// The caller sets it before each event, under the same lock.
  package var reportsChanges = true
  package private(set) var stopTimeout: Duration?
  package private(set) var cancelTimeout: Duration?
  let endsWhenEmpty: Bool
  var stage = Stage.collecting(nil)
  /// True if a stop must wait for ``permitStop()``.
  ///
  /// Not a part of the stage, because the permission may come before the request.
  var needsPermission: Bool

  /// The services of the run.
  var table = ServiceTable()
  /// True if no service names another; each comes after the previous one.
  var isChain = true
  /// The number of services whose dependants may not start yet.
  var unstarted = 0
  /// True if ``Action/started`` was announced.
  var hasStarted = false
  /// The number of services that were asked to stop or cancelled and have not ended.
  var ending = 0
  /// The services that were cancelled because they missed their start, and have not ended.
  var late: Set<ID> = []
  /// The services that are abandoned once the errors of their groups are known, by identifier.
  var leaving: [ID: ServiceRecord] = [:]
  var failures: [Failure] = []
  var ignored: [Failure] = []
  /// True if the run has ended with the cancellation of all services.
  package var wasCancelled = false

  private var deadlines = Heap<Deadline>()
  private var deadlineCount = 0
  private var runDeadline: Duration?
  /// The transition in progress, the time at which it began, and the time of the next report about it.
  private var watched: (transition: ServiceTransition, since: Duration, next: Duration)?
  var actions: [Action] = []

  /// Creates a state machine without services.
  ///
  /// - Parameters:
  ///   - stopTimeout: The time for an orderly stop of the services, from its beginning, before all of them are cancelled;
  ///     `nil` means no limit.
  ///   - cancelTimeout: The time in which cancelled services must end, and in which ``permitStop()`` must be called;
  ///     `nil` means no limit for services, and `stopTimeout` for the permission.
  ///   - asksBeforeStopping: Whether no service stops before ``permitStop()`` is called.
  ///   - endsWhenEmpty: Whether a run that begins without services ends immediately.
  package init(
    stopTimeout: Duration? = nil,
    cancelTimeout: Duration? = nil,
    asksBeforeStopping: Bool = false,
    endsWhenEmpty: Bool = false
  ) {
    self.stopTimeout = stopTimeout
    self.cancelTimeout = cancelTimeout
    self.endsWhenEmpty = endsWhenEmpty
    needsPermission = asksBeforeStopping
  }

  // MARK: The run

  /// True if a stop or a cancellation was requested, permitted or not.
  package var isStopRequested: Bool {
    switch stage {
    case .collecting(nil), .launching(nil), .running: false
    case .collecting, .launching, .announced, .stopping, .cancelling, .over: true
    }
  }

  /// True if services may start, or could have.
  var hasBegun: Bool {
    switch stage {
    case .collecting, .launching: false
    case .running, .announced, .stopping, .cancelling, .over: true
    }
  }

  /// True if the run is not claimed.
  package var isCollecting: Bool { if case .collecting = stage { true } else { false } }

  /// True if the run is over.
  package var isOver: Bool { if case .over = stage { true } else { false } }

  /// The transition in progress; `nil` before the run is claimed, between the two, and after the run.
  package var transition: ServiceTransition? {
    switch stage {
    case .launching(nil): .start
    case .running: hasStarted ? nil : .start
    case .launching, .announced, .stopping, .cancelling: .stop
    case .collecting, .over: nil
    }
  }

  /// The failures of the run so far: the cause first, ignored errors last; none after success.
  package var outcome: [Failure] { failures.isEmpty ? [] : failures + ignored }

  /// Claims the run before its launch work, which belongs to the run.
  ///
  /// If a stop was requested earlier, its time limits start now.
  ///
  /// - Parameters:
  ///   - path: The prefix of service names in messages and reports.
  ///   - stopTimeout: The time for an orderly stop, unless one is set.
  ///   - cancelTimeout: The time in which cancelled services must end, unless one is set.
  /// - Returns: `true` for the first caller.
  package mutating func claim(
    under path: String = "",
    stopTimeout: Duration? = nil,
    cancelTimeout: Duration? = nil
  ) -> Bool {
    guard case .collecting(let request) = stage else { return false }
    self.path = path
    self.stopTimeout = self.stopTimeout ?? stopTimeout
    self.cancelTimeout = self.cancelTimeout ?? cancelTimeout
    stage = .launching(request)
    if let request { limitLaunch(after: request) }
    return true
  }

  // MARK: Time

  /// Sets the time of the following events, which does not go back.
  package mutating func advance(to time: Duration) { now = max(now, time) }

  /// Returns the earliest deadline; `nil` if there is none.
  ///
  /// - Complexity: Amortized O(log *n*) in the number of services.
  package mutating func nextDeadline() -> Duration? {
    while let first = deadlines.first, !isCurrent(first) { _ = deadlines.popFirst() }
    guard let report = watched?.next else { return deadlines.first?.time }
    return min(report, deadlines.first?.time ?? report)
  }

  /// Handles the deadlines that have passed, in their order.
  package mutating func timePassed() {
    while let next = nextDeadline(), next <= now, next < .longest {
      // Of two at the same time the report comes first: what exceeds its limit is still named.
      if watched?.next == next {
        reportDelay()
      } else if let due = deadlines.popFirst() {
        if let id = due.service { passed(id) } else { runLimitPassed() }
      }
    }
  }

  private func isCurrent(_ deadline: Deadline) -> Bool {
    guard let id = deadline.service else { return runDeadline == deadline.time }
    return table.index(of: id).map { table[$0].deadline == deadline.time } ?? false
  }

  /// Sets the limit of the run, or removes it.
  mutating func setRunDeadline(in limit: Duration?) {
    runDeadline = limit.map { now.adding($0) }
    if let runDeadline { addDeadline(at: runDeadline, of: nil) }
  }

  private mutating func addDeadline(at time: Duration, of service: ID?) {
    deadlines.insert(Deadline(time: time, number: deadlineCount, service: service))
    deadlineCount += 1
  }

  /// True if the stage of the run has a limit.
  package var hasLimit: Bool { runDeadline != nil }

  /// Records that the run has reached its limit.
  mutating func takeRunDeadline() { runDeadline = nil }

  /// The times of messages about a transition, after five seconds and then every ten seconds.
  private mutating func reportDelay() {
    guard let (transition, since, next) = watched else { return }
    // Of several times that have passed, only the last is reported.
    let missed = min(now - next, .seconds(1 << 40)).components.seconds / 10
    let due = next + .seconds(10 * missed)
    watched = (transition, since, due.adding(.seconds(10)))
    actions.append(.delayed(transition, due - since, waitedFor))
  }

  // MARK: Reports and actions

  /// Takes the actions that follow from the events so far.
  package mutating func takeActions() -> [Action] {
    defer { actions = [] }
    return actions
  }

  /// Begins to watch the transition in progress; to be called after each event.
  package mutating func endEvent() {
    checkInvariants(ofSize: table.count, _checkInvariants())
    if transition == watched?.transition { return }
    watched = transition.map { ($0, now, now.adding(.seconds(5))) }
  }

  /// Enters a state.
  ///
  /// - Parameters:
  ///   - state: The new state.
  ///   - index: The index of the service.
  ///   - limit: The time until the deadline of the state; `nil` means that it has none.
  ///   - error: The error that the change is reported with.
  mutating func enter(
    _ state: AppServiceState,
    _ index: Int,
    limit: Duration? = nil,
    because error: (any Error)? = nil
  ) {
    let (former, since, wasEnding) = (table[index].state, table[index].since, table[index].isEnding)
    table[index].state = state
    table[index].since = now
    table[index].deadline = limit.map { now.adding($0) }
    if let time = table[index].deadline { addDeadline(at: time, of: table[index].id) }
    if table[index].isEnding != wasEnding { ending += wasEnding ? -1 : 1 }
    if !reportsChanges { return }
    let change = AppServiceStateChange(
      service: fullName(table[index].name),
      state: state,
      previous: former,
      elapsed: former == nil ? .zero : now - since,
      attempt: table[index].attempt,
      error: error
    )
    actions.append(.report(.changed(change)))
  }

  /// Sends a message about a service to the user of the program.
  mutating func say(
    _ text: String,
    of name: String,
    _ state: AppServiceState? = nil,
    _ elapsed: Duration? = nil,
    because error: (any Error)? = nil
  ) {
    let message = AppHostMessage(
      text,
      services: [name],
      state: state,
      error: error,
      elapsed: elapsed
    )
    actions.append(.report(.message(message)))
  }

  /// Returns the name of a service for messages and reports.
  func fullName(_ name: String) -> String { path.isEmpty ? name : path + name }

  /// Returns the name of a service, unless it has ended.
  package func name(of id: ID) -> String? { table.index(of: id).map { table[$0].name } }

  /// Returns whether the options of a service say that it may start again.
  package func mayRestart(_ id: ID) -> Bool {
    guard let options = table.index(of: id).map({ table[$0].options }) else { return false }
    if case .restart = options.onThrow { return true }
    if case .restart = options.onReturn { return true }
    return false
  }
}

extension Duration {
  /// The longest duration: a limit of that length never expires.
  static var longest: Duration { Duration(attoseconds: .max) }
}
