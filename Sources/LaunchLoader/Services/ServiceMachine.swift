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
  package enum Limit: Sendable, Hashable {
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
    case arm(ID, Handle, Limit, Duration)
    /// Let go of these services, which never started.
    case drop([Handle])
    /// Tell whoever wants to know that a service threw.
    case report(name: String, any Error)
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

  /// How much time there is where a service does not say.
  package struct Limits: Sendable {
    /// How long one service may take to stop; `nil` is for ever.
    package var stopTimeout: Duration?
    /// How long one service may take to end after it was cancelled; `nil` is for ever.
    package var cancelTimeout: Duration?

    /// Creates limits.
    package init(stopTimeout: Duration? = nil, cancelTimeout: Duration? = nil) {
      self.stopTimeout = stopTimeout
      self.cancelTimeout = cancelTimeout
    }
  }

  internal enum Stage {
    case collecting, running, stopping, over
  }

  internal enum Wish {
    case shutdown, cancel
  }

  internal let limits: Limits
  internal var stage = Stage.collecting
  internal var wish: Wish?
  internal var mayStop: Bool
  internal var isChain = true
  internal var hasAnnouncedStart = false
  internal var isStarting = false
  internal var nextID = 0
  internal var unsatisfied = 0
  internal var lastID: ID?
  internal var lastLayer = -1
  internal var records: [ID: ServiceRecord<Handle>] = [:]
  internal var names: [String: ID] = [:]
  internal var startable = ServiceQueue()
  internal var stopOrder: [ID] = []
  internal var stopped = 0
  internal var heldBy = 0
  internal var errors: [any Error] = []
  internal var ignored: [any Error] = []
  internal var milestones: [Milestone] = []
  internal var actions: [Action] = []

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

  /// Begins: the services that wait for nobody may start.
  ///
  /// An order that cannot be is the cause of an end at once.
  ///
  /// - Complexity: O(*n* + *e*) in the number of services and edges.
  package mutating func begin() -> [Action] {
    guard stage == .collecting else { return [] }
    stage = .running
    if wish == nil {
      let ids = Array(0..<nextID)
      do throws(ServiceError) {
        try order(ids)
        announceStart()
      } catch {
        errors.append(error)
        wish = .shutdown
      }
    }
    if wish != nil {
      dropWaiting()
      announce(.stopping)
      if mayStop { stop() }
    }
    return takeActions()
  }

  /// Reports that a start has come as far as its first suspension, and takes the next one.
  ///
  /// - Parameter previous: The service taken before.
  /// - Returns: The service to start, `nil` if there is none now, and what is to be done.
  package mutating func takeStart(
    after previous: ID?
  ) -> (start: (id: ID, handle: Handle)?, actions: [Action]) {
    if let previous, records[previous] != nil {
      records[previous]?.hasStarted = true
      satisfy(previous)
    }
    guard let id = startable.popFirst(), let handle = records[id]?.handle else {
      isStarting = false
      return (nil, takeActions())
    }
    records[id]?.phase = .running
    return ((id, handle), takeActions())
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
    if !record.failsToStart {
      records[id]?.hasStarted = true
      satisfy(id)
    }
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
    return permitStop()
  }

  /// Wishes that all be stopped in order because of something that went wrong elsewhere.
  package mutating func fail(_ error: any Error) -> [Action] {
    guard stage != .over else { return [] }
    errors.append(error)
    want(.shutdown)
    return takeActions()
  }

  /// Permits what ``Milestone/stopping`` announced.
  package mutating func permitStop() -> [Action] {
    mayStop = true
    if wish != nil, stage == .running { stop() }
    return takeActions()
  }

  /// Records that a service took longer than it may: it is cancelled, and then left behind.
  package mutating func timedOut(_ id: ID, _ limit: Limit) -> [Action] {
    guard let record = records[id] else { return [] }
    switch (limit, record.phase) {
    case (.stop, .stopping):
      cancel(id, record)
    case (.cancel, .cancelled):
      remove(id, record)
      errors.append(ServiceError(.stuck(record.name)))
      advance()
    default:
      break
    }
    return takeActions()
  }

  /// Takes the next thing the one that runs the services waits for.
  package mutating func takeMilestone() -> Milestone? {
    milestones.isEmpty ? nil : milestones.removeFirst()
  }
}
