import LaunchLoader

/// A machine of services, the inputs it has received, and its actions so far.
///
/// A plain value: a walk continues in every direction from a copy.
struct ServiceWalk {
  enum Event: Equatable {
    case begin, takeStart, shutdown, cancel, permit, fail
    case ready(Int), returned(Int), threw(Int), cancelledItself(Int)
    case timedOut(Int, ServiceTransition)
    case allTimedOut(ServiceTransition)
    case passOver, suspended(Int)
    case add
  }

  private(set) var machine: ServiceMachine<Int>
  private(set) var complaints: [String] = []
  private(set) var events: [Event] = []
  /// The errors of the run, once it is over.
  private(set) var outcome: [any Error]?
  private(set) var started: [Int] = []
  private(set) var stopOrder: [Int] = []
  private var options: [AppServiceOptions]
  private var ready: Set<Int> = []
  private var entered: Set<Int> = []
  private var ended: Set<Int> = []
  private var abandoned: Set<Int> = []
  private var cancelled: Set<Int> = []
  private var dropped: Set<Int> = []
  private var armed: Set<[Int]> = []
  private var armedForAll: Set<ServiceTransition> = []
  /// The services that were passed over, and their turns.
  private var passedOver: [Int: Int] = [:]
  private var isPastDeadline = false
  /// The services that exceeded the limit of their start.
  private var late: Set<Int> = []
  private var milestones: [String] = []
  /// The turn of entering services, while it is in progress.
  private var turn: Int?
  private var previous: Int?
  private var transitionNumber = 0
  private var hasBegun = false
  private var isPermitted: Bool
  private var wasEscalated = false

  init(_ options: [AppServiceOptions], asks: Bool) throws {
    self.options = options
    isPermitted = !asks
    machine = ServiceMachine(
      stopTimeout: .seconds(1),
      cancelTimeout: .seconds(1),
      asksBeforeStopping: asks
    )
    for (id, own) in options.enumerated() {
      _ = try machine.add(id, name: "\(id)", own)
    }
  }

  private var running: [Int] {
    started.filter { !ended.contains($0) && !abandoned.contains($0) }
  }

  /// The possible next inputs.
  var possibleEvents: [Event] {
    var events: [Event] = []
    if !hasBegun { events.append(.begin) }
    if turn != nil { events.append(.takeStart) }
    if turn != nil, previous != nil { events.append(.passOver) }
    events += passedOver.keys.sorted().map { .suspended($0) }
    events += armedForAll.sorted().map { .allTimedOut($0) }
    if !isPermitted { events.append(.permit) }
    events += [.shutdown, .cancel]
    if options.count < 3 { events.append(.add) }
    if !self.events.contains(.fail) { events.append(.fail) }
    for id in started where !ended.contains(id) {
      if !ready.contains(id) { events.append(.ready(id)) }
      events += [.returned(id), .threw(id)]
      if cancelled.contains(id) { events.append(.cancelledItself(id)) }
      if armed.contains([id, 0]) { events.append(.timedOut(id, .stop)) }
      if armed.contains([id, 1]) { events.append(.timedOut(id, .cancel)) }
      if armed.contains([id, 2]) { events.append(.timedOut(id, .start)) }
    }
    return events
  }

  mutating func send(_ event: Event) {
    events.append(event)
    switch event {
    case .begin:
      hasBegun = true
      machine.begin()
    case .takeStart:
      // A start that was taken before has come to its first suspension now.
      if let previous { entered.insert(previous) }
      guard let current = turn else { break }
      let start = machine.takeStart(after: previous, in: current)
      previous = start?.id
      if let start { begin(start.handle) } else { turn = nil }
    case .shutdown: machine.shutdown()
    case .cancel:
      isPermitted = true
      wasEscalated = true
      machine.cancel()
    case .permit:
      isPermitted = true
      machine.permitStop()
    case .fail: machine.fail(Failed(name: "elsewhere"))
    case .ready(let id):
      ready.insert(id)
      machine.ready(id)
    case .returned(let id): end(id, nil)
    case .threw(let id): end(id, Failed(name: "\(id)"))
    case .cancelledItself(let id): end(id, CancellationError())
    case .timedOut(let id, let limit):
      armed.remove([id, Self.number(of: limit)])
      if limit == .start { late.insert(id) }
      if limit == .cancel, !ended.contains(id) { abandoned.insert(id) }
      machine.timedOut(id, limit)
    case .allTimedOut(let limit):
      armedForAll.remove(limit)
      if limit == .stop {
        isPermitted = true
        isPastDeadline = true
      } else {
        abandoned.formUnion(running)
      }
      machine.timedOut(nil, limit)
    case .passOver:
      guard let id = previous, let current = turn else { break }
      previous = nil
      turn = nil
      let isNamed = options.contains { $0.after.contains("\(id)") }
      if isNamed { passedOver[id] = current } else { entered.insert(id) }
      if machine.passOver(nil, in: current) != id { complain("does not enter \(id)") }
      if machine.passOver(id, in: current) != nil { complain("still enters \(id)") }
    case .suspended(let id):
      guard let former = passedOver.removeValue(forKey: id) else { break }
      entered.insert(id)
      if machine.takeStart(after: id, in: former) != nil { complain("starts out of turn") }
    case .add: add()
    }
    machine._checkInvariants()
    perform(machine.takeActions())
    check()
  }

  private static func number(of limit: ServiceTransition) -> Int {
    switch limit {
    case .stop: 0
    case .cancel: 1
    case .start: 2
    }
  }

  private mutating func add() {
    let id = options.count
    let wasStopping = machine.isStopRequested
    do {
      let given = try machine.add(id, name: "\(id)", AppServiceOptions())
      options.append(AppServiceOptions())
      if given != id { complain("was numbered \(given) instead of \(id)") }
      if wasStopping { complain("took a service while stopping") }
    } catch {
      if !wasStopping { complain("refused a service: \(error)") }
    }
  }

  private mutating func end(_ id: Int, _ error: (any Error)?) {
    ended.insert(id)
    entered.insert(id)
    passedOver[id] = nil
    machine.ended(id, error)
  }

  private mutating func begin(_ id: Int) {
    if started.contains(id) { complain("started \(id) twice") }
    if milestones.contains("stopping") { complain("started \(id) while stopping") }
    for before in dependencies(of: id) {
      if !entered.contains(before) { complain("started \(id) before \(before)") }
      if options[before].reportsReadiness, !ready.contains(before) {
        complain("started \(id) before \(before) was ready")
      }
    }
    started.append(id)
  }

  private func dependencies(of id: Int) -> [Int] {
    if options.allSatisfy(\.after.isEmpty) { return Array(0..<id) }
    return options[id].after.compactMap { Int($0) }
  }

  private mutating func perform(_ actions: [ServiceMachine<Int>.Action]) {
    if outcome != nil, !actions.isEmpty { complain("did something after the end: \(actions)") }
    var (said, hasAnnounced): (Set<String>, Bool) = ([], false)
    let cancelledNow = actions.compactMap { if case .cancel(let id) = $0 { id } else { nil } }
    for action in actions {
      switch action {
      case .startServices(let newTurn):
        if turn != nil { complain("began to start twice") }
        turn = newTurn
      case .stop(let id):
        if cancelledNow.contains(id), !said.contains("\(id)") { complain("stopped \(id) silently") }
        stop(id)
      case .cancel(let id):
        if !said.contains("\(id)") { complain("cancelled \(id) silently") }
        if !running.contains(id) { complain("cancelled \(id), which does not run") }
        if !cancelled.insert(id).inserted { complain("cancelled \(id) twice") }
        if !isPermitted, !late.contains(id) { complain("cancelled \(id) without permission") }
      case .arm(let id?, let limit, _): armed.insert([id, Self.number(of: limit)])
      case .arm(nil, let limit, _): armedForAll.insert(limit)
      case .disarm(let id, let limit):
        let limits: [ServiceTransition] = [.start, .stop, .cancel]
        for other in limits where other <= limit { armed.remove([id, Self.number(of: other)]) }
      case .drop(let ids):
        for id in ids {
          if started.contains(id) { complain("dropped \(id), which was started") }
          if !dropped.insert(id).inserted { complain("dropped \(id) twice") }
        }
      case .report, .changed: break
      case .say(let message): said.formUnion(message.services)
      case .watch(let transition, let number):
        transitionNumber += 1
        if number != transitionNumber || transition == .cancel {
          complain("passed to \(String(describing: transition)) as number \(number)")
        }
      case .forceStop:
        if !isPermitted { complain("forced a stop by itself") }
        if hasAnnounced { complain("announced the stop before forcing it") }
      case .leaveLaunch: if hasBegun { complain("left the launch behind after it") }
      case .leaveGroups(let id): complain("left groups of \(id), which runs none")
      case .announce:
        hasAnnounced = true
        takeMilestone()
      }
    }
  }

  private mutating func stop(_ id: Int) {
    if !running.contains(id) { complain("stopped \(id), which does not run") }
    if stopOrder.contains(id) { complain("stopped \(id) twice") }
    if cancelled.contains(id) { complain("stopped \(id) after cancelling it") }
    if !isPermitted { complain("stopped \(id) without permission") }
    for after in running where dependencies(of: after).contains(id) && !isPastDeadline {
      complain("stopped \(id) before \(after)")
    }
    stopOrder.append(id)
  }

  private mutating func takeMilestone() {
    switch machine.takeMilestone() {
    case .started:
      if !milestones.isEmpty { complain("announced the start after \(milestones)") }
      for id in options.indices where !entered.contains(id) {
        complain("announced the start without \(id)")
      }
      milestones.append("started")
    case .stopping:
      if milestones.contains("stopping") { complain("announced the stop twice") }
      milestones.append("stopping")
    case .over(let failures, _):
      if outcome != nil { complain("ended twice") }
      if milestones.last != "stopping" { complain("ended without stopping") }
      outcome = failures.map(\.error)
      milestones.append("over")
    case nil: complain("announced nothing")
    }
  }

  private mutating func check() {
    if milestones.last == "stopping", !isPermitted, !armedForAll.contains(.stop) {
      complain("waits for the permission to stop without a deadline")
    }
    guard let outcome else { return }
    if !running.isEmpty { complain("ended while \(running) run") }
    let named = outcome.compactMap { error -> Int? in
      guard case .abandoned(let name) = (error as? AppServiceError)?.code else { return nil }
      return Int(name)
    }
    if Set(named) != abandoned.intersection(named) || named.count != Set(named).count {
      complain("named \(named), but abandoned \(abandoned)")
    }
    for id in options.indices where !started.contains(id) && !dropped.contains(id) {
      complain("forgot \(id)")
    }
  }

  /// Brings the walk to its end the way a patient shell does; complains when it does not get there.
  mutating func finish() {
    if !hasBegun { send(.begin) }
    send(.shutdown)
    if !isPermitted { send(.permit) }
    var steps = 0
    while outcome == nil, steps < 20 {
      steps += 1
      if turn != nil { send(.takeStart) }
      guard let next = running.first(where: { stopOrder.contains($0) || cancelled.contains($0) })
      else { continue }
      if ready.count % 2 == 0 { send(.returned(next)) } else { send(.threw(next)) }
    }
    if outcome == nil { complain("did not end") }
  }

  private mutating func complain(_ complaint: String) { complaints.append(complaint) }
}

struct Failed: Error, Equatable, CustomStringConvertible {
  let name: String
  var description: String { "\(name) failed" }
}
