internal import EventBus

/// Registrations before, during and after the launch.
extension LaunchRegistry {
  /// Decides about a registration.
  ///
  /// - Complexity: Amortized O(1) before the launch; O(*d*) in the number of dependencies after that.
  package mutating func register(_ registration: LaunchItem) -> Acceptance {
    defer { checkInvariants(ofSize: schedule.rows.count, _checkInvariants()) }
    guard !isStopping else { return .dismissed(.refused, original: nil) }
    var siteNumber = 0
    if let id = registration.id {
      if let taken = names.take(id, for: schedule.nextRow) {
        let original = work(in: taken)?.site
        addDuplicate(registration, of: id)
        return .dismissed(.duplicate(of: id), original: original)
      }
    } else if stage != .launched {
      siteNumber = siteCounts.update(registration.site, default: 0) { count in
        count += 1
        return count
      }
    }
    let row = LaunchRow(registration, number: schedule.nextRow, siteNumber: siteNumber)
    switch stage {
    case .collecting:
      schedule.append(row)
      return .kept(row: row.number, .noRunner)
    case .launching: return join(row)
    case .launched: return comeLate(row)
    }
  }

  /// Returns the work of a name, or `nil` if the name is not taken.
  ///
  /// - Complexity: O(1); O(log *n*) after rows were removed.
  func work(of id: LaunchID) -> NamedWork? { names.row(of: id).flatMap(work(in:)) }

  private func work(in row: Int) -> NamedWork? {
    if let row = schedule[row] { return work(of: row) }
    return ended[row] ?? launched.index(of: row).map { work(of: launched[$0]) }
  }

  private func work(of row: LaunchRow) -> NamedWork {
    let outcome = undoing == row.number ? .undone : row.outcome
    let registration = row.registration
    return NamedWork(
      site: registration.site,
      makes: registration.makes,
      pending: outcome == nil ? registration : nil,
      hasFinished: row.outcome?.isFinished ?? false,
      outcome: outcome
    )
  }

  /// Records the outcome of named work that has no row, or no longer has one.
  mutating func record(_ outcome: LaunchOutcome, of registration: LaunchItem, row: Int) {
    let kept: LaunchOutcome? =
      switch outcome {
      case .finished: nil
      case .failed: .failed(UnkeptError())
      case .skipped, .timedOut, .undone, .duplicate, .refused: outcome
      }
    ended[row] = NamedWork(
      site: registration.site,
      makes: registration.makes,
      pending: nil,
      hasFinished: outcome.isFinished,
      outcome: kept
    )
  }

  /// Withdraws a registration that has not begun, and frees its name.
  ///
  /// If the launch has begun, the work that needs it is skipped.
  ///
  /// - Returns: The registration to dismiss and the remaining actions; `nil` if it has begun or ended.
  /// - Complexity: O(log *n*), amortized.
  package mutating func withdraw(
    _ row: Int
  ) -> (registration: LaunchItem, effects: LaunchEffects)? {
    defer { checkInvariants(ofSize: schedule.rows.count, _checkInvariants()) }
    guard let registration = schedule.withdraw(row) else { return nil }
    if let id = registration.id { names.release(id) }
    var effects = LaunchEffects(cancelled: takeTasks([row]), wake: wake())
    switch stage {
    case .collecting: effects.dropped = schedule.takeWithdrawnRows()
    case .launching: break
    case .launched: effects.dropped = takeEnded()
    }
    return (registration, effects)
  }

  /// Adds a row for the report, unless the launch is over.
  private mutating func addDuplicate(_ registration: LaunchItem, of id: LaunchID) {
    guard stage != .launched else { return }
    let result = LaunchResult(.duplicate(of: id))
    schedule.append(LaunchRow(registration, number: schedule.nextRow, result: result))
  }

  /// Adds a row to the running launch.
  private mutating func join(_ row: LaunchRow) -> Acceptance {
    var row = row
    row.phase = max(row.phase, schedule.phase)
    let unmet = unmetDependency(of: row)
    if let problem = unmet?.problem { problems.append(suggestingName(in: problem, of: row)) }
    let index = schedule.append(row)
    if let outcome = halt ?? unmet.map({ .skipped(because: $0.id) }) {
      schedule.skip(index, outcome)
    } else {
      connect(row, at: index)
      schedule.schedule(index)
    }
    return .kept(row: row.number, wake())
  }

  /// Adds a row after the launch, unless the work needs no row.
  ///
  /// No report will contain a need of the wrong type, so it is the outcome. The name remains free for a
  /// registration with the right need.
  private mutating func comeLate(_ row: LaunchRow) -> Acceptance {
    guard let options else { return .dismissed(.refused, original: nil) }
    if row.registration.id == nil && row.registration.isPlain && row.registration.isInline {
      return .runsNow(options, row: nil)
    }
    if let unmet = unmetDependency(of: row) {
      if let problem = unmet.problem, case .mismatch = problem.code {
        if let id = row.registration.id { names.release(id) }
        return .dismissed(.failed(problem), original: nil)
      }
      let outcome = LaunchOutcome.skipped(because: unmet.id)
      if row.registration.id != nil { record(outcome, of: row.registration, row: row.number) }
      schedule.skipNumber()
      return .dismissed(outcome, original: nil)
    }
    var row = row
    row.phase = .idle
    let index = schedule.append(row)
    connect(row, at: index)
    if !schedule.rows[index].isReady {
      schedule.schedule(index)
      return .kept(row: row.number, wake())
    }
    schedule.handOut(index, isDirect: row.registration.isInline)
    return .runsNow(options, row: row.number)
  }

  /// Returns the first dependency of a new row that can no longer be met, and the fault in it, unless the
  /// work of that name just did not finish.
  private func unmetDependency(of row: LaunchRow) -> (id: LaunchID, problem: LaunchError?)? {
    for (index, id) in row.registration.after.enumerated() {
      var problem: LaunchError?
      if id == row.registration.id {
        problem = LaunchError(cycle: [row, row])
      } else if let work = work(of: id) {
        if index < row.registration.needs.count, work.makes != row.registration.needs[index] {
          let need = row.registration.needs[index]
          problem = LaunchError(mismatch: need, work.makes, at: work.site, neededBy: row)
        } else if work.pending != nil || work.hasFinished {
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
  private func suggestingName(in problem: LaunchError, of row: LaunchRow) -> LaunchError {
    guard case .unknown(let id, _) = problem.code, problems.count < NameSuggestions.launchLimit
    else { return problem }
    let suggestion = names.suggestions.nearest(to: id, neededBy: row)
    return LaunchError(missing: id, neededBy: row, suggestion: suggestion)
  }

  /// Makes a new row wait for its pending dependencies, and moves them to its phase.
  private mutating func connect(_ row: LaunchRow, at index: Int) {
    var targets: [Int] = []
    row.registration.forEachDependency { id, isHard in
      guard let target = pendingRow(of: id), target != index else { return }
      schedule.wait(index, for: target, isHard: isHard)
      targets.append(target)
    }
    move(targets, to: row.phase)
  }

  /// Moves rows and their transitive dependencies to an earlier phase, preserving the order of
  /// registration.
  ///
  /// - Complexity: O(*m* log *m* + *e*) in the numbers of moved rows and of their dependencies.
  private mutating func move(_ indices: [Int], to phase: LaunchPhase) {
    var found = indices
    var moved: [Int] = []
    while let index = found.popLast() {
      guard schedule.move(index, to: phase) else { continue }
      moved.append(index)
      schedule.rows[index].registration.forEachDependency { id, _ in
        if let target = pendingRow(of: id), target != index { found.append(target) }
      }
    }
    for index in moved.ordered(by: <) { schedule.schedule(index) }
  }

  /// Returns the index of the work of a name, until it has its outcome.
  private func pendingRow(of id: LaunchID) -> Int? {
    guard let index = names.row(of: id).flatMap({ schedule.rows.index(of: $0) }) else { return nil }
    return schedule.rows[index].outcome == nil ? index : nil
  }
}

/// Stands for the error of work that failed after the launch.
private struct UnkeptError: Error, CustomStringConvertible {
  var description: String { "an error that only its registration keeps" }
}
