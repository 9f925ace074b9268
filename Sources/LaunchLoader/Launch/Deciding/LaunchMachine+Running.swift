internal import EventBus

/// Running the launch: turns and phases.
extension LaunchMachine {
  /// Begins the launch for the first caller.
  ///
  /// - Parameter actor: The actor on which the launch begins, if it is known.
  /// - Returns: `true` if the caller runs the launch.
  /// - Complexity: O(*n*); with dependencies or phases, that of ``LaunchPlanner``.
  package mutating func claim(on actor: ObjectIdentifier? = nil) -> Bool {
    guard isCollecting else { return false }
    defer { checkInvariants(ofSize: rows.count, _checkInvariants()) }
    readNames()
    stage = .launching
    home = actor
    ranked.reserveCapacity(rows.count)
    guard !isPlain else {
      phase = .standard
      for index in rows.indices where rows[index].state == .waiting {
        open[LaunchPhase.standard.index] += 1
        schedule(index)
      }
      return true
    }
    let plan = planner()
    for index in rows.indices where rows[index].state == .waiting {
      rows[index].phase = plan.phases[index]
      open[plan.phases[index].index] += 1
    }
    edges.reserveCapacity(plan.edgeCount)
    for index in plan.order {
      plan.forEachDependency(of: index) { target, isHard in
        if plan.excluded[target] == nil { wait(index, for: target, isHard: isHard) }
      }
    }
    for index in plan.excluded.keys.ordered(by: <) {
      skip(index, .skipped(because: plan.excluded[index]))
    }
    for index in plan.order { schedule(index) }
    problems = plan.problems
    if policy != .continue && !problems.isEmpty {
      verdict = .impossible
      halt(.skipped(because: nil))
    }
    return true
  }

  /// Returns the next step of the driver.
  ///
  /// - Parameter canWait: `true` if the driver can wait; otherwise it can only call work directly: work of
  ///   no actor, and of the actor it runs on.
  /// - Returns: The step.
  /// - Complexity: Amortized O(1).
  package mutating func next(canWait: Bool) -> Step {
    defer { checkInvariants(ofSize: rows.count, _checkInvariants()) }
    while true {
      if let index = skipped.popFirst().flatMap({ rows.index(of: $0) }) {
        rows[index].state = .ended
        open[rows[index].phase.index] -= 1
        return .settle(rows[index].item, rows[index].outcome ?? .skipped(because: nil))
      }
      if hopping == nil, let index = nextReady(canWait: canWait) { return begin(index, canWait) }
      guard open[phase.index] == 0, phase < (stage == .launched ? .idle : .late) else { break }
      openNextPhase()
    }
    if stage == .launched {
      releaseEndedRows()
      return .rest
    }
    guard open.prefix(LaunchPhase.idle.index).allSatisfy({ $0 == 0 }) else { return .wait }
    if verdict != .fine, policy == .rollback, let (row, item) = kept.last {
      guard canWait, let index = rows.index(of: row) else { return .wait }
      kept.removeLast()
      undoing = row
      // Now: callers must not receive the value before the clean-up begins.
      rows[index].outcome = .undone
      return .undo(item, row: row)
    }
    if isStopping, skipAll(from: .idle, .refused) { return next(canWait: canWait) }
    return conclude()
  }

  private mutating func conclude() -> Step {
    stage = .launched
    launched = rows
    if policy == .rollback { kept.removeAll { !$0.item.isClosable } }
    while phase < .idle { openNextPhase() }
    releaseEndedRows(records: false)
    defer { problems = [] }
    return .over(launched, problems: problems, verdict)
  }

  /// Records that a worker was undone, or that its clean-up exceeded the time limit.
  package mutating func undone(_ row: Int, _ outcome: LaunchOutcome) {
    undoing = nil
    if let index = rows.index(of: row) { rows[index].outcome = outcome }
  }

  /// Takes out the last finished work whose value is to be closed, once the services have stopped.
  ///
  /// Once there is none, values that are made later are closed when they are made. The rest is undone if the launch,
  /// which was abandoned, rolls back.
  package mutating func nextToClose() -> LaunchItem? {
    let last = kept.lastIndex { $0.item.isClosable }
    isClosed = last == nil
    return last.map { kept.remove(at: $0).item }
  }

  /// Lets a worker that was handed out begin, unless it was skipped, withdrawn or abandoned meanwhile.
  ///
  /// Called where the worker runs, so that nothing happens between this decision and the call.
  ///
  /// - Parameters:
  ///   - row: The row of the worker.
  ///   - start: The time at which it begins; `nil` if it is synchronous.
  /// - Returns: `true` if the caller must call the worker.
  package mutating func begin(_ row: Int, at start: Duration? = nil) -> Bool {
    guard let index = rows.index(of: row) else { return false }
    guard rows[index].state == .starting else {
      rows[index].isAbandoned = false
      return false
    }
    rows[index].state = .running
    rows[index].start = start
    return true
  }

  /// Makes a row wait for another row, which has not ended.
  ///
  /// - Complexity: Amortized O(1).
  mutating func wait(_ index: Int, for target: Int, isHard: Bool) {
    rows[index].blockers += 1
    let edge = edges.count
    edges.append((rows[index].number, isHard, nil))
    if let (first, last) = rows[target].edges {
      edges[last].next = edge
      rows[target].edges = (first, edge)
    } else {
      rows[target].edges = (edge, edge)
    }
  }

  /// Returns the rows that wait for a row, in the order in which they began to.
  func dependants(of index: Int) -> [(row: Int, isHard: Bool)] {
    sequence(first: rows[index].edges?.first) { $0.map { edges[$0].next } }
      .prefix { $0 != nil }.compactMap(\.self).map { (edges[$0].row, edges[$0].isHard) }
  }

  /// Gives a row the next rank, and lets it begin as soon as its phase and its dependencies permit.
  mutating func schedule(_ index: Int) {
    rows[index].rank = ranked.count
    ranked.append(rows[index].number)
    if rows[index].phase > phase {
      later[rows[index].phase.index].append(rows[index].number)
    } else {
      offer(index)
    }
  }

  /// Lets a row begin if it waits for nothing else.
  mutating func offer(_ index: Int) {
    guard rows[index].isReady, rows[index].phase <= phase else { return }
    switch rows[index].kind {
    case .call: calls.insert(rows[index].rank)
    case .hop(let actor) where actor == home: calls.insert(rows[index].rank)
    case .hop: hops.insert(rows[index].rank)
    case .task: tasks.insert(rows[index].rank)
    }
  }

  /// Takes out the lowest rank, discarding those of rows that have ended, and returns the index of its row.
  private mutating func nextReady(canWait: Bool) -> Int? {
    while true {
      let call = calls.first ?? .max
      let hop = canWait ? hops.first ?? .max : .max
      let task = canWait && canStartTask ? tasks.first ?? .max : .max
      let rank = min(call, hop, task)
      guard rank < .max else { return nil }
      _ = rank == call ? calls.popFirst() : rank == hop ? hops.popFirst() : tasks.popFirst()
      if let index = rows.index(of: ranked[rank]), rows[index].isReady { return index }
    }
  }

  private mutating func begin(_ index: Int, _ canWait: Bool) -> Step {
    let kind = rows[index].kind
    let isCalled = kind == .call || !canWait
    handOut(index, inTask: !isCalled, isCounted: kind == .task)
    if kind != .task && !isCalled { hopping = rows[index].number }
    return .run(rows[index].item, row: rows[index].number)
  }

  /// Records that a row has its turn.
  ///
  /// - Parameters:
  ///   - index: The index of the row.
  ///   - inTask: `true` if the worker runs in a task, instead of being called in place.
  ///   - isCounted: `true` if the worker counts toward the width of the launch.
  mutating func handOut(_ index: Int, inTask: Bool, isCounted: Bool = false) {
    lastTurn += 1
    (rows[index].turn, rows[index].isInTask) = (lastTurn, inTask)
    rows[index].isCounted = isCounted
    if isCounted { runningTasks += 1 }
    rows[index].state = inTask || rows[index].item.hasCondition ? .starting : .running
  }

  private mutating func openNextPhase() {
    guard let next = LaunchPhase.allCases.first(where: { $0 > phase }) else { return }
    phase = next
    let waiting = later[next.index]
    later[next.index] = []
    for row in waiting { if let index = rows.index(of: row) { offer(index) } }
  }
}
