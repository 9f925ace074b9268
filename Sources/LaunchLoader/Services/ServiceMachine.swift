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
    case changed(ServiceStateChange)
    /// Print a message for the user of the program.
    case say(ApplicationMessage)
    /// Report for as long as this transition lasts what it waits for; the number is ``transitionNumber``.
    case watch(Transition?, number: Int)
    /// Stop waiting for the permission to stop, because the services are cancelled without it.
    case forceStop
    /// Stop waiting for the launch work, which did not end after it was cancelled.
    case leaveLaunch
    /// Take the next milestone.
    case announce
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

  /// The state of a service that has not ended.
  struct Record: Sendable {
    /// The progress of a service.
    enum Phase: Comparable {
      /// Waiting for dependencies or for its turn.
      case waiting
      /// The `run` method was entered or is being entered.
      case running
      /// Asked to stop.
      case stopping
      /// Asked to stop and cancelled.
      case cancelled
    }

    /// The handle that the caller passed for the service.
    let handle: Handle
    let name: String
    let options: ServiceOptions
    var phase = Phase.waiting
    /// The state that was reported last, and the time of that report.
    var reported: (state: ServiceState, time: Duration)?
    /// The layer; services in higher layers stop earlier.
    var layer = 0
    /// The number of dependencies that are not satisfied.
    var blockers = 0
    /// The services that wait for this one.
    var dependants: [ID] = []
    /// Indicates that `run` was entered and has suspended or returned.
    var hasStarted = false
    /// Indicates that the service called `ready()`.
    var isReady = false

    /// A Boolean value that indicates whether the dependants may start.
    var isSatisfied: Bool { hasStarted && (isReady || !options.waitsForReady) }

    /// A Boolean value that indicates whether ending now would be a failed start.
    var failsToStart: Bool { options.waitsForReady && !isReady && phase == .running }
  }

  /// The prefix of service names in messages: the names of the enclosing groups, each followed by a slash.
  package internal(set) var path = ""
  /// The time of the current event, which the caller sets before it: the machine reads no clock.
  package var time = Duration.zero
  let stopTimeout: Duration?
  let cancelTimeout: Duration?
  var stage = Stage.collecting
  /// The requested transition: `stop`, `cancel`, or `nil`.
  var requested: Transition?
  var mayStop: Bool
  var hasPassedDeadline = false
  var isClaimed = false

  var records: [ID: Record] = [:]
  var names: [String: ID] = [:]
  var nextID = 0
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
  package init(
    stopTimeout: Duration? = nil,
    cancelTimeout: Duration? = nil,
    asksBeforeStopping: Bool = false
  ) {
    self.stopTimeout = stopTimeout
    self.cancelTimeout = cancelTimeout
    mayStop = !asksBeforeStopping
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

  /// The services that delay the transition in progress, by their names in messages, in registration order.
  ///
  /// - Complexity: O(*n* log *n*) in the number of services.
  package var waitedFor: [String] {
    statuses.filter(\.isWaitedFor).map(\.name)
  }

  /// The services that have not ended, in registration order.
  ///
  /// - Complexity: O(*n* log *n* + *e*) in the number of services and edges.
  package var statuses: [ServiceStatus] {
    let isStarting = transition == .start
    let isChain = isChain && records.values.allSatisfy(\.options.after.isEmpty)
    return records.sorted { $0.key < $1.key }.map { id, record in
      var dependencies = record.options.after
      if isChain, let former = records[id - 1] { dependencies = [former.name] }
      return ServiceStatus(
        name: path + record.name,
        state: record.reported?.state,
        dependencies: dependencies.map { path + $0 },
        isWaitedFor: record.phase > .running
          || record.phase == .running && isStarting && !record.isSatisfied
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

  /// Reports that a service has entered a state.
  ///
  /// - Returns: The record with the new state.
  mutating func report(_ state: ServiceState, of record: Record) -> Record {
    let former = record.reported
    actions.append(
      .changed(
        ServiceStateChange(
          service: path + record.name,
          state: state,
          previous: former?.state,
          elapsed: former.map { time - $0.time } ?? .zero
        )
      )
    )
    var record = record
    record.reported = (state, time)
    return record
  }

  /// Stops the program if the state is inconsistent.
  ///
  /// - Complexity: O(*n*²) in the number of services.
  package func _checkInvariants() {
    startable._checkInvariants()
    let records = records
    assert(
      names.count == records.count && records.allSatisfy { names[$1.name] == $0 },
      "a name belongs to no service, or to another one"
    )
    assert(ending == records.values.count { $0.phase > .running }, "ending services are miscounted")
    assert(stage != .over || records.isEmpty, "a service outlasts the run")
    assert(stage < .stopping || requested != nil && mayStop, "services stop without a request")
    assert(!(isStarting && stage == .collecting), "services start before the run")
    guard requested == nil else {
      assert(
        stage == .collecting
          || startable.isEmpty && records.values.allSatisfy { $0.phase > .waiting },
        "a service waits for its start while others stop"
      )
      return
    }
    assert(ending == 0, "a service ends without a request")
    assert(
      unsatisfied == records.values.count { !$0.isSatisfied },
      "unsatisfied services are miscounted"
    )
    guard stage != .collecting else { return }
    let dependants = records.values.filter { !$0.isSatisfied }.flatMap(\.dependants)
    assert(
      records.allSatisfy { id, record in record.blockers == dependants.count { $0 == id } },
      "the dependencies of a service are miscounted"
    )
    let free = records.filter { $0.value.phase == .waiting && $0.value.blockers == 0 }.keys
    assert(Set(free) == Set(startable.prefix(startable.count)), "the wrong services may start")
    assert(isStarting || startable.isEmpty, "a service that may start does not")
    assert(stage != .starting || unsatisfied > 0, "the start goes unreported")
  }
}
