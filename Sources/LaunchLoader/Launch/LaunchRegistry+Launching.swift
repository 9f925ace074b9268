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
    // Ended already: by itself, where cancelling changes nothing, or because it was skipped or given up.
    guard agenda.isOut(place) else { return (true, true) }
    errands[place] = errand
    return (halt != nil && stage == .launching, false)
  }

  /// Lets a worker that was handed out begin, unless it was skipped, withdrawn or given up meanwhile.
  ///
  /// Called where the worker runs, so that nothing comes between the answer and the call.
  ///
  /// - Returns: Whether the caller is to call the worker.
  package mutating func begin(at place: Int) -> Bool { agenda.claimBegin(place) }

  /// Lets a worker that has returned, or that is not wanted, record its end.
  ///
  /// - Returns: Whether the caller is to make the outcome known, and then to record it; not if the worker
  ///   was skipped, withdrawn or given up.
  package mutating func claimEnd(at place: Int) -> Bool { agenda.claimEnd(place) }

  /// Gives up on a worker that has taken too long, unless it has ended or is synchronous and has begun.
  ///
  /// - Returns: The worker, to be left behind.
  package mutating func giveUp(_ place: Int) -> LaunchOverrun? {
    agenda.giveUp(place) ? overrun(at: place) : nil
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
    guard agenda.has(place) else { return nil }
    return settle(place, times, outcome)
  }

  /// Records that a worker has been undone, or that its clean-up took too long.
  package mutating func undone(_ place: Int, _ outcome: LaunchOutcome = .undone) {
    agenda.setUndone(place, outcome)
  }

  /// The name of a worker of the launch.
  func id(at place: Int) -> LaunchID { agenda.row(at: place).id }

  /// The workers of the launch that were handed out and have not ended.
  ///
  /// - Complexity: O(*n*) in the number of workers.
  package var unfinished: [LaunchID] {
    agenda.rows.filter { row in
      switch row.status {
      case .starting, .running, .ending: true
      case .waiting, .withdrawn, .ended: false
      }
    }
    .map(\.id)
  }

  /// Skips everything that has not begun.
  ///
  /// - Returns: The tasks to cancel, and whom to wake.
  package mutating func cancel() -> LaunchAftermath {
    guard stage == .launching, halt == nil else { return LaunchAftermath() }
    var aftermath = LaunchAftermath()
    halt(.skipped(because: nil), &aftermath)
    aftermath.wake = wake()
    return aftermath
  }

  /// Skips everything that has not begun, because the launch has taken too long.
  ///
  /// - Returns: What runs and is left behind, and what to do.
  package mutating func expire() -> (overruns: [LaunchOverrun], aftermath: LaunchAftermath) {
    var aftermath = LaunchAftermath()
    guard stage == .launching else { return ([], aftermath) }
    if policy != .continue && verdict == .fine { verdict = .failed }
    halt(.skipped(because: nil), &aftermath)
    aftermath.wake = wake()
    return (agenda.giveUpRunning().map { overrun(at: $0) }, aftermath)
  }

  /// Refuses all registrations from now on; a running launch goes on with what it has.
  ///
  /// - Returns: What to refuse because it will not begin any more, whether there will be no launch, and
  ///   what to do.
  package mutating func stop() -> (
    refused: [LaunchRegistration], endsAll: Bool, aftermath: LaunchAftermath
  ) {
    guard !isStopping else { return ([], false, LaunchAftermath()) }
    isStopping = true
    switch stage {
    case .collecting:
      let rows = roster.takeRows().filter { $0.status == .waiting }
      return (rows.map(\.registration), true, LaunchAftermath())
    case .launching:
      return ([], false, LaunchAftermath())
    case .launched:
      var aftermath = LaunchAftermath(skipped: skipAll(.refused))
      aftermath.wake = wake()
      return ([], false, aftermath)
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
      halt = .skipped(because: nil)
      _ = skipAll(.skipped(because: nil))
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
      if isFailure(outcome) {
        verdict = .failed
        var failed = aftermath ?? LaunchAftermath()
        halt(.skipped(because: agenda.row(at: place).id), &failed)
        aftermath = failed
      } else if policy == .rollback && registration.isUndoable && outcome.isFinished {
        finished.append(place)
      }
    }
    let wake = wake()
    if wake != .nobody || stage == .launched {
      aftermath = aftermath ?? LaunchAftermath()
      aftermath?.wake = wake
      aftermath?.dropped = takeEndedAfterLaunch()
    }
    return aftermath
  }

  /// Whether an outcome fails a launch that stops at failures.
  ///
  /// A worker that gives way to the cancellation of its launch has not failed.
  private func isFailure(_ outcome: LaunchOutcome) -> Bool {
    let isCancelled = halt != nil && verdict == .fine
    return outcome.isFailure && !(isCancelled && outcome.isCancellation)
  }

  /// Lets nothing more begin, unless that is so already.
  ///
  /// It wakes nobody: the caller does, once, after everything else that it records.
  private mutating func halt(_ outcome: LaunchOutcome, _ aftermath: inout LaunchAftermath) {
    guard halt == nil else { return }
    halt = outcome
    aftermath.skipped = skipAll(outcome)
    aftermath.cancelled = Array(errands.values)
  }

  /// Gives everything that has not begun an outcome.
  ///
  /// - Returns: The tasks of what was handed out.
  private mutating func skipAll(_ outcome: LaunchOutcome) -> [LaunchErrand] {
    agenda.skipAll(outcome).compactMap { errands.removeValue(forKey: $0) }
  }

  private func overrun(at place: Int) -> LaunchOverrun {
    LaunchOverrun(
      place: place,
      registration: agenda.registration(at: place),
      errand: errands[place]
    )
  }

  /// The program is about to end: what was to come after the launch does not begin.
  private mutating func refuseIdle(_ runner: Runner) -> Step? {
    _ = agenda.skipAll(from: .idle, .refused)
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

  /// Takes rows out that have ended, if the launch is over.
  mutating func takeEndedAfterLaunch() -> [LaunchRow] {
    stage == .launched ? takeEnded() : []
  }

  /// Takes out the rows that have ended, all or as soon as they are more than the others, and remembers how those
  /// with names did.
  private mutating func takeEnded() -> [LaunchRow] {
    let rows = agenda.isOver(upTo: .idle) ? agenda.takeRows() : agenda.takeEndedRows()
    for index in rows.indices where rows[index].status == .ended {
      guard let name = rows[index].name, let outcome = rows[index].outcome else { continue }
      names.set(outcome.isFinished ? .finished : .failed, for: name)
    }
    return rows
  }
}
