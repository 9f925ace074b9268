internal import EventBus

/// The state machine that decides which services start, stop or are cancelled, and when the run is over.
///
///     collecting ──claim──▶ launching ──begin──▶ starting ──all have started──▶ running
///                               │                    └──────────────┬──────────────┘
///                 (requested before)                  shutdown, cancel, an ending
///                               └─────────────────┬─────────────────┘
///                                                 ▼
///                     awaitingPermission ──▶ stopping ──▶ cancelling ──last one ended──▶ over
///
/// A request to stop announces ``Milestone/stopping``, and from then on no service starts. A run skips the stages
/// that it does not need: `awaitingPermission` if there is nothing to wait for, `stopping` if all services are
/// cancelled at once, and `cancelling` if all end in order.
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
    case arm(ID?, ServiceTransition, Duration)
    /// Remove the limit of this service, unless it is that of a later transition than the given one.
    case disarm(ID, ServiceTransition)
    /// Release these services, which never started.
    case drop([Handle])
    /// Report an error that a service threw.
    case report(name: String, any Error)
    /// Report that a service has entered a state.
    case changed(AppServiceStateChange)
    /// Print a message for the user of the program.
    case say(AppHostMessage)
    /// Report for as long as this transition lasts what it waits for; the number is ``transitionNumber``.
    case watch(ServiceTransition?, number: Int)
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
    /// All services present have started, and those with `reportsReadiness` are ready.
    case started
    /// The services are about to stop; no further service starts.
    case stopping
    /// All services have ended or were abandoned. The failures are in order: the cause first, ignored
    /// errors last; there are none after success.
    case over([Failure], isCancelled: Bool)
  }

  /// A turn of taking services to start.
  struct Turn: Sendable {
    let number: Int
    /// The service that was taken last.
    var service: ID?
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
    /// Services start; the number of those whose dependants may not start yet is positive.
    case starting(unsatisfied: Int)
    /// All services that were present have started. Others may be added.
    case running
    /// The stop was announced, and must not begin yet.
    case awaitingPermission(Request)
    /// Services stop, one layer after the other: those whose turn has not come, in the order of their turns.
    case stopping(ArraySlice<ID>)
    /// All services were cancelled.
    case cancelling
    /// All services have ended or were abandoned.
    case over
  }

  /// The prefix of service names in messages: the names of the enclosing groups, each followed by a slash.
  package internal(set) var path = ""
  /// The time of the current event, which the caller sets before it: the machine reads no clock.
  package var time = Duration.zero
  /// Indicates that actions report changes of state.
  ///
  /// The caller sets it before each event, under the same lock.
  var reportsChanges = true
  private(set) var stopTimeout: Duration?
  private(set) var cancelTimeout: Duration?
  let endsWhenEmpty: Bool
  var stage = Stage.collecting(nil)
  /// Indicates that a stop must wait for ``permitStop()``.
  ///
  /// Not a part of the stage, because the permission may come before the request.
  var needsPermission: Bool

  /// The services of the run.
  var roster = ServiceRoster<Handle>()
  /// Indicates that no service names another; each comes after the previous one.
  var isChain = true

  /// The services that may start now; the one that was added first starts first.
  var startable = Heap<ID>()
  /// The turn of taking services to start that is in progress.
  var turn: Turn?
  /// The number of the turns so far.
  var turnCount = 0

  /// The number of services that were asked to stop or cancelled and have not ended.
  var ending = 0
  /// The services that are abandoned once their groups have reported their errors, by identifier.
  var leaving: [ID: ServiceRecord] = [:]
  var failures: [Failure] = []
  var ignored: [Failure] = []

  private var milestones: [Milestone] = []
  var actions: [Action] = []
  private var watched: ServiceTransition?
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
    needsPermission = asksBeforeStopping
  }

  /// Sets the limits that are not set, before the run is claimed.
  mutating func inherit(stopTimeout: Duration?, cancelTimeout: Duration?) {
    self.stopTimeout = self.stopTimeout ?? stopTimeout
    self.cancelTimeout = self.cancelTimeout ?? cancelTimeout
  }

  /// A Boolean value that indicates whether a stop or a cancellation was requested, permitted or not.
  package var isStopRequested: Bool {
    switch stage {
    case .collecting(nil), .launching(nil), .starting, .running: false
    case .collecting, .launching, .awaitingPermission, .stopping, .cancelling, .over: true
    }
  }

  /// A Boolean value that indicates whether services may start, or could have.
  var hasBegun: Bool {
    switch stage {
    case .collecting, .launching: false
    case .starting, .running, .awaitingPermission, .stopping, .cancelling, .over: true
    }
  }

  /// A Boolean value that indicates whether the run is over.
  package var isOver: Bool { if case .over = stage { true } else { false } }

  /// The transition in progress, `start` or `stop`; `nil` before the run is claimed, between the two, and
  /// after the run.
  package var transition: ServiceTransition? {
    switch stage {
    case .launching(nil), .starting: .start
    case .launching, .awaitingPermission, .stopping, .cancelling: .stop
    case .collecting, .running, .over: nil
    }
  }

  /// The failures of the run, once it is over: the cause first, ignored errors last; none after success.
  package var outcome: [Failure]? {
    if !isOver { return nil }
    return failures.isEmpty ? [] : failures + ignored
  }

  /// The services that delay the transition in progress, with their names in messages, in registration order.
  ///
  /// - Complexity: O(*n*) in the number of services.
  var waitedFor: [(id: ID, name: String)] {
    roster.living.filter(isWaitedFor).map { ($0.id, fullName($0.name)) }
  }

  private func isWaitedFor(_ record: ServiceRecord) -> Bool {
    record.isEnding || record.isRunning && transition == .start && !record.isSatisfied
  }

  /// The services that have not ended, in registration order.
  ///
  /// - Complexity: O(*n* + *e*) in the number of services and of the names in their options.
  package var statuses: [AppServiceStatus] {
    let living = roster.living
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
    guard case .collecting(let request) = stage else { return false }
    self.path = path
    stage = .launching(request)
    if let request { armLimit(of: request) }
    return true
  }

  /// Takes the actions that follow from the events so far.
  package mutating func takeActions() -> [Action] {
    // Here, because it follows each event.
    checkInvariants(ofSize: roster.count, _checkInvariants())
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

  /// Returns the name of a service, unless it has ended.
  package func name(of id: ID) -> String? { roster.index(of: id).map { roster[$0].name } }

  /// Returns the name of a service for messages and reports.
  func fullName(_ name: String) -> String { path.isEmpty ? name : path + name }

  /// Reports that a service has entered a state.
  mutating func report(_ state: AppServiceState, at index: Int) {
    let (former, wasEnding) = (roster[index].reported, roster[index].isEnding)
    roster[index].reported = (state, time)
    if roster[index].isEnding != wasEnding { ending += wasEnding ? -1 : 1 }
    if !reportsChanges { return }
    actions.append(
      .changed(
        AppServiceStateChange(
          service: fullName(roster[index].name),
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
    roster._checkInvariants()
    let living = roster.living
    assert(ending == living.count(where: \.isEnding), "ending services are miscounted")
    assert(
      isStopRequested || ending == 0 && leaving.isEmpty,
      "a service ends or is abandoned without a request"
    )
    switch stage {
    case .collecting, .launching:
      assert(turn == nil && living.allSatisfy { $0.state == nil }, "services start before the run")
    case .starting(let unsatisfied):
      assert(unsatisfied > 0, "the start goes unreported")
      assert(
        unsatisfied == living.count { !$0.isSatisfied },
        "unsatisfied services are miscounted"
      )
      checkOrder(of: living)
    case .running:
      checkOrder(of: living)
    case .awaitingPermission, .stopping, .cancelling:
      if case .awaitingPermission = stage {
        assert(needsPermission, "the stop waits for nothing")
      } else {
        assert(!needsPermission, "services stop without permission")
      }
      assert(
        startable.isEmpty && living.allSatisfy { $0.state != nil },
        "a service waits for its start while others stop"
      )
    case .over:
      assert(roster.count == 0 && leaving.isEmpty, "a service outlasts the run")
    }
  }

  /// Stops the program if the wrong services may start.
  private func checkOrder(of living: [ServiceRecord]) {
    let waiting = living.filter { !$0.isSatisfied }.flatMap(dependants)
    assert(
      living.allSatisfy { record in record.blockers == waiting.count { $0 == record.id } },
      "the dependencies of a service are miscounted"
    )
    let free = living.filter { $0.state == nil && $0.blockers == 0 }.map(\.id)
    assert(Set(free) == Set(startable.prefix(startable.count)), "the wrong services may start")
    assert(turn != nil || startable.isEmpty, "a service that may start does not")
  }
}
