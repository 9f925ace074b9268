/// The state machine that decides which services start, stop or are cancelled, and when the run is over.
///
///     collecting ──begin──▶ running ──shutdown, cancel, an ending──▶ stopping ──last one ended──▶ over
///         └──────────────shutdown, cancel, fail─────────────────────────▲  (when it begins)
///
/// A plain value that takes no lock, runs no service and reads no clock. Every event returns the resulting
/// actions, which the caller performs after unlocking, in any order relative to those of other events.
///
/// Handles represent the services. Removed handles are returned, so that the caller releases them outside its
/// lock.
package struct ServiceMachine<Handle: Sendable>: Sendable {
  /// The identifier of a service; never reused.
  package typealias ID = Int

  /// The kinds of time limits.
  package enum Limit: Sendable, Hashable, Comparable {
    /// The time to start, or to become ready.
    case start
    /// The time to end after the stop request.
    case stop
    /// The time to end after the cancellation.
    case cancel
  }

  /// An action for the caller to perform.
  package enum Action: Sendable {
    /// Take services to start, with ``takeStart(after:)``, until there is none.
    case startServices
    /// Ask this service to stop.
    case stop(Handle)
    /// Cancel this service, and ask it to stop if it was not asked yet.
    case cancel(Handle)
    /// Report ``timedOut(_:_:)`` after this time, unless the service has ended.
    case arm(ID, Limit, Duration)
    /// Remove the limit of this service, unless it is of a later kind than the given one.
    case disarm(ID, Limit)
    /// Report ``timedOut(_:)`` after this time, unless all services have ended.
    case armAll(Limit, Duration)
    /// Release these services, which never started.
    case drop([Handle])
    /// Report an error that a service threw.
    case report(name: String, any Error)
    /// Print a message for the user of the program.
    case say(String)
    /// Stop waiting for the permission to stop, because the services are cancelled without it.
    case goAhead
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
    /// All services have ended or were left behind.
    case over(ServiceOutcome)
  }

  /// The transition that is in progress.
  package enum Wait: Sendable, Equatable {
    /// All services are starting.
    case start
    /// All services are stopping.
    case stop
  }

  /// The common time limits of all services.
  package struct Limits: Sendable {
    /// The time for an orderly stop, from the request, before all services are cancelled; `nil` means no
    /// limit.
    package var stopTimeout: Duration?
    /// The time in which cancelled services must end; `nil` means no limit.
    package var cancelTimeout: Duration?

    /// Creates limits.
    package init(stopTimeout: Duration? = nil, cancelTimeout: Duration? = nil) {
      self.stopTimeout = stopTimeout
      self.cancelTimeout = cancelTimeout
    }
  }

  enum Stage {
    case collecting, running, stopping, over
  }

  enum Wish {
    case shutdown, cancel
  }

  /// The prefix of service names in messages: the names of the enclosing groups, each followed by a slash.
  package private(set) var path = ""
  let limits: Limits
  var stage = Stage.collecting
  var wish: Wish?
  var mayStop: Bool
  var hasPassedDeadline = false
  var isClaimed = false
  var isChain = true
  var hasAnnouncedStart = false
  var isStarting = false
  var nextID = 0
  var unsatisfied = 0
  var lastID: ID?
  var lastLayer = -1
  var records: [ID: ServiceRecord<Handle>] = [:]
  var names: [String: ID] = [:]
  var startable = ServiceQueue()
  var stopOrder: [ID] = []
  var stopped = 0
  var heldBy = 0
  var failures: [ServiceOutcome.Failure] = []
  var ignored: [ServiceOutcome.Failure] = []
  var milestones: [Milestone] = []
  var actions: [Action] = []

  /// Creates a state machine without services.
  ///
  /// - Parameters:
  ///   - limits: The common time limits.
  ///   - asksBeforeStopping: Whether no service stops before ``permitStop()`` is called.
  package init(limits: Limits = Limits(), asksBeforeStopping: Bool = false) {
    self.limits = limits
    mayStop = !asksBeforeStopping
  }

  /// A Boolean value that indicates whether the services are stopping or have stopped.
  package var isStopping: Bool { wish != nil }

  /// A Boolean value that indicates whether the run is over.
  package var isOver: Bool { stage == .over }

  /// The transition in progress; `nil` before the run is claimed, between start and stop, and after the run.
  package var wait: Wait? {
    if !isClaimed || stage == .over { return nil }
    if wish != nil { return .stop }
    return hasAnnouncedStart ? nil : .start
  }

  /// The services that delay the transition in progress, by their names in messages, in registration order.
  ///
  /// - Complexity: O(*n* log *n*) in the number of services.
  package var waitedFor: [String] {
    let isStop = wait == .stop
    return records.filter { _, record in
      switch record.phase {
      case .waiting: false
      case .running: !isStop && !record.isSatisfied
      case .stopping, .cancelled: true
      }
    }
    .sorted { $0.key < $1.key }.map { path + $0.value.name }
  }

  /// Adds a service.
  ///
  /// During the run, the service starts as soon as its order permits.
  ///
  /// - Returns: The identifier of the service, and the actions to perform.
  /// - Throws: ``ServiceError`` with the code `stopping`, `duplicate`, or, during the run, `unknown` or
  ///   `cycle`.
  /// - Complexity: O(1), and O(log *n*) during the run.
  package mutating func add(
    _ handle: Handle,
    name: String,
    _ options: ServiceOptions
  ) throws(ServiceError) -> (id: ID, actions: [Action]) {
    guard wish == nil else { throw ServiceError(.stopping(name)) }
    guard names[name] == nil else { throw ServiceError(.duplicate(name)) }
    let id = nextID
    var record = ServiceRecord(handle: handle, name: name, options: options)
    if stage == .running { try link(&record, id) }
    nextID += 1
    unsatisfied += 1
    names[name] = id
    records[id] = record
    if stage == .running, record.blockers == 0 { mayStart(id) }
    return (id, takeActions())
  }

  /// Claims the run before its launch work, which belongs to the run.
  ///
  /// If a stop was requested earlier, its time limits start now.
  ///
  /// - Parameter path: The prefix of service names in messages and reports.
  /// - Returns: The actions to perform.
  package mutating func claim(under path: String = "") -> [Action] {
    self.path = path
    prepare()
    return takeActions()
  }

  private mutating func prepare() {
    if isClaimed { return }
    isClaimed = true
    armWish()
  }

  /// Starts the run: services without dependencies may start.
  ///
  /// An impossible order makes the run fail immediately.
  ///
  /// - Complexity: O(*n* + *e*) in the number of services and edges.
  package mutating func begin() -> [Action] {
    guard stage == .collecting else { return [] }
    stage = .running
    prepare()
    if wish == nil {
      let ids = Array(0..<nextID)
      do throws(ServiceError) {
        try order(ids)
        announceStart()
      } catch {
        fail(nil, error)
        request(.shutdown)
      }
    }
    if wish != nil {
      dropWaiting()
      announce(.stopping)
      if mayStop { stop() }
    }
    return takeActions()
  }

  /// Records that the service taken last has suspended, and takes the next one.
  ///
  /// - Parameter previous: The service taken before.
  /// - Returns: The service to start, or `nil` if none may start now, and the actions to perform.
  package mutating func takeStart(
    after previous: ID?
  ) -> (start: (id: ID, handle: Handle)?, actions: [Action]) {
    if let previous { start(previous) }
    guard let id = startable.popFirst(), let record = records[id] else {
      isStarting = false
      return (nil, takeActions())
    }
    records[id]?.phase = .running
    if let timeout = record.options.startTimeout {
      actions.append(.arm(id, .start, timeout))
    }
    return ((id, record.handle), takeActions())
  }

  /// Records that a service that was passed over has suspended.
  package mutating func suspended(_ id: ID) -> [Action] {
    start(id)
    return takeActions()
  }

  /// Stops waiting for the first suspension of the service taken last, so that other services can start while
  /// it computes.
  ///
  /// Services that name it still wait for its first suspension. In a chain no service names another, so none
  /// waits.
  package mutating func passOver(_ id: ID) -> [Action] {
    isStarting = false
    if isChain || records[id]?.dependants.isEmpty ?? true { start(id) }
    if !isStarting, !startable.isEmpty {
      isStarting = true
      actions.append(.startServices)
    }
    return takeActions()
  }

  /// Records that a service is ready.
  package mutating func ready(_ id: ID) -> [Action] {
    guard records[id] != nil else { return [] }
    records[id]?.isReady = true
    satisfy(id)
    return takeActions()
  }

  /// Records the end of a service.
  ///
  /// - Parameters:
  ///   - id: The service.
  ///   - error: The error that it threw, or `nil`.
  /// - Returns: The actions to perform.
  /// - Complexity: Amortized O(log *n*).
  package mutating func ended(_ id: ID, _ error: (any Error)?) -> [Action] {
    guard let record = records[id], record.phase != .waiting else { return [] }
    if !record.failsToStart { start(id) }
    let isTimed = record.options.startTimeout != nil || record.options.stopTimeout != nil
    if isTimed { actions.append(.disarm(id, .cancel)) }
    remove(id, record)
    judge(record, error)
    if records.isEmpty && stage == .running { want(.shutdown) }
    advance()
    return takeActions()
  }

  /// Requests an orderly stop of all services.
  ///
  /// Repeated calls have no effect.
  package mutating func shutdown() -> [Action] {
    want(.shutdown)
    return takeActions()
  }

  /// Requests the cancellation of all services, without waiting for permission.
  package mutating func cancel() -> [Action] {
    want(.cancel)
    return goAhead()
  }

  /// Requests an orderly stop because of an error outside the services.
  package mutating func fail(_ error: any Error) -> [Action] {
    guard stage != .over else { return [] }
    fail(nil, error)
    want(.shutdown)
    return takeActions()
  }

  /// Permits the stop that ``Milestone/stopping`` announced.
  package mutating func permitStop() -> [Action] {
    mayStop = true
    if wish != nil, stage == .running { stop() }
    return takeActions()
  }

  /// Records that a service exceeded a limit: its start has failed, or it is cancelled, or it is left behind.
  package mutating func timedOut(_ id: ID, _ limit: Limit) -> [Action] {
    guard let record = records[id] else { return [] }
    switch (limit, record.phase) {
    case (.start, .running) where !record.isSatisfied && wish == nil:
      fail(nil, ServiceError(.notStarted(record.name)))
      want(.shutdown)
    case (.stop, .stopping):
      if let timeout = limits.cancelTimeout {
        actions.append(.arm(id, .cancel, timeout))
      }
      cancel(id, record, after: record.options.stopTimeout)
    case (.cancel, .cancelled):
      leave(id, record)
      advance()
    default:
      break
    }
    return takeActions()
  }

  /// Records that all services together exceeded a limit: they are cancelled or left behind.
  package mutating func timedOut(_ limit: Limit) -> [Action] {
    guard stage != .over, wish != nil else { return [] }
    switch limit {
    case .start: break
    case .stop:
      hasPassedDeadline = true
      want(.cancel)
      return goAhead()
    case .cancel where stage == .collecting:
      actions.append(.leaveLaunch)
    case .cancel:
      for id in idsInReverse() {
        if let record = records[id] { leave(id, record) }
      }
      advance()
    }
    return takeActions()
  }

  /// Takes the next milestone.
  package mutating func takeMilestone() -> Milestone? {
    milestones.isEmpty ? nil : milestones.removeFirst()
  }

  private mutating func goAhead() -> [Action] {
    if !mayStop { actions.append(.goAhead) }
    return permitStop()
  }
}
