internal import EventBus

/// Registrations before, during and after the launch.
extension LaunchMachine {
  /// Registers work.
  ///
  /// - Returns: The row that withdraws the work, or that the caller runs now, after the launch; `nil` if the work was
  ///   refused.
  /// - Complexity: Amortized O(1) before the launch; O(*d*) in the number of dependencies after that.
  package mutating func register(_ item: LaunchItem) -> (row: Int?, runsNow: Bool) {
    defer { checkInvariants(ofSize: rows.count, _checkInvariants()) }
    if isStopping {
      outbox.append(.refused(item, .refused, original: nil))
      return (nil, false)
    }
    if !item.isPlain { isPlain = false }
    rows.append(Row(item, number: nextRow))
    nextRow += 1
    let index = rows.count - 1
    guard readsNames else { return (rows[index].number, false) }
    if !takeName(index) {
      if stage == .launched { rows.removeLast() }
      return (nil, false)
    }
    switch stage {
    case .collecting: break
    case .launching: join(index)
    case .launched: return comeLate(index)
    }
    return (rows[index].number, false)
  }

  /// Reads the names of the work that was registered so far, and of later work when it is registered.
  ///
  /// Of several registrations with one name, the first is used. Called before anything that depends on names: a
  /// dictionary that is filled before `main` could not be read after it, because the static standard library may seed
  /// its hash function in between.
  ///
  /// - Complexity: O(*n*) the first time, O(1) after that.
  package mutating func readNames() {
    if readsNames { return }
    readsNames = true
    names.reserveCapacity(rows.count)
    for index in rows.indices { _ = takeName(index) }
  }

  /// Takes the name of a new row, or ends it if the name is taken.
  private mutating func takeName(_ index: Int) -> Bool {
    let item = rows[index].item
    guard let id = item.id else {
      if stage != .launched {
        func increment(_ count: inout Int) -> Int {
          count += 1
          return count
        }
        rows[index].siteNumber = increment(&siteCounts[item.site, default: 0])
      }
      return true
    }
    guard let taken = names.updateValue(rows[index].number, forKey: id) else { return true }
    if past[taken]?.isFree == true {
      past[taken] = nil
      return true
    }
    names[id] = taken
    (rows[index].state, rows[index].outcome) = (.ended, .duplicate(of: id))
    outbox.append(.refused(item, .duplicate(of: id), original: named(taken)?.site))
    return false
  }

  /// Returns the work of a name, or `nil` if the name is not taken.
  ///
  /// - Complexity: O(1); O(log *n*) after rows were removed.
  func work(of id: LaunchID) -> Named? { names[id].flatMap(named) }

  private func named(_ row: Int) -> Named? {
    if let index = rows.index(of: row) { return named(rows[index]) }
    return past[row] ?? launched.index(of: row).map { named(launched[$0]) }
  }

  private func named(_ row: Row) -> Named {
    let pending = row.outcome == nil ? row.item : nil
    return Named(site: row.item.site, makes: row.item.makes, pending: pending, outcome: row.outcome)
  }

  /// Keeps the result of named work that has no row any more, without its error, so that the loader does not
  /// retain that; only that a cancellation has ended the work.
  mutating func record(_ outcome: LaunchOutcome, of row: Row) {
    var kept = outcome
    if case .failed = outcome {
      kept = .failed(outcome.isCancellation ? CancellationError() : UnkeptError())
    }
    past[row.number] =
      Named(site: row.item.site, makes: row.item.makes, pending: nil, outcome: kept)
  }

  /// Withdraws work that has not begun, and frees its name.
  ///
  /// If the launch has begun, the work that needs it is skipped.
  ///
  /// - Returns: The work to settle; `nil` if it has begun or ended.
  /// - Complexity: O(log *n*), amortized.
  package mutating func withdraw(_ row: Int) -> LaunchItem? {
    defer { checkInvariants(ofSize: rows.count, _checkInvariants()) }
    readNames()
    guard let index = rows.index(of: row), rows[index].isPending else { return nil }
    let item = rows[index].item
    if let id = item.id { names[id] = nil }
    if stage == .collecting {
      rows[index].state = .withdrawn
      withdrawnCount += 1
      if withdrawnCount > max(8, rows.count / 2) {
        outbox.append(.released(rows.filter { $0.state == .withdrawn }))
        rows.removeAll { $0.state == .withdrawn }
        withdrawnCount = 0
      }
    } else {
      leave(index, for: .withdrawn)
      release(index, isFinished: false)
      if stage == .launched { releaseEndedRows() }
    }
    return item
  }

  /// Adds a row to the running launch.
  ///
  /// Work that cannot be ordered has the same effect on the launch as before it, except on what has begun.
  private mutating func join(_ index: Int) {
    rows[index].phase = max(rows[index].phase, phase)
    open[rows[index].phase.index] += 1
    let unmet = unmetDependency(of: rows[index])
    if let outcome = halt ?? unmet.map({ .skipped(because: $0.id) }) {
      skip(index, outcome)
    } else {
      connect(index)
      schedule(index)
    }
    guard let problem = unmet?.problem else { return }
    problems.append(suggestingName(in: problem, of: rows[index]))
    // A launch that stops already has its verdict, even if it was only cancelled.
    if policy == .continue || halt != nil { return }
    verdict = .impossible
    halt(.skipped(because: rows[index].id))
  }

  /// Adds a row after the launch, unless the work cannot run.
  ///
  /// No report will contain a need of the wrong type, so it is the outcome. The name remains free for a
  /// registration with the right need, and for one that follows that of a missing dependency.
  private mutating func comeLate(_ index: Int) -> (row: Int?, runsNow: Bool) {
    let row = rows[index]
    if let unmet = unmetDependency(of: row) {
      rows.removeLast()
      var outcome = LaunchOutcome.skipped(because: unmet.id)
      if let problem = unmet.problem, case .mismatch = problem.code {
        if let id = row.item.id { names[id] = nil }
        outcome = .failed(problem)
      } else if row.item.id != nil {
        record(outcome, of: row)
        if case .unknown? = unmet.problem?.code { past[row.number]?.isFree = true }
      }
      outbox.append(.refused(row.item, outcome, original: nil))
      return (nil, false)
    }
    rows[index].phase = .idle
    open[LaunchPhase.idle.index] += 1
    connect(index)
    guard rows[index].isReady else {
      schedule(index)
      return (row.number, false)
    }
    handOut(index, inTask: row.kind != .call)
    return (row.number, true)
  }

  /// Returns the first dependency of a new row that can no longer be met, and the fault in it, unless the
  /// work of that name just did not finish.
  private func unmetDependency(of row: Row) -> (id: LaunchID, problem: LaunchError?)? {
    for (index, id) in row.item.after.enumerated() {
      var problem: LaunchError?
      if id == row.item.id {
        problem = LaunchError(cycle: [row, row])
      } else if let work = work(of: id) {
        if index < row.item.needs.count, work.makes != row.item.needs[index] {
          let need = row.item.needs[index]
          problem = LaunchError(mismatch: need, work.makes, at: work.site, neededBy: row)
        } else if work.outcome?.isFinished ?? true {
          continue
        }
      } else {
        problem = LaunchError(missing: id, neededBy: row)
      }
      return (id, problem)
    }
    return nil
  }

  /// Returns a fault in the dependencies of a new row, with the registered name closest to one that is missing.
  private func suggestingName(in problem: LaunchError, of row: Row) -> LaunchError {
    guard case .unknown(let id, _) = problem.code, problems.count < NameSuggestions.launchLimit
    else { return problem }
    let suggestion = NameSuggestions(rows).nearest(to: id, neededBy: row)
    return LaunchError(missing: id, neededBy: row, suggestion: suggestion)
  }

  /// Makes a new row wait for its pending dependencies, and moves them to its phase, preserving the order of
  /// registration.
  ///
  /// - Complexity: O(*m* log *m* + *e*) in the numbers of moved rows and of their dependencies.
  private mutating func connect(_ index: Int) {
    let phase = rows[index].phase
    var found = pendingDependencies(of: index)
    for (target, isHard) in found { wait(index, for: target, isHard: isHard) }
    var moved: [Int] = []
    while let (target, _) = found.popLast() {
      guard rows[target].state == .waiting, rows[target].phase > phase else { continue }
      open[rows[target].phase.index] -= 1
      open[phase.index] += 1
      rows[target].phase = phase
      moved.append(target)
      found += pendingDependencies(of: target)
    }
    for target in moved.ordered(by: <) { schedule(target) }
  }

  /// Returns the indices of the work that a row names and that has no outcome yet.
  private func pendingDependencies(of index: Int) -> [(index: Int, isHard: Bool)] {
    var targets: [(index: Int, isHard: Bool)] = []
    rows[index].item.forEachDependency { id, isHard in
      guard let target = names[id].flatMap(rows.index), target != index, rows[target].outcome == nil
      else { return }
      targets.append((target, isHard))
    }
    return targets
  }
}

/// A placeholder for the error of work that failed after the launch.
private struct UnkeptError: Error, CustomStringConvertible {
  var description: String { "error not retained; see the outcome of its LaunchRegistration" }
}
