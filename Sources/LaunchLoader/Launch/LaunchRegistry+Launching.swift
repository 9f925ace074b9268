/// Running the launch: turns, ends, failures, limits of time, and stopping.
extension LaunchRegistry {
  /// Begins the launch; the first caller wins.
  ///
  /// - Parameters:
  ///   - options: What the workers receive.
  ///   - actor: The actor that the launch begins on, as far as it is known.
  /// - Returns: Whether the caller runs the launch.
  /// - Complexity: That of ``LaunchPlanner/plan(_:)``.
  package mutating func claim(_ options: LaunchOptions, on actor: ObjectIdentifier? = nil) -> Bool {
    guard isCollecting else { return false }
    stage = .launching
    self.options = options
    agenda = LaunchAgenda(width: width, home: actor)
    if roster.isPlain { agenda.fill(from: &roster) } else { plan(roster.takeRows()) }
    for place in agenda.rows.indices {
      if let name = agenda.rows[place].name { names.set(.pending(at: place), for: name) }
    }
    return true
  }

  /// Says what the one that runs a launch does next.
  ///
  /// - Complexity: Amortized O(1); O(log *n*) where dependencies change the order.
  package mutating func next(for runner: Runner) -> Step {
    let last = stage == .launched ? LaunchPhase.idle : .late
    switch agenda.next(canWait: runner == .task, upTo: last) {
    case .run(let registration, let place)?: return .run(registration, at: place)
    case .skip(let registration, let outcome)?: return .skip(registration, outcome)
    case nil: break
    }
    if stage == .launched {
      hasRunner = false
      return .rest(takeEnded())
    }
    guard agenda.isOver(upTo: .late) else {
      isWaitedOn = true
      return .wait
    }
    if verdict != .fine, let place = finished.last {
      guard runner == .task else {
        isWaitedOn = true
        return .wait
      }
      finished.removeLast()
      return .undo(agenda.row(at: place).registration, at: place)
    }
    return isStopping ? refuseIdle(runner) ?? conclude() : conclude()
  }

  /// Remembers the tasks of a worker that has begun, so that cancelling reaches them.
  ///
  /// - Returns: Which of them the caller has to cancel.
  package mutating func adopt(
    _ errand: LaunchErrand,
    at place: Int
  ) -> (cancelsTask: Bool, cancelsWatch: Bool) {
    // Ended already: by itself, where cancelling changes nothing, or because it was given up.
    guard agenda.isRunning(place), !agenda.row(at: place).isEnding else { return (true, true) }
    errands[place] = errand
    return (halt != nil && stage == .launching, false)
  }

  /// Lets the task of a worker record its end, unless the worker was given up.
  ///
  /// - Returns: Whether the caller is to make the outcome known, and then to record it.
  package mutating func claimEnd(at place: Int) -> Bool {
    agenda.claimEnd(place, hasReturned: true)
  }

  /// Gives up on a worker that has taken too long, unless it has ended.
  ///
  /// - Returns: The worker, whose outcome the caller is to make known, and then to record; and the task to
  ///   cancel.
  package mutating func giveUp(_ place: Int) -> (LaunchRegistration, LaunchErrand?)? {
    guard agenda.claimEnd(place, hasReturned: false) else { return nil }
    return (agenda.registration(at: place), errands[place])
  }

  /// Records the end of a worker; `times` is `nil` if it did not run after all.
  ///
  /// Its outcome is known by then: whoever learns from here that the launch goes on can rely on that.
  ///
  /// - Returns: What to do, if there is anything.
  /// - Complexity: O(1), and O(*d*) in the number of those that waited for it.
  package mutating func end(
    at place: Int,
    _ times: LaunchTimes?,
    _ outcome: LaunchOutcome
  ) -> LaunchAftermath? {
    guard agenda.isRunning(place) else { return nil }
    return settle(place, times, outcome)
  }

  /// Records that a worker has been undone.
  package mutating func undone(_ place: Int) { agenda.setUndone(place) }

  /// Skips everything that has not begun.
  ///
  /// - Returns: The tasks to cancel, and whom to wake.
  package mutating func cancel() -> LaunchAftermath {
    guard stage == .launching, halt == nil else { return LaunchAftermath() }
    return halt(.skipped(because: nil))
  }

  /// Skips everything that has not begun, because the launch has taken too long.
  ///
  /// - Returns: The places of what runs, to be given up, and what to do.
  package mutating func expire() -> (
    running: [(place: Int, start: Duration?)], aftermath: LaunchAftermath
  ) {
    guard stage == .launching else { return ([], LaunchAftermath()) }
    if policy != .continue && verdict == .fine { verdict = .failed }
    let running = agenda.running.filter { agenda.row(at: $0).registration.kind != .inline }
      .map { (place: $0, start: errands[$0]?.start) }
    return (running, halt == nil ? halt(.skipped(because: nil)) : LaunchAftermath(wake: wake()))
  }

  /// Refuses all registrations from now on; a running launch goes on with what it has.
  ///
  /// - Returns: What to refuse because it will not begin any more, whether there will be no launch, and
  ///   whom to wake.
  package mutating func stop() -> (
    refused: [LaunchRegistration], endsAll: Bool, wake: LaunchWake
  ) {
    guard !isStopping else { return ([], false, .nobody) }
    isStopping = true
    switch stage {
    case .collecting:
      let rows = roster.takeRows().filter { $0.status == .waiting }
      return (rows.map(\.registration), true, .nobody)
    case .launching:
      return ([], false, .nobody)
    case .launched:
      agenda.skipAll(.refused)
      return ([], false, wake())
    }
  }

  private mutating func plan(_ rows: [LaunchRow]) {
    let places = rows.indices.filter { rows[$0].status == .waiting }
    let workers = places.map {
      LaunchPlanner.Worker(rows[$0].registration.id, rows[$0].registration.terms)
    }
    let schedule = LaunchPlanner.plan(workers)
    agenda.fill(rows, planned: places, schedule)
    problems = schedule.faults.map { LaunchProblem($0) { rows[places[$0]] } }
    if policy != .continue && !problems.isEmpty {
      verdict = .impossible
      _ = halt(.skipped(because: nil))
    }
  }

  private mutating func settle(
    _ place: Int,
    _ times: LaunchTimes?,
    _ outcome: LaunchOutcome
  ) -> LaunchAftermath? {
    agenda.end(place, times, outcome)
    var aftermath: LaunchAftermath?
    if !errands.isEmpty, let errand = errands.removeValue(forKey: place) {
      aftermath = LaunchAftermath(errand: errand)
    }
    if stage == .launching && policy != .continue {
      let registration = agenda.registration(at: place)
      if outcome.isFailure {
        aftermath = aftermath ?? LaunchAftermath()
        aftermath?.cancelled = fail(because: agenda.row(at: place).id)
      } else if policy == .rollback && registration.isUndoable && outcome.isFinished {
        finished.append(place)
      }
    }
    let wake = wake()
    if wake != .nobody || stage == .launched {
      aftermath = aftermath ?? LaunchAftermath()
      aftermath?.wake = wake
      if stage == .launched && !hasRunner { aftermath?.dropped = takeEnded() }
    }
    return aftermath
  }

  /// Stops the launch because of a worker.
  private mutating func fail(because id: LaunchID) -> [LaunchErrand] {
    verdict = .failed
    return halt == nil ? halt(.skipped(because: id)).cancelled : []
  }

  private mutating func halt(_ outcome: LaunchOutcome) -> LaunchAftermath {
    halt = outcome
    agenda.skipAll(outcome)
    return LaunchAftermath(cancelled: Array(errands.values), wake: wake())
  }

  /// The program is about to end: what was to come after the launch does not begin.
  private mutating func refuseIdle(_ runner: Runner) -> Step? {
    agenda.skipAll(from: .idle, .refused)
    guard case .skip(let registration, let outcome)? = agenda.next(canWait: false, upTo: .late)
    else { return nil }
    return .skip(registration, outcome)
  }

  private mutating func conclude() -> Step {
    stage = .launched
    let summary = LaunchSummary(rows: agenda.rows, problems: problems, verdict: verdict)
    problems = []
    finished = []
    agenda.openLastPhase()
    hasRunner = !agenda.isOver(upTo: .idle)
    _ = takeEnded()
    return .over(summary, goesOn: hasRunner)
  }

  /// Takes the rows out when all have ended, and remembers how those with names did.
  private mutating func takeEnded() -> [LaunchRow] {
    guard agenda.isOver(upTo: .idle) else { return [] }
    let rows = agenda.takeRows()
    for index in rows.indices where rows[index].status == .ended {
      guard let name = rows[index].name, let outcome = rows[index].outcome else { continue }
      names.set(outcome.isFinished ? .finished : .failed, for: name)
    }
    return rows
  }
}
