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
/// ``advance(to:)``; after it, under the same lock, it takes the reports with ``takeReports()`` and the actions with
/// ``takeActions()``. Actions are performed in order.
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
    /// Report what the transition in progress, which has lasted for this time, waits for.
    case delayed(ServiceTransition, Duration)
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

  /// What the caller passes on under the lock of the machine, so that reports are in order.
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

  /// The progress of the run, and what exists only meanwhile.
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
  /// Indicates that changes of state are reported.
  ///
  /// The caller sets it before each event, under the same lock.
  package var reportsChanges = true
  package private(set) var stopTimeout: Duration?
  package private(set) var cancelTimeout: Duration?
  let endsWhenEmpty: Bool
  var stage = Stage.collecting(nil)
  /// Indicates that a stop must wait for ``permitStop()``.
  ///
  /// Not a part of the stage, because the permission may come before the request.
  var needsPermission: Bool

  /// The services of the run.
  var table = ServiceTable()
  /// Indicates that no service names another; each comes after the previous one.
  var isChain = true
  /// The number of services whose dependants may not start yet.
  var unstarted = 0
  /// Indicates that ``Action/started`` was announced.
  var hasStarted = false
  /// The number of services that were asked to stop or cancelled and have not ended.
  var ending = 0
  /// The services that are abandoned once the errors of their groups are known, by identifier.
  var leaving: [ID: ServiceRecord] = [:]
  var failures: [Failure] = []
  var ignored: [Failure] = []
  /// A Boolean value that indicates whether the run has ended with the cancellation of all services.
  package var wasCancelled = false

  private var deadlines = Heap<Deadline>()
  private var deadlineCount = 0
  private var runDeadline: Duration?
  /// The transition in progress, the time at which it began, and the time of the next report about it.
  private var watched: (transition: ServiceTransition, since: Duration, next: Duration)?
  var actions: [Action] = []
  private var reports: [Report] = []

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

  /// A Boolean value that indicates whether a stop or a cancellation was requested, permitted or not.
  package var isStopRequested: Bool {
    switch stage {
    case .collecting(nil), .launching(nil), .running: false
    case .collecting, .launching, .announced, .stopping, .cancelling, .over: true
    }
  }

  /// A Boolean value that indicates whether services may start, or could have.
  var hasBegun: Bool {
    switch stage {
    case .collecting, .launching: false
    case .running, .announced, .stopping, .cancelling, .over: true
    }
  }

  /// A Boolean value that indicates whether the run is not claimed.
  package var isCollecting: Bool { if case .collecting = stage { true } else { false } }

  /// A Boolean value that indicates whether the run is over.
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

  /// Starts the run: services without dependencies may start.
  ///
  /// An impossible order makes the run fail immediately.
  ///
  /// - Complexity: O(*n* log *n* + *e*) in the number of services and edges.
  package mutating func begin() {
    _ = claim()
    guard case .launching(let request) = stage else { return }
    stage = .running
    unstarted = table.count
    if let request { return announceStop(request) }
    do throws(AppServiceError) {
      for id in try startOrder() { link(id) }
    } catch {
      return fail(error)
    }
    for id in table.ids() { startIfFree(id) }
    announceIfStarted()
    if endsWhenEmpty && table.count == 0 { shutdown() }
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

  /// Carries out what the deadlines that have passed mean, in their order.
  package mutating func timePassed() {
    while let next = nextDeadline(), next <= now {
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

  /// A Boolean value that indicates whether the stage of the run has a limit.
  package var hasLimit: Bool { runDeadline != nil }

  /// Records that the run has reached its limit.
  mutating func takeRunDeadline() { runDeadline = nil }

  /// The times of messages about a transition, after five seconds and then every ten seconds.
  private mutating func reportDelay() {
    guard let (transition, since, next) = watched else { return }
    // Of several times that have passed, only the last is reported.
    let missed = (now - next).components.seconds / 10
    let due = next + .seconds(10 * missed)
    watched = (transition, since, due + .seconds(10))
    actions.append(.delayed(transition, due - since))
  }

  // MARK: Reports and actions

  /// Takes the reports that follow from the event.
  package mutating func takeReports() -> [Report] {
    defer { reports = [] }
    return reports
  }

  /// Takes the actions that follow from the events so far.
  package mutating func takeActions() -> [Action] {
    defer { actions = [] }
    return actions
  }

  /// Begins to watch the transition in progress; to be called after each event.
  package mutating func endEvent() {
    checkInvariants(ofSize: table.count, _checkInvariants())
    if transition == watched?.transition { return }
    watched = transition.map { ($0, now, now + .seconds(5)) }
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
    reports.append(.changed(change))
  }

  /// Says something about a service to the user of the program.
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
    reports.append(.message(message))
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

  // MARK: What a run waits for

  /// The services that delay the transition in progress, with their names in messages, in registration order.
  ///
  /// - Complexity: O(*n*) in the number of services.
  var waitedFor: [(id: ID, name: String)] {
    table.living.filter(isWaitedFor).map { ($0.id, fullName($0.name)) }
  }

  private func isWaitedFor(_ record: ServiceRecord) -> Bool {
    if record.isEnding { return true }
    return transition == .start && !record.isSatisfied && (record.isRunning || record.state == .pausing)
  }

  /// The services that have not ended, in registration order.
  ///
  /// - Complexity: O(*n* + *e*) in the number of services and of the names in their options.
  package var statuses: [AppServiceStatus] {
    let living = table.living
    let isChain = isChain && living.allSatisfy { $0.options.after.isEmpty }
    var former: ServiceRecord?
    return living.map { record in
      defer { former = record }
      var dependencies = record.options.after
      if isChain, let former, former.id == record.id - 1 { dependencies = [former.name] }
      return AppServiceStatus(
        name: fullName(record.name),
        state: record.state,
        dependencies: dependencies.map { fullName($0) },
        isWaitedFor: isWaitedFor(record),
        attempt: record.attempt
      )
    }
  }

  /// A Boolean value that indicates whether the run has started, and every service is ready.
  ///
  /// - Complexity: O(*n*) in the number of services.
  package var isReady: Bool {
    guard case .running = stage, hasStarted else { return false }
    return table.records.indices.allSatisfy { !table[$0].isLiving || table[$0].state == .ready }
  }

  /// Stops the program if the state is inconsistent.
  ///
  /// - Complexity: O(*n*²) in the number of services.
  package func _checkInvariants() {
    table._checkInvariants()
    let living = table.living
    assert(ending == living.count(where: \.isEnding), "ending services are miscounted")
    assert(
      isStopRequested || leaving.isEmpty && living.allSatisfy { !$0.isEnding || $0.missedStart },
      "a service ends or is abandoned without a request"
    )
    switch stage {
    case .collecting, .launching:
      assert(living.allSatisfy { $0.state == nil }, "services start before the run")
    case .running:
      assert(unstarted == living.count { !$0.isSatisfied }, "the services that have not started are miscounted")
      assert(hasStarted || unstarted > 0, "the start goes unreported")
      let waiting = living.filter { !$0.isSatisfied }.flatMap(\.dependants)
      assert(
        living.allSatisfy { record in record.blockers == waiting.count { $0 == record.id } },
        "the dependencies of a service are miscounted"
      )
      assert(
        living.allSatisfy { ($0.state == nil) == ($0.blockers > 0) },
        "a service that may start does not, or one that may not does"
      )
    case .announced:
      assert(needsPermission, "the stop waits for nothing")
      assert(living.allSatisfy(\.hasTask), "a service without a task outlasts the announcement")
    case .stopping, .cancelling:
      assert(!needsPermission, "services stop without permission")
      assert(living.allSatisfy(\.hasTask), "a service without a task outlasts the announcement")
    case .over:
      assert(table.count == 0 && leaving.isEmpty, "a service outlasts the run")
    }
  }
}

/// The start of services.
extension ServiceMachine {
  /// Adds a service.
  ///
  /// During the run, the service starts as soon as its order permits.
  ///
  /// - Parameters:
  ///   - name: Its name.
  ///   - isNumbered: Whether the name gets a number if it is taken.
  ///   - options: Its options.
  /// - Returns: The identifier of the service.
  /// - Throws: ``AppServiceError`` with the code `stopped`, `duplicate`, or, during the run, `unknown` or
  ///   `cycle`.
  /// - Complexity: O(1), and O(log *n*) during the run.
  package mutating func add(
    _ name: String,
    isNumbered: Bool = false,
    _ options: AppServiceOptions
  ) throws(AppServiceError) -> ID {
    if isStopRequested { throw AppServiceError(.stopped(name)) }
    let name = isNumbered ? table.freeName(name) : name
    if hasBegun {
      guard table.id(of: name) == nil else { throw AppServiceError(.duplicate(name)) }
      if options.after.contains(name) { throw AppServiceError(.cycle([name, name])) }
      _ = try dependencies(of: name, options)
    }
    guard let id = table.append(name, options) else { throw AppServiceError(.duplicate(name)) }
    if hasBegun {
      unstarted += 1
      link(id)
      startIfFree(id)
    }
    return id
  }

  /// Records that the task of a service runs, and is about to enter its `run`.
  package mutating func entered(_ id: ID, attempt: Int) {
    guard let index = table.index(of: id, attempt: attempt), !table[index].options.reportsReadiness
    else { return }
    becomeReady(index)
  }

  /// Records that a service is ready.
  package mutating func ready(_ id: ID, attempt: Int) {
    guard let index = table.index(of: id, attempt: attempt) else { return }
    becomeReady(index)
  }

  /// Records that a service is not ready for a while.
  package mutating func unready(_ id: ID, attempt: Int) {
    guard let index = table.index(of: id, attempt: attempt), table[index].state == .ready else {
      return
    }
    enter(.unready, index)
  }

  /// Records that a service has started and, if it reports that, is ready.
  mutating func becomeReady(_ index: Int) {
    if !table[index].isRunning || table[index].state == .ready { return }
    enter(.ready, index)
    satisfy(index)
  }

  /// Returns the services, each after those that it names.
  private mutating func startOrder() throws(AppServiceError) -> [ID] {
    isChain = table.records.allSatisfy { $0.options.after.isEmpty }
    let ids = Array(table.records.indices)
    if isChain { return ids }
    var graph = DependencyGraph()
    for record in table.records {
      graph.add(try dependencies(of: record.name, record.options)[...])
    }
    let order = graph.order(of: ids)
    if order.count < ids.count, let cycle = graph.cycles().first {
      throw AppServiceError(.cycle(cycle.path.map { table[$0].name }))
    }
    return order
  }

  /// Returns the services that a service names.
  private func dependencies(
    of name: String,
    _ options: AppServiceOptions
  ) throws(AppServiceError) -> [ID] {
    try options.after.map { other throws(AppServiceError) in
      if let id = table.id(of: other) { return id }
      let others = NameSuggestions(table.living.map(\.name).filter { $0 != name })
      let suggestion = others.nearest(to: other)
      throw AppServiceError(.unknown(other, neededBy: name), suggestion: suggestion)
    }
  }

  /// Assigns a service its layer and the dependencies that it waits for.
  private mutating func link(_ id: ID) {
    guard let index = table.index(of: id) else { return }
    var dependencies = table[index].options.after.compactMap { table.id(of: $0) }
    if isChain {
      dependencies.append(id - 1)
      // A service follows all others, which include those that have ended.
      table[index].layer = id
    }
    for dependency in dependencies {
      guard let other = table.index(of: dependency) else { continue }
      table[index].layer = max(table[index].layer, table[other].layer + 1)
      if table[other].isSatisfied { continue }
      table[index].blockers += 1
      table[other].dependants.append(id)
    }
  }

  private mutating func startIfFree(_ id: ID) {
    guard let index = table.index(of: id), table[index].state == nil, table[index].blockers == 0
    else { return }
    start(index)
  }

  /// Begins an attempt.
  mutating func start(_ index: Int) {
    let options = table[index].options
    table[index].attempt += 1
    table[index].began = now
    table[index].missedStart = false
    enter(.starting, index, limit: options.startTimeout)
    if options.startTimeout != nil, !options.reportsReadiness, table[index].attempt == 1 {
      let name = fullName(table[index].name)
      say(
        "service \"\(name)\" has a startTimeout without reportsReadiness, so it limits only the time until run is"
          + " entered: set reportsReadiness, and call markReady(), or remove the limit",
        of: name
      )
    }
    actions.append(.start(table[index].id, attempt: table[index].attempt))
  }

  /// Permits the dependants of a service to start, the first time that it has started or need not.
  mutating func satisfy(_ index: Int) {
    if table[index].isSatisfied { return }
    table[index].isSatisfied = true
    unstarted -= 1
    let dependants = table[index].dependants
    table[index].dependants = []
    if isStopRequested { return }
    for id in dependants {
      guard let index = table.index(of: id) else { continue }
      table[index].blockers -= 1
      startIfFree(id)
    }
    announceIfStarted()
  }

  private mutating func announceIfStarted() {
    guard case .running = stage, unstarted == 0, !hasStarted else { return }
    hasStarted = true
    actions.append(.started)
  }
}
