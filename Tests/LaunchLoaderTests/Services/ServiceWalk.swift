import LaunchLoader

/// A machine of services, the inputs it has received, and its actions so far.
///
/// A plain value: a walk continues in every direction from a copy.
struct ServiceWalk {
  enum Event: Equatable {
    case begin, takeStart, shutdown, cancel, permit, fail
    case ready(Int), returned(Int), threw(Int), cancelledItself(Int)
    case timedOut(Int, ServiceMachine<Int>.Limit)
    case allTimedOut(ServiceMachine<Int>.Limit)
    case passOver, suspended(Int)
    case add
  }

  private(set) var machine: ServiceMachine<Int>
  private(set) var complaints: [String] = []
  private(set) var events: [Event] = []
  private(set) var outcome: ServiceOutcome?
  private(set) var started: [Int] = []
  private(set) var stopOrder: [Int] = []
  private var options: [ServiceOptions]
  private var ready: Set<Int> = []
  private var entered: Set<Int> = []
  private var ended: Set<Int> = []
  private var leftBehind: Set<Int> = []
  private var cancelled: Set<Int> = []
  private var dropped: Set<Int> = []
  private var armed: Set<[Int]> = []
  private var armedForAll: Set<ServiceMachine<Int>.Limit> = []
  private var passedOver: Set<Int> = []
  private var isPastDeadline = false
  private var milestones: [String] = []
  private var laneRuns = false
  private var previous: Int?
  private var hasBegun = false
  private var isPermitted: Bool
  private var wasEscalated = false

  init(_ options: [ServiceOptions], asks: Bool) throws {
    self.options = options
    isPermitted = !asks
    machine = ServiceMachine(
      limits: ServiceMachine<Int>.Limits(stopTimeout: .seconds(1), cancelTimeout: .seconds(1)),
      asksBeforeStopping: asks
    )
    for (id, own) in options.enumerated() {
      _ = try machine.add(id, name: "\(id)", own)
    }
  }

  private var running: [Int] {
    started.filter { !ended.contains($0) && !leftBehind.contains($0) }
  }

  /// The possible next inputs.
  var possibleEvents: [Event] {
    var events: [Event] = []
    if !hasBegun { events.append(.begin) }
    if laneRuns { events.append(.takeStart) }
    if laneRuns, previous != nil { events.append(.passOver) }
    events += passedOver.sorted().map { .suspended($0) }
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
      perform(machine.begin())
    case .takeStart:
      // A start that was taken before has come to its first suspension now.
      if let previous { entered.insert(previous) }
      let (start, actions) = machine.takeStart(after: previous)
      perform(actions)
      previous = start?.id
      laneRuns = laneRuns && start != nil
      if let start { begin(start.handle) }
    case .shutdown: perform(machine.shutdown())
    case .cancel:
      isPermitted = true
      wasEscalated = true
      perform(machine.cancel())
    case .permit:
      isPermitted = true
      perform(machine.permitStop())
    case .fail: perform(machine.fail(Failed(name: "elsewhere")))
    case .ready(let id):
      ready.insert(id)
      perform(machine.ready(id))
    case .returned(let id): end(id, nil)
    case .threw(let id): end(id, Failed(name: "\(id)"))
    case .cancelledItself(let id): end(id, CancellationError())
    case .timedOut(let id, let limit):
      armed.remove([id, Self.number(of: limit)])
      if limit == .cancel, !ended.contains(id) { leftBehind.insert(id) }
      perform(machine.timedOut(id, limit))
    case .allTimedOut(let limit):
      armedForAll.remove(limit)
      if limit == .stop {
        isPermitted = true
        isPastDeadline = true
      } else {
        leftBehind.formUnion(running)
      }
      perform(machine.timedOut(limit))
    case .passOver:
      guard let id = previous else { break }
      previous = nil
      laneRuns = false
      let isNamed = options.contains { $0.after.contains("\(id)") }
      if isNamed { passedOver.insert(id) } else { entered.insert(id) }
      perform(machine.passOver(id))
    case .suspended(let id):
      passedOver.remove(id)
      entered.insert(id)
      perform(machine.suspended(id))
    case .add: add()
    }
    check()
  }

  private static func number(of limit: ServiceMachine<Int>.Limit) -> Int {
    switch limit {
    case .stop: 0
    case .cancel: 1
    case .start: 2
    }
  }

  private mutating func add() {
    let id = options.count
    let wasStopping = machine.isStopping
    do {
      let (given, actions) = try machine.add(id, name: "\(id)", ServiceOptions())
      options.append(ServiceOptions())
      if given != id { complain("was numbered \(given) instead of \(id)") }
      if wasStopping { complain("took a service while stopping") }
      perform(actions)
    } catch {
      if !wasStopping { complain("refused a service: \(error)") }
    }
  }

  private mutating func end(_ id: Int, _ error: (any Error)?) {
    ended.insert(id)
    entered.insert(id)
    passedOver.remove(id)
    perform(machine.ended(id, error))
  }

  private mutating func begin(_ id: Int) {
    if started.contains(id) { complain("started \(id) twice") }
    if milestones.contains("stopping") { complain("started \(id) while stopping") }
    for before in dependencies(of: id) {
      if !entered.contains(before) { complain("started \(id) before \(before)") }
      if options[before].waitsForReady, !ready.contains(before) {
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
    for action in actions {
      switch action {
      case .startServices:
        if laneRuns { complain("began to start twice") }
        laneRuns = true
      case .stop(let id): stop(id)
      case .cancel(let id):
        if !running.contains(id) { complain("cancelled \(id), which does not run") }
        if !cancelled.insert(id).inserted { complain("cancelled \(id) twice") }
        if !isPermitted { complain("cancelled \(id) without permission") }
      case .arm(let id, let limit, _): armed.insert([id, Self.number(of: limit)])
      case .disarm(let id, let limit):
        let limits: [ServiceMachine<Int>.Limit] = [.start, .stop, .cancel]
        for other in limits where other <= limit { armed.remove([id, Self.number(of: other)]) }
      case .armAll(let limit, _): armedForAll.insert(limit)
      case .drop(let ids):
        for id in ids {
          if started.contains(id) { complain("dropped \(id), which was started") }
          if !dropped.insert(id).inserted { complain("dropped \(id) twice") }
        }
      case .report, .say: break
      case .goAhead: if !isPermitted { complain("went ahead by itself") }
      case .leaveLaunch: if hasBegun { complain("left the launch behind after it") }
      case .announce: takeMilestone()
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
    case .over(let outcome):
      if self.outcome != nil { complain("ended twice") }
      if milestones.last != "stopping" { complain("ended without stopping") }
      self.outcome = outcome
      milestones.append("over")
    case nil: complain("announced nothing")
    }
  }

  private mutating func check() {
    guard let outcome else { return }
    if !running.isEmpty { complain("ended while \(running) run") }
    let stuck = outcome.errors.compactMap { error -> Int? in
      guard case .stuck(let name) = (error as? ServiceError)?.code else { return nil }
      return Int(name)
    }
    if Set(stuck) != leftBehind.intersection(stuck) || stuck.count != Set(stuck).count {
      complain("named \(stuck) as stuck, but left \(leftBehind) behind")
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
      if laneRuns { send(.takeStart) }
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
