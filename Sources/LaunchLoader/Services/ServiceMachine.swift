/// The rule of services: who starts, who is told to stop, who is cancelled, and when it is over.
///
///     collecting ──begin──▶ running ──shutdown, cancel, an ending──▶ stopping ──last one ended──▶ over
///         └──────────────shutdown, cancel, fail─────────────────────────▲  (when it begins)
///
/// A plain value: it takes no lock, runs no service and reads no clock. Every event returns the actions
/// that follow from it, to be done after unlocking, in any order with those of other events.
///
/// Handles stand for the services; whatever is to be let go of is handed out.
package struct ServiceMachine<Handle: Sendable>: Sendable {
  /// The number of a service; never used again.
  package typealias ID = Int

  /// What a service has only so much time for.
  package enum Limit: Sendable, Hashable, Comparable {
    /// To start, or to be ready.
    case start
    /// To end after it was told to stop.
    case stop
    /// To end after it was cancelled.
    case cancel
  }

  /// What is to be done.
  package enum Action: Sendable {
    /// Begin to take services that may start, with ``takeStart(after:)``, until there is none.
    case startServices
    /// Tell this service to stop.
    case stop(Handle)
    /// Cancel this service, and tell it to stop if it was not told.
    case cancel(Handle)
    /// Report ``timedOut(_:_:)`` after this time, unless the service has ended.
    case arm(ID, Limit, Duration)
    /// Forget the time of this service, unless it is that of a later limit than this one.
    case disarm(ID, Limit)
    /// Report ``timedOut(_:)`` after this time, unless all services have ended.
    case armAll(Limit, Duration)
    /// Release these services, which never started.
    case drop([Handle])
    /// Report that a service threw.
    case report(name: String, any Error)
    /// Write a message for the user who runs the program.
    case say(String)
    /// Services are stopped without permission: what the permission waits for is left behind.
    case goAhead
    /// The launch work has not ended although it was cancelled: it is left behind.
    case leaveLaunch
    /// There is a milestone to be taken.
    case announce
  }

  /// What the one that runs the services waits for; each comes at most once, in this order.
  package enum Milestone: Sendable {
    /// All services that were there have started, and are ready if that was asked for.
    case started
    /// The services are to be stopped; nothing starts any more.
    case stopping
    /// Nothing is left to be done.
    case over(ServiceOutcome)
  }

  /// What is waited for at present.
  package enum Wait: Sendable, Equatable {
    /// That all have started.
    case start
    /// That all have ended.
    case stop
  }

  /// How much time there is for all services together.
  package struct Limits: Sendable {
    /// How long stopping may take, from the request on, before all are cancelled; `nil` is for ever.
    package var stopTimeout: Duration?
    /// How long services may take to end after they were cancelled; `nil` is for ever.
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

  /// Leads the names of the services in messages: those of the groups around them, each with a slash.
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

  /// Creates a rule without services.
  ///
  /// - Parameters:
  ///   - limits: How much time there is.
  ///   - asksBeforeStopping: Whether nobody is stopped before ``permitStop()``.
  package init(limits: Limits = Limits(), asksBeforeStopping: Bool = false) {
    self.limits = limits
    mayStop = !asksBeforeStopping
  }

  /// Whether the services are to be stopped, or were.
  package var isStopping: Bool { wish != nil }

  /// Whether nothing is left to be done.
  package var isOver: Bool { stage == .over }

  /// What is waited for; `nil` before the run was claimed, while services run, and after it.
  package var wait: Wait? {
    if !isClaimed || stage == .over { return nil }
    if wish != nil { return .stop }
    return hasAnnouncedStart ? nil : .start
  }

  /// The services that hold up what is waited for, by their names in messages, in the order of their
  /// registration.
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

  /// Adds a service; while the others run, it starts as soon as it may.
  ///
  /// - Returns: Its number, and what is to be done.
  /// - Throws: ``ServiceError`` with the code `stopping`, `duplicate`, or, while services run, `unknown`
  ///   or `cycle`.
  /// - Complexity: O(1), and O(log *n*) while services run.
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

  /// Records that the run is near: launch work comes first, and belongs to it.
  ///
  /// The times of a stop that was requested before begin now.
  ///
  /// - Parameter path: Leads the names of the services in messages and reports.
  /// - Returns: What is to be done.
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

  /// Begins: the services that wait for nobody may start.
  ///
  /// An order that cannot be is the cause of an end at once.
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

  /// Records that a start has come as far as its first suspension, and takes the next one.
  ///
  /// - Parameter previous: The service taken before.
  /// - Returns: The service to start, `nil` if there is none now, and what is to be done.
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

  /// Records that a service that was passed over has come as far as its first suspension.
  package mutating func suspended(_ id: ID) -> [Action] {
    start(id)
    return takeActions()
  }

  /// Passes over the service that was taken last: it computes, and others are to start meanwhile.
  ///
  /// Those that name it still wait for its first suspension. In a chain nobody names another, and so
  /// nobody waits.
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
  ///   - error: What it threw, if it did.
  /// - Returns: What is to be done.
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

  /// Wishes that all be stopped in order; after the first time it does nothing.
  package mutating func shutdown() -> [Action] {
    want(.shutdown)
    return takeActions()
  }

  /// Wishes that all be cancelled, and waits for no permission.
  package mutating func cancel() -> [Action] {
    want(.cancel)
    return goAhead()
  }

  /// Wishes that all be stopped in order because of something that went wrong elsewhere.
  package mutating func fail(_ error: any Error) -> [Action] {
    guard stage != .over else { return [] }
    fail(nil, error)
    want(.shutdown)
    return takeActions()
  }

  /// Permits what ``Milestone/stopping`` announced.
  package mutating func permitStop() -> [Action] {
    mayStop = true
    if wish != nil, stage == .running { stop() }
    return takeActions()
  }

  /// Records that a service took longer than it may: its start has failed, or it is cancelled, or it is left
  /// behind.
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

  /// Records that all services together took longer than they may: they are cancelled, or left behind.
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

  /// Takes the next thing the one that runs the services waits for.
  package mutating func takeMilestone() -> Milestone? {
    milestones.isEmpty ? nil : milestones.removeFirst()
  }

  private mutating func goAhead() -> [Action] {
    if !mayStop { actions.append(.goAhead) }
    return permitStop()
  }
}
