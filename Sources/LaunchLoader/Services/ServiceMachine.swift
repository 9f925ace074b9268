internal import EventBus

/// The state machine that decides which services start, stop or are cancelled, and when the run is over.
///
///     collecting ──begin──▶ starting ──all have started──▶ running
///         │                     └────────────┬────────────────┘
///         └─(when it begins)─▶ shutdown, cancel, an ending ──▶ stopping ──last one ended──▶ over
///
/// A plain value that takes no lock, runs no service and reads no clock. After each event, the caller takes
/// the resulting actions with ``takeActions()`` under the same lock, and performs them after unlocking, in
/// any order relative to those of other events.
///
/// Handles represent the services. Removed handles are part of the actions, so that the caller releases them
/// outside its lock.
package struct ServiceMachine<Handle: Sendable>: Sendable {
  /// The identifier of a service; never reused.
  package typealias ID = Int

  /// An error, and the service that threw it; `nil` if the error did not come from a service.
  package typealias Failure = (service: String?, error: any Error)

  /// A transition of services, which may have a time limit; later ones overrule earlier ones.
  package enum Transition: Sendable, Hashable, Comparable {
    /// To start, or to become ready.
    case start
    /// To end after the request to stop.
    case stop
    /// To end after the cancellation.
    case cancel
  }

  /// An action for the caller to perform.
  package enum Action: Sendable {
    /// Take services to start, with ``takeStart(after:in:)``, until there is none.
    case startServices(turn: Int)
    /// Ask this service to stop.
    case stop(Handle)
    /// Cancel this service, and ask it to stop if it was not asked yet.
    case cancel(Handle)
    /// Report ``timedOut(_:_:)`` after this time, unless this service, or with `nil` every service, has
    /// ended.
    case arm(ID?, Transition, Duration)
    /// Remove the limit of this service, unless it is that of a later transition than the given one.
    case disarm(ID, Transition)
    /// Release these services, which never started.
    case drop([Handle])
    /// Report an error that a service threw.
    case report(name: String, any Error)
    /// Report that a service has entered a state.
    case changed(AppServiceStateChange)
    /// Print a message for the user of the program.
    case say(AppHostMessage)
    /// Report for as long as this transition lasts what it waits for; the number is ``transitionNumber``.
    case watch(Transition?, number: Int)
    /// Stop waiting for the permission to stop, because the services are cancelled without it.
    case forceStop
    /// Stop waiting for the launch work, which did not end after it was cancelled.
    case leaveLaunch
    /// Leave behind the groups that this service runs, and report their errors with ``left(_:_:)``.
    case leaveGroups(of: ID)
    /// Take the next milestone.
    case announce

    /// A Boolean value that indicates whether the action only reports something.
    var isReport: Bool {
      switch self {
      case .report, .changed, .say: true
      default: false
      }
    }
  }

  /// A step that the runner waits for.
  ///
  /// Each occurs at most once, in this order.
  package enum Milestone: Sendable {
    /// All services present have started, and those with `waitsForReady` are ready.
    case started
    /// The services are about to stop; no further service starts.
    case stopping
    /// All services have ended or were left behind. The failures are in order: the cause first, ignored
    /// errors last; there are none after success.
    case over([Failure], isCancelled: Bool)
  }

  enum Stage: Comparable {
    case collecting, starting, running, stopping, over
  }

  /// The prefix of service names in messages: the names of the enclosing groups, each followed by a slash.
  package internal(set) var path = ""
  /// The time of the current event, which the caller sets before it: the machine reads no clock.
  package var time = Duration.zero
  private(set) var stopTimeout: Duration?
  private(set) var cancelTimeout: Duration?
  private let endsWhenEmpty: Bool
  var stage = Stage.collecting
  /// The requested transition: `stop`, `cancel`, or `nil`.
  var requested: Transition?
  var mayStop: Bool
  var hasPassedDeadline = false
  var isClaimed = false

  /// The services, with ascending identifiers.
  ///
  /// Those that have ended are removed when they outnumber the others.
  var records: [ServiceRecord] = []
  /// The handle of each record; `nil` once the service has ended.
  var handles: [Handle?] = []
  /// The number of services that have not ended.
  private(set) var count = 0
  private var nextID = 0
  /// The identifiers by name, also of services that have ended and are still in `records`.
  private(set) var names: [String: ID] = [:]
  /// The next numbers of names that several services have.
  private var numbers: [String: Int] = [:]
  /// Indicates that no service names another; each comes after the previous one.
  var isChain = true
  /// The number of services whose dependants may not start yet; not maintained after a request to stop.
  var unsatisfied = 0

  /// The services that may start now; the one that was added first starts first.
  var startable = Heap<ID>()
  /// The number of the last turn of taking services to start.
  var turn = 0
  /// Indicates that the turn is in progress.
  var isStarting = false
  /// The service that was taken last in this turn.
  var entering: ID?

  /// The services in the order in which they are asked to stop.
  var stopOrder: [ID] = []
  /// The number of services in `stopOrder` whose turn has come.
  var stopped = 0
  /// The number of services that were asked to stop or cancelled and have not ended.
  var ending = 0
  /// The services that are left behind once their groups have reported their errors, by identifier.
  var leaving: [ID: ServiceRecord] = [:]
  var failures: [Failure] = []
  var ignored: [Failure] = []

  private var milestones: [Milestone] = []
  var actions: [Action] = []
  private var watched: Transition?
  /// The number of transitions that have begun or ended.
  package private(set) var transitionNumber = 0

  /// Creates a state machine without services.
  ///
  /// - Parameters:
  ///   - stopTimeout: The time for an orderly stop, from the request, before all services are cancelled;
  ///     `nil` means no limit.
  ///   - cancelTimeout: The time in which cancelled services must end; `nil` means no limit.
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
    mayStop = !asksBeforeStopping
  }

  /// Sets the limits that are not set, before the run is claimed.
  package mutating func inherit(stopTimeout: Duration?, cancelTimeout: Duration?) {
    self.stopTimeout = self.stopTimeout ?? stopTimeout
    self.cancelTimeout = self.cancelTimeout ?? cancelTimeout
  }

  /// A Boolean value that indicates whether the services are stopping or have stopped.
  package var isStopping: Bool { requested != nil }

  /// A Boolean value that indicates whether the run is over.
  package var isOver: Bool { stage == .over }

  /// The transition in progress, `start` or `stop`; `nil` before the run is claimed, between the two, and
  /// after the run.
  package var transition: Transition? {
    if !isClaimed || stage == .over { return nil }
    if requested != nil { return .stop }
    return stage < .running ? .start : nil
  }

  /// The failures of the run, once it is over: the cause first, ignored errors last; none after success.
  package var outcome: [Failure]? {
    if stage != .over { return nil }
    return failures.isEmpty ? [] : failures + ignored
  }

  /// The services that delay the transition in progress, with their names in messages, in registration order.
  ///
  /// - Complexity: O(*n*) in the number of services.
  package var waitedFor: [(id: ID, name: String)] {
    living.filter(isWaitedFor).map { ($0.id, fullName($0.name)) }
  }

  private func isWaitedFor(_ record: ServiceRecord) -> Bool {
    record.isEnding || record.isRunning && transition == .start && !record.isSatisfied
  }

  /// The services that have not ended, in registration order.
  ///
  /// - Complexity: O(*n* + *e*) in the number of services and of the names in their options.
  package var statuses: [AppServiceStatus] {
    let living = living
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
        isWaitedFor: isWaitedFor(record)
      )
    }
  }

  /// Claims the run before its launch work, which belongs to the run.
  ///
  /// If a stop was requested earlier, its time limits start now.
  ///
  /// - Parameter path: The prefix of service names in messages and reports.
  /// - Returns: `true` for the first caller.
  package mutating func claim(under path: String = "") -> Bool {
    if isClaimed { return false }
    self.path = path
    isClaimed = true
    armRequest()
    return true
  }

  /// Takes the actions that follow from the events so far.
  package mutating func takeActions() -> [Action] {
    defer { actions = [] }
    if transition == watched { return actions }
    watched = transition
    transitionNumber += 1
    return [.watch(watched, number: transitionNumber)] + actions
  }

  /// Takes the next milestone.
  package mutating func takeMilestone() -> Milestone? {
    milestones.isEmpty ? nil : milestones.removeFirst()
  }

  mutating func announce(_ milestone: Milestone) {
    milestones.append(milestone)
    actions.append(.announce)
  }

  /// The services that have not ended, in registration order.
  var living: [ServiceRecord] { records.filter(\.isLiving) }

  /// Returns the index of a service that has not ended.
  ///
  /// - Complexity: O(1); O(log *n*) after services were removed.
  func index(of id: ID) -> Int? {
    guard let index = records.index(ofNumber: id, { $0.id }) else { return nil }
    return records[index].isLiving ? index : nil
  }

  /// A Boolean value that indicates whether the run ends although no service has ended.
  var isEmptyAtOnce: Bool { endsWhenEmpty && count == 0 }

  /// Returns the name of a service, unless it has ended.
  package func name(of id: ID) -> String? { index(of: id).map { records[$0].name } }

  /// Returns a name that is free: the given one, or the one with the next number.
  ///
  /// - Complexity: Amortized O(1).
  mutating func freeName(_ name: String) -> String {
    if self.id(of: name) == nil { return name }
    var numbered: String
    repeat {
      let number = numbers[name, default: 2]
      numbers[name] = number + 1
      numbered = "\(name) \(number)"
    } while self.id(of: numbered) != nil
    return numbered
  }

  /// Returns the service of a name, unless it has ended.
  func id(of name: String) -> ID? { names[name].flatMap { index(of: $0) == nil ? nil : $0 } }

  /// Appends a service.
  ///
  /// - Returns: Its identifier; `nil` if the name is taken.
  mutating func append(_ handle: Handle, _ name: String, _ options: AppServiceOptions) -> ID? {
    let id = nextID
    if let former = names.updateValue(id, forKey: name), index(of: former) != nil {
      names[name] = former
      return nil
    }
    nextID += 1
    count += 1
    records.append(ServiceRecord(id: id, name: name, options: options))
    handles.append(handle)
    return id
  }

  /// Removes a service.
  ///
  /// - Returns: Its handle.
  @discardableResult
  mutating func remove(_ id: ID) -> Handle? {
    guard let index = index(of: id) else { return nil }
    let handle = handles[index].take()
    records[index].isLiving = false
    count -= 1
    if records.count > max(8, 2 * count) {
      names = names.filter { self.index(of: $0.value) != nil }
      records = living
      handles.removeAll { $0 == nil }
    }
    return handle
  }

  /// Returns the name of a service for messages and reports.
  func fullName(_ name: String) -> String { path.isEmpty ? name : path + name }

  /// Reports that a service has entered a state.
  mutating func report(_ state: AppServiceState, at index: Int) {
    // An end asks the next service to stop, which makes three actions.
    if actions.isEmpty { actions.reserveCapacity(4) }
    let (former, wasEnding) = (records[index].reported, records[index].isEnding)
    records[index].reported = (state, time)
    if records[index].isEnding != wasEnding { ending += wasEnding ? -1 : 1 }
    actions.append(
      .changed(
        AppServiceStateChange(
          service: fullName(records[index].name),
          state: state,
          previous: former?.state,
          elapsed: former.map { time - $0.time } ?? .zero
        )
      )
    )
  }

  /// Stops the program if the state is inconsistent.
  ///
  /// - Complexity: O(*n*²) in the number of services.
  package func _checkInvariants() {
    startable._checkInvariants()
    let living = living
    assert(
      zip(records, handles).allSatisfy { record, handle in
        record.isLiving ? handle != nil && index(of: record.id) != nil : handle == nil
      },
      "a service without a handle, or a handle without a service"
    )
    assert(living.count == count && records.count <= max(8, 2 * count), "too many records")
    assert(
      names.count <= records.count && living.allSatisfy { names[$0.name] == $0.id },
      "a name belongs to no service, or to another one"
    )
    assert(ending == living.count(where: \.isEnding), "ending services are miscounted")
    assert(stage != .over || count == 0 && leaving.isEmpty, "a service outlasts the run")
    assert(leaving.isEmpty || requested != nil, "a service is left behind without a request")
    assert(stage < .stopping || requested != nil && mayStop, "services stop without a request")
    assert(!(isStarting && stage == .collecting), "services start before the run")
    guard requested == nil else {
      assert(
        stage == .collecting || startable.isEmpty && living.allSatisfy { $0.state != nil },
        "a service waits for its start while others stop"
      )
      return
    }
    assert(ending == 0, "a service ends without a request")
    assert(unsatisfied == living.count { !$0.isSatisfied }, "unsatisfied services are miscounted")
    guard stage != .collecting else { return }
    let waiting = living.filter { !$0.isSatisfied }.flatMap(dependants)
    assert(
      living.allSatisfy { record in record.blockers == waiting.count { $0 == record.id } },
      "the dependencies of a service are miscounted"
    )
    let free = living.filter { $0.state == nil && $0.blockers == 0 }.map(\.id)
    assert(Set(free) == Set(startable.prefix(startable.count)), "the wrong services may start")
    assert(isStarting || startable.isEmpty, "a service that may start does not")
    assert(stage != .starting || unsatisfied > 0, "the start goes unreported")
  }
}
