/// Registrations before, during and after the launch.
extension LaunchRegistry {
  /// Decides about a registration.
  ///
  /// - Complexity: Amortized O(1) before the launch; O(*d*) in the number of dependencies after that.
  package mutating func register(_ registration: LaunchRegistration) -> Acceptance {
    guard !isStopping else { return .dismissed(.refused, original: nil) }
    var name: Int?
    if let id = registration.id {
      let row = schedule.nextRow
      let (number, taken) = names.take(id, for: registration, row: row)
      if let taken {
        addDuplicate(registration, of: id)
        return .dismissed(.duplicate(of: id), original: taken)
      }
      name = number
    }
    let row = row(for: registration, name: name)
    switch stage {
    case .collecting:
      schedule.append(row)
      return .kept(row: row.number, .noRunner)
    case .launching: return join(row)
    case .launched: return comeLate(row)
    }
  }

  /// The work of a name that is taken: what it makes, its source site, its registration until it has its
  /// outcome, and then the outcome; without a row only if it was skipped.
  typealias Maker = (
    makes: LaunchKeys?, site: LaunchSite, pending: LaunchRegistration?, outcome: LaunchOutcome?
  )

  /// Returns the work of a name, or `nil` if the name is not taken.
  ///
  /// - Complexity: O(1); O(log *n*) after rows were removed.
  func maker(of id: LaunchID) -> Maker? {
    guard let entry = names[id] else { return nil }
    guard entry.hasFinished == nil, schedule.has(entry.row) else {
      return (entry.makes, entry.site, nil, entry.skipped)
    }
    let row = schedule[entry.row]
    let outcome = undoing == row.number ? .undone : row.outcome
    return (entry.makes, entry.site, outcome == nil ? row.registration : nil, outcome)
  }

  /// Withdraws a registration that has not begun, and frees its name.
  ///
  /// If the launch has begun, the work that needs it is skipped.
  ///
  /// - Returns: The registration to dismiss and the remaining actions; `nil` if it has begun or ended.
  /// - Complexity: O(log *n*), amortized.
  package mutating func withdraw(
    _ row: Int
  ) -> (registration: LaunchRegistration, effects: LaunchEffects)? {
    guard schedule.withdraw(row) else { return nil }
    let registration = schedule[row].registration
    if let id = registration.id { names.release(id) }
    var effects = LaunchEffects(cancelled: takeTasks([row]), wake: wake())
    switch stage {
    case .collecting: effects.dropped = schedule.takeWithdrawnRows()
    case .launching: break
    case .launched: effects.dropped = takeEnded()
    }
    return (registration, effects)
  }

  private mutating func row(for registration: LaunchRegistration, name: Int?) -> LaunchRow {
    let isNameless = registration.id == nil && stage != .launched
    return LaunchRow(
      registration,
      number: schedule.nextRow,
      name: name,
      siteNumber: isNameless ? Self.countUp(&siteCounts[registration.site, default: 0]) : 0
    )
  }

  /// A separate function, so that the line is looked up once.
  private static func countUp(_ count: inout Int) -> Int {
    count += 1
    return count
  }

  /// Adds a row for the report, unless the launch is over.
  private mutating func addDuplicate(_ registration: LaunchRegistration, of id: LaunchID) {
    guard stage != .launched else { return }
    var row = row(for: registration, name: nil)
    row.status = .ended
    row.outcome = .duplicate(of: id)
    schedule.append(row)
  }

  /// Adds a row to the running launch.
  private mutating func join(_ row: LaunchRow) -> Acceptance {
    var row = row
    row.phase = max(row.phase, schedule.phase)
    let unmet = unmetDependency(of: row)
    if let problem = unmet?.problem { problems.append(problem) }
    schedule.append(row)
    if let outcome = halt ?? unmet.map({ .skipped(because: $0.id) }) {
      schedule.skip(row.number, outcome)
    } else {
      connect(row)
      schedule.schedule(row.number)
    }
    return .kept(row: row.number, wake())
  }

  /// Adds a row after the launch, unless the work needs no row.
  ///
  /// No report will contain a need of the wrong type, so it is the outcome. The name remains free for a
  /// registration with the right need.
  private mutating func comeLate(_ row: LaunchRow) -> Acceptance {
    guard let options else { return .dismissed(.refused, original: nil) }
    if row.name == nil && row.registration.isPlain && row.registration.isInline {
      return .runsNow(options, row: nil)
    }
    if let unmet = unmetDependency(of: row) {
      if let problem = unmet.problem, case .mismatch = problem.code {
        if let id = row.registration.id { names.release(id) }
        return .dismissed(.failed(problem), original: nil)
      }
      let outcome = LaunchOutcome.skipped(because: unmet.id)
      // It has no row: another registration receives the number.
      if let name = row.name { names.record(outcome, for: name) }
      return .dismissed(outcome, original: nil)
    }
    var row = row
    row.phase = .idle
    schedule.append(row)
    connect(row)
    if schedule[row.number].waitCount > 0 {
      schedule.schedule(row.number)
      return .kept(row: row.number, wake())
    }
    schedule.handOut(row.number, isDirect: row.registration.isInline)
    return .runsNow(options, row: row.number)
  }

  /// Returns the first dependency of a new row that can no longer be met, and the fault in it, unless the
  /// work of that name just did not finish.
  private func unmetDependency(of row: LaunchRow) -> (id: LaunchID, problem: LaunchError?)? {
    for (index, id) in row.registration.after.enumerated() {
      var problem: LaunchError?
      if id == row.registration.id {
        problem = LaunchError(cycle: [row, row])
      } else if let entry = entry(of: id) {
        if index < row.registration.needs.count, entry.makes != row.registration.needs[index] {
          let need = row.registration.needs[index]
          problem = LaunchError(mismatch: need, entry.makes, at: entry.site, neededBy: row)
        } else {
          guard entry.hasFinished == false else { continue }
        }
      } else {
        problem = LaunchError(missing: id, neededBy: row)
      }
      return (id, problem)
    }
    return nil
  }

  /// Makes a new row wait for its pending dependencies, and moves them to its phase.
  private mutating func connect(_ row: LaunchRow) {
    var targets: [Int] = []
    row.registration.forEachDependency { id, isHard in
      guard let target = pendingRow(of: id), target != row.number else { return }
      schedule.wait(row.number, for: target, isHard: isHard)
      targets.append(target)
    }
    move(targets, to: row.phase)
  }

  /// Moves rows and their transitive dependencies to an earlier phase, preserving the order of
  /// registration.
  ///
  /// - Complexity: O(*m* log *m* + *e*) in the numbers of moved rows and of their dependencies.
  private mutating func move(_ rows: [Int], to phase: LaunchPhase) {
    var found = rows
    var moved: [Int] = []
    while let row = found.popLast() {
      guard schedule.move(row, to: phase) else { continue }
      moved.append(row)
      schedule[row].registration.forEachDependency { id, _ in
        if let target = pendingRow(of: id), target != row { found.append(target) }
      }
    }
    for row in moved.sorted() { schedule.schedule(row) }
  }

  private func pendingRow(of id: LaunchID) -> Int? {
    entry(of: id).flatMap { $0.hasFinished == nil ? $0.row : nil }
  }

  /// Returns the entry of a name with the result that its row has by now.
  func entry(of id: LaunchID) -> LaunchNames.Entry? {
    guard var entry = names[id] else { return nil }
    if entry.hasFinished == nil, schedule.has(entry.row) {
      entry.hasFinished = schedule[entry.row].outcome?.isFinished
    }
    return entry
  }
}
