/// Registrations before, during and after the launch.
extension LaunchRegistry {
  /// Decides about a registration.
  ///
  /// - Complexity: Amortized O(1) before the launch; O(*d*) in the number of dependencies after that.
  package mutating func register(_ registration: LaunchRegistration) -> Acceptance {
    guard !isStopping else { return .refused }
    var name: Int?
    if let id = registration.id {
      let (number, taken) = names.take(id, at: registration.site)
      if let taken {
        recordDuplicate(registration, of: id)
        return .duplicate(of: id, at: taken)
      }
      name = number
    }
    let row = row(for: registration, name: name)
    switch stage {
    case .collecting:
      roster.append(row)
      return .kept(row.serial, .noRunner)
    case .launching: return join(row)
    case .launched: return comeLate(row)
    }
  }

  /// Withdraws a registration that has not begun, and frees its name.
  ///
  /// If the launch has begun, the work that needs it is skipped.
  ///
  /// - Returns: The registration to dismiss and the remaining actions; `nil` if it has begun or ended.
  /// - Complexity: O(log *n*), amortized.
  package mutating func withdraw(
    _ serial: UInt64
  ) -> (registration: LaunchRegistration, aftermath: LaunchAftermath)? {
    guard stage != .collecting else {
      guard let registration = roster.withdraw(serial)?.registration else { return nil }
      if let id = registration.id { names.release(id) }
      return (registration, LaunchAftermath())
    }
    guard let place = agenda.withdraw(serial) else { return nil }
    let registration = agenda.registration(at: place)
    if let id = registration.id { names.release(id) }
    var aftermath = LaunchAftermath()
    if let tasks = workerTasks.removeValue(forKey: place) { aftermath.skipped = [tasks] }
    aftermath.wake = wake()
    aftermath.dropped = takeEndedAfterLaunch()
    return (registration, aftermath)
  }

  /// The registrations that a launch would run now, in order of registration.
  ///
  /// - Complexity: O(*n*).
  var waitingRows: [LaunchRow] { roster.rows.filter { $0.status == .waiting } }

  private mutating func row(for registration: LaunchRegistration, name: Int?) -> LaunchRow {
    lastSerial += 1
    let isNameless = registration.id == nil && stage != .launched
    return LaunchRow(
      registration,
      serial: lastSerial,
      name: name,
      number: isNameless ? Self.countUp(&siteCounts[registration.site, default: 0]) : 0,
      phase: registration.terms.phase
    )
  }

  /// A separate function, so that the line is looked up once.
  private static func countUp(_ count: inout Int) -> Int {
    count += 1
    return count
  }

  private mutating func recordDuplicate(_ registration: LaunchRegistration, of id: LaunchID) {
    guard stage != .launched else { return }
    var row = row(for: registration, name: nil)
    row.status = .ended
    row.outcome = .duplicate(of: id)
    if stage == .collecting { roster.append(row) } else { _ = agenda.append(row) }
  }

  /// Adds a row to the running launch.
  private mutating func join(_ row: LaunchRow) -> Acceptance {
    var row = row
    row.phase = max(row.phase, agenda.phase)
    let unmet = unmetDependency(of: row)
    let place = add(row)
    if let halt {
      agenda.skip(place, halt)
    } else if let unmet {
      agenda.skip(place, .skipped(because: unmet))
    } else {
      connect(row, at: place)
      agenda.schedule(place)
    }
    return .kept(row.serial, wake())
  }

  /// Adds a row after the launch, unless the work needs no row.
  private mutating func comeLate(_ row: LaunchRow) -> Acceptance {
    guard let options else { return .refused }
    if row.name == nil && row.registration.isPlain && row.registration.kind == .inline {
      return .runsNow(options, at: nil)
    }
    if let unmet = unmetDependency(of: row) {
      if let name = row.name { names.set(.failed, for: name) }
      return .skipped(because: unmet)
    }
    var row = row
    row.phase = .idle
    let place = add(row)
    connect(row, at: place)
    if agenda.waitCounts[place] != nil {
      agenda.schedule(place)
      return .kept(row.serial, wake())
    }
    agenda.handOut(place, isDirect: row.registration.kind == .inline)
    return .runsNow(options, at: place)
  }

  private mutating func add(_ row: LaunchRow) -> Int {
    let place = agenda.append(row)
    if let name = row.name { names.set(.pending(at: place), for: name) }
    return place
  }

  /// Returns the first dependency of a new row that can no longer be met.
  private mutating func unmetDependency(of row: LaunchRow) -> LaunchID? {
    for id in row.registration.terms.after {
      if id == row.registration.id {
        note(.cycle([0, 0]), row)
        return id
      }
      switch standing(of: id) {
      case nil:
        note(.missing(id, neededBy: 0), row)
        return id
      case .failed: return id
      case .finished, .pending: break
      }
    }
    return nil
  }

  /// Makes a new row wait for its pending dependencies, and moves them to its phase.
  private mutating func connect(_ row: LaunchRow, at place: Int) {
    let terms = row.registration.terms
    var targets: [Int] = []
    for (index, id) in (terms.after + terms.afterIfPresent).enumerated() {
      guard case .pending(let target)? = standing(of: id), target != place else { continue }
      agenda.wait(place, for: target, isHard: index < terms.after.count)
      targets.append(target)
    }
    move(targets, to: row.phase)
  }

  /// Records a fault of a new row, unless the launch is over.
  private mutating func note(_ fault: LaunchPlanner.Fault, _ row: LaunchRow) {
    if stage == .launching { problems.append(LaunchError(fault) { _ in row }) }
  }

  /// Moves rows and their transitive dependencies to an earlier phase, preserving the order of
  /// registration.
  ///
  /// - Complexity: O(*m* log *m* + *e*) in the numbers of moved rows and of their dependencies.
  private mutating func move(_ places: [Int], to phase: LaunchPhase) {
    var found = places
    var moved: [Int] = []
    while let place = found.popLast() {
      guard agenda.move(place, to: phase) else { continue }
      moved.append(place)
      let terms = agenda.row(at: place).registration.terms
      for id in terms.after + terms.afterIfPresent {
        if case .pending(let target)? = standing(of: id), target != place { found.append(target) }
      }
    }
    for place in moved.sorted() { agenda.schedule(place) }
  }

  private func standing(of id: LaunchID) -> LaunchNames.Standing? {
    let standing = names.standing(of: id)
    guard case .pending(let place)? = standing, agenda.has(place) else { return standing }
    let row = agenda.row(at: place)
    guard let outcome = row.outcome else { return standing }
    return outcome.isFinished ? .finished : .failed
  }
}
