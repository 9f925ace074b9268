import LaunchLoader

/// A machine of services, the inputs it has received, and what it must not do.
///
/// A plain value: a walk continues in every direction from a copy.
struct ServiceWalk {
  enum Event: Equatable {
    case begin, shutdown, cancel, permit, fail, abandonAll
    /// The task of a service runs.
    case entered(Int)
    case ready(Int), unready(Int)
    case returned(Int), threw(Int), cancelledItself(Int)
    /// An event of an attempt that has ended.
    case stale(Int)
    /// Time passes up to the next deadline.
    case deadline
    case add
  }

  /// What has become of the task of a service.
  private enum Fate { case live, asked, cancelled }

  private(set) var machine: ServiceMachine
  private(set) var complaints: [String] = []
  private(set) var events: [Event] = []
  /// The errors of the run, once it is over.
  private(set) var outcome: [any Error]?
  /// The services in the order of their first starts.
  private(set) var started: [Int] = []
  private(set) var stopOrder: [Int] = []
  /// The number of restarts.
  private(set) var restarts = 0
  private var options: [AppServiceOptions]
  private var time = Duration.zero
  /// The tasks, by service.
  private var tasks: [Int: (attempt: Int, fate: Fate, since: Duration)] = [:]
  private var attempts: [Int: Int] = [:]
  /// The services that have been ready once, or need not.
  private var satisfied: Set<Int> = []
  private var dropped: Set<Int> = []
  private var abandoned: Set<Int> = []
  private var pausing: Set<Int> = []
  private var isStopAnnounced = false
  private var hasStarted = false
  private var hasBegun = false
  private var isPermitted: Bool
  /// The time of the request, or of the permission.
  private var requested: Duration?
  /// Indicates that all were cancelled, or a limit has passed: the order no longer counts.
  private var isForced = false
  private let stopTimeout = Duration.seconds(20)
  private let cancelTimeout = Duration.seconds(5)

  init(_ options: [AppServiceOptions], asks: Bool = false) throws {
    self.options = options
    isPermitted = !asks
    machine = ServiceMachine(
      stopTimeout: stopTimeout,
      cancelTimeout: cancelTimeout,
      asksBeforeStopping: asks
    )
    for (id, own) in options.enumerated() { _ = try machine.add("\(id)", own) }
  }

  /// The services that have a task.
  var running: [Int] { tasks.keys.sorted() }

  /// The possible next inputs.
  var possibleEvents: [Event] {
    var events: [Event] = hasBegun ? [] : [.begin]
    if !isPermitted { events.append(.permit) }
    events += [.shutdown, .cancel]
    if options.count < 3 { events.append(.add) }
    if !self.events.contains(.fail) { events.append(.fail) }
    if machine.nextDeadlineCopy != nil { events.append(.deadline) }
    for id in running {
      events += [.entered(id), .ready(id), .returned(id), .threw(id)]
      if satisfied.contains(id) { events.append(.unready(id)) }
      if tasks[id]?.fate == .cancelled { events.append(.cancelledItself(id)) }
      if attempts[id] ?? 0 > 1 { events.append(.stale(id)) }
    }
    return events
  }

  mutating func send(_ event: Event) {
    events.append(event)
    machine.advance(to: time)
    switch event {
    case .begin:
      hasBegun = true
      machine.begin()
    case .shutdown: machine.shutdown()
    case .cancel:
      isPermitted = true
      isForced = true
      machine.cancel()
    case .permit:
      isPermitted = true
      if requested != nil { requested = time }
      machine.permitStop()
    case .fail: machine.fail(Failed(name: "elsewhere"))
    case .abandonAll:
      isPermitted = true
      isForced = true
      machine.abandonAll()
    case .entered(let id): machine.entered(id, attempt: attempts[id] ?? 0)
    case .ready(let id): machine.ready(id, attempt: attempts[id] ?? 0)
    case .unready(let id): machine.unready(id, attempt: attempts[id] ?? 0)
    case .returned(let id): end(id, nil)
    case .threw(let id): end(id, Failed(name: "\(id)"))
    case .cancelledItself(let id): end(id, CancellationError())
    case .stale(let id):
      let former = (attempts[id] ?? 0) - 1
      machine.ready(id, attempt: former)
      machine.unready(id, attempt: former)
      machine.ended(id, attempt: former, Failed(name: "stale"))
    case .deadline: pass()
    case .add: add()
    }
    machine.endEvent()
    perform()
    check()
  }

  private mutating func pass() {
    guard let next = machine.nextDeadline() else { return }
    time = max(time, next)
    machine.advance(to: time)
    // A deadline of the run forces what it is for.
    if let requested, time >= requested + cancelTimeout, !isPermitted {
      isPermitted = true
      self.requested = time
    } else if let requested, time >= requested + stopTimeout {
      isForced = true
    }
    machine.timePassed()
  }

  private mutating func add() {
    let id = options.count
    let wasStopping = machine.isStopRequested
    do {
      let given = try machine.add("\(id)", AppServiceOptions())
      options.append(AppServiceOptions())
      if given != id { complain("was numbered \(given) instead of \(id)") }
      if wasStopping { complain("took a service while stopping") }
    } catch {
      if !wasStopping { complain("refused a service: \(error)") }
    }
  }

  private mutating func end(_ id: Int, _ error: (any Error)?) {
    tasks[id] = nil
    machine.ended(id, attempt: attempts[id] ?? 0, error)
  }

  private func dependencies(of id: Int) -> [Int] {
    if options.allSatisfy(\.after.isEmpty) { return Array(0..<id) }
    return options[id].after.compactMap { Int($0) }
  }

  private mutating func perform() {
    // What follows from an action may add others.
    while case let actions = machine.takeActions(), !actions.isEmpty {
      for action in actions {
        if outcome != nil { complain("did something after the end: \(action)") }
        perform(action)
      }
    }
  }

  private mutating func note(_ change: AppServiceStateChange) {
    guard let id = Int(change.service) else { return }
    switch change.state {
    case .ready: satisfied.insert(id)
    case .pausing:
      if !pausing.insert(id).inserted { complain("\(id) pauses twice") }
      if tasks[id] != nil { complain("\(id) pauses while its task runs") }
      if change.error == nil { complain("\(id) pauses for no reason") }
    case .ended:
      // One that returns without reporting its readiness was ready, if it need not report it.
      if !options[id].reportsReadiness { satisfied.insert(id) }
      pausing.remove(id)
    case .starting: pausing.remove(id)
    case .unready, .stopping, .cancelled, .abandoned: break
    }
  }

  private mutating func perform(_ action: ServiceMachine.Action) {
    switch action {
    case .start(let id, let attempt): start(id, attempt)
    case .stop(let id): stop(id)
    case .cancel(let id, let stopsFirst):
      guard let task = tasks[id] else { return complain("cancelled \(id), which has no task") }
      if task.fate == .cancelled { complain("cancelled \(id) twice") }
      if stopsFirst, task.fate != .live { complain("asked \(id) again before its cancellation") }
      tasks[id]?.fate = .cancelled
      tasks[id]?.since = time
    case .abandon(let id):
      guard let task = tasks[id] else { return complain("abandoned \(id), which has no task") }
      if task.fate != .cancelled { complain("abandoned \(id) without a cancellation") }
      tasks[id] = nil
      abandoned.insert(id)
      machine.abandoned(id, nil)
      machine.endEvent()
    case .drop(let id):
      if tasks[id] != nil { complain("dropped \(id) while its task runs") }
      if !dropped.insert(id).inserted { complain("dropped \(id) twice") }
    case .delayed, .report(.message): break
    case .report(.changed(let change)): note(change)
    case .started:
      if hasStarted || isStopAnnounced { complain("announced the start at the wrong time") }
      hasStarted = true
      for id in options.indices where !satisfied.contains(id) && !dropped.contains(id) {
        complain("announced the start without \(id)")
      }
    case .stopping:
      if isStopAnnounced { complain("announced the stop twice") }
      isStopAnnounced = true
      requested = time
    case .abandonHandlers: isPermitted = true
    case .abandonLaunch: if hasBegun { complain("left the launch behind after it") }
    case .over:
      if !tasks.isEmpty { complain("ended while \(running) run") }
      if !isStopAnnounced { complain("ended without an announcement") }
      outcome = machine.outcome.map(\.error)
    }
  }

  private mutating func start(_ id: Int, _ attempt: Int) {
    if isStopAnnounced { complain("started \(id) while stopping") }
    if tasks[id] != nil { complain("started \(id), which runs") }
    if attempt != (attempts[id] ?? 0) + 1 { complain("started \(id) as attempt \(attempt)") }
    if attempt == 1 {
      for before in dependencies(of: id)
      where !satisfied.contains(before) && !dropped.contains(before) {
        complain("started \(id) before \(before)")
      }
      started.append(id)
    } else {
      restarts += 1
    }
    attempts[id] = attempt
    tasks[id] = (attempt, .live, time)
  }

  private mutating func stop(_ id: Int) {
    guard let task = tasks[id] else { return complain("stopped \(id), which has no task") }
    if task.fate != .live { complain("stopped \(id) twice, or after its cancellation") }
    if !isStopAnnounced { complain("stopped \(id) without a request") }
    if !isPermitted { complain("stopped \(id) without permission") }
    for after in running where dependencies(of: after).contains(id) && !isForced {
      complain("stopped \(id) before \(after)")
    }
    tasks[id]?.fate = .asked
    tasks[id]?.since = time
    stopOrder.append(id)
  }

  /// Checks that no limit has passed unnoticed, and that the outcome names what was abandoned.
  private mutating func check() {
    machine._checkInvariants()
    for (id, task) in tasks {
      switch task.fate {
      case .live: break
      case .asked:
        if let limit = options[id].stopTimeout, task.since + limit < time {
          complain("\(id) exceeds its limit to stop")
        }
      case .cancelled:
        if task.since + cancelTimeout < time { complain("\(id) exceeds its limit to end") }
      }
    }
    guard let outcome else { return }
    let named = outcome.compactMap { error -> Int? in
      guard case .abandoned(let name) = (error as? AppServiceError)?.code else { return nil }
      return Int(name)
    }
    if named.sorted() != abandoned.sorted() {
      complain("named \(named), but abandoned \(abandoned)")
    }
    for id in options.indices where !dropped.contains(id) { complain("forgot \(id)") }
  }

  /// Brings the walk to its end: obedient services return or throw when they are asked; others are stuck, and the limits
  /// must end the run.
  mutating func finish(isObedient: Bool = true) {
    if !hasBegun { send(.begin) }
    send(.shutdown)
    if !isPermitted { send(.permit) }
    var steps = 0
    while outcome == nil, steps < 60 {
      steps += 1
      if isObedient, let next = running.first(where: { tasks[$0]?.fate != .live }) {
        send(steps % 2 == 0 ? .returned(next) : .threw(next))
      } else if machine.nextDeadline() != nil {
        send(.deadline)
      } else {
        break
      }
    }
    if outcome == nil { complain("did not end: \(machine.statuses)") }
  }

  private mutating func complain(_ complaint: String) { complaints.append(complaint) }
}

extension ServiceMachine {
  /// The earliest deadline, without a change.
  fileprivate var nextDeadlineCopy: Duration? {
    var copy = self
    return copy.nextDeadline()
  }
}

struct Failed: Error, Equatable, CustomStringConvertible {
  let name: String
  var description: String { "\(name) failed" }
}
