/// Running the launch: turns, ends, failures, time limits and stopping.
extension LaunchRegistry {
  /// Begins the launch for the first caller.
  ///
  /// - Parameters:
  ///   - options: The options that the workers receive.
  ///   - actor: The actor on which the launch begins, if it is known.
  /// - Returns: `true` if the caller runs the launch.
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

  /// Returns the next action of a runner of the launch.
  ///
  /// - Complexity: Amortized O(1); O(log *n*) where dependencies change the order.
  package mutating func next(for runner: Runner) -> Step {
    let last = stage == .launched ? LaunchPhase.idle : .late
    if let step = agenda.next(canWait: runner == .task, upTo: last) { return step }
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

  /// Stores the tasks of a worker that has begun, so that they can be cancelled.
  ///
  /// - Returns: The tasks that the caller must cancel.
  mutating func adopt(
    _ tasks: LaunchTasks,
    at place: Int
  ) -> (cancelsTask: Bool, cancelsWatch: Bool) {
    // Ended already: by itself, in which case cancelling has no effect, or skipped or abandoned.
    guard agenda.isOut(place) else { return (true, true) }
    workerTasks[place] = tasks
    return (halt != nil && stage == .launching, false)
  }

  /// Lets a worker that was handed out begin, unless it was skipped, withdrawn or abandoned meanwhile.
  ///
  /// Called where the worker runs, so that nothing happens between this decision and the call.
  ///
  /// - Returns: `true` if the caller must call the worker.
  package mutating func begin(at place: Int) -> Bool { agenda.claimBegin(place) }

  /// Claims the right to record the end of a worker that has returned or whose condition does not hold.
  ///
  /// - Returns: `true` if the caller must publish the outcome and then record it; `false` if the worker
  ///   was skipped, withdrawn or abandoned.
  mutating func claimEnd(at place: Int) -> Bool { agenda.claimEnd(place) }

  /// Abandons a worker that exceeded its time limit, unless it has ended or is synchronous and has
  /// begun.
  ///
  /// - Returns: The worker to abandon.
  mutating func giveUp(_ place: Int) -> LaunchOverrun? {
    agenda.giveUp(place) ? overrun(at: place) : nil
  }

  /// Records the end of a worker; `times` is `nil` if it did not run.
  ///
  /// The outcome must be published before this call, so that it is available to all code that runs as a
  /// result.
  ///
  /// - Returns: The actions that remain, if there are any.
  /// - Complexity: O(1), and O(*d*) in the number of its dependants.
  package mutating func end(
    at place: Int,
    _ times: LaunchTimes?,
    _ outcome: LaunchOutcome
  ) -> LaunchAftermath? {
    guard agenda.has(place) else { return nil }
    return settle(place, times, outcome)
  }

  /// Records that a worker was undone, or that its clean-up exceeded the time limit.
  mutating func undone(_ place: Int, _ outcome: LaunchOutcome = .undone) {
    agenda.rows[agenda.index(of: place)].outcome = outcome
  }

  func id(at place: Int) -> LaunchID { agenda.row(at: place).id }

  /// The names of the workers that were handed out and have not ended.
  ///
  /// - Complexity: O(*n*) in the number of workers.
  var unfinished: [LaunchID] {
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
  /// - Returns: The tasks to cancel, and the runner to wake.
  package mutating func cancel() -> LaunchAftermath {
    guard stage == .launching, halt == nil else { return LaunchAftermath() }
    var aftermath = LaunchAftermath()
    halt(.skipped(because: nil), &aftermath)
    aftermath.wake = wake()
    return aftermath
  }

  /// Skips everything that has not begun, because the time limit of the launch was reached.
  ///
  /// - Returns: The running workers to abandon, and the actions that remain.
  mutating func expire() -> (overruns: [LaunchOverrun], aftermath: LaunchAftermath) {
    var aftermath = LaunchAftermath()
    guard stage == .launching else { return ([], aftermath) }
    if policy != .continue && verdict == .fine { verdict = .failed }
    halt(.skipped(because: nil), &aftermath)
    aftermath.wake = wake()
    return (agenda.giveUpRunning().map { overrun(at: $0) }, aftermath)
  }

  /// Refuses all further registrations; a running launch continues with its work.
  ///
  /// - Returns: The registrations to refuse, a Boolean value that indicates whether there will be no
  ///   launch, and the actions that remain.
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
    problems = schedule.faults.map { LaunchError($0) { rows[places[$0]] } }
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
    if !workerTasks.isEmpty, let tasks = workerTasks.removeValue(forKey: place) {
      aftermath = LaunchAftermath(tasks: tasks)
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
    if wake != .noRunner || stage == .launched {
      aftermath = aftermath ?? LaunchAftermath()
      aftermath?.wake = wake
      aftermath?.dropped = takeEndedAfterLaunch()
    }
    return aftermath
  }

  /// Indicates whether an outcome fails a launch whose policy is to stop.
  ///
  /// A worker that ends because its launch was cancelled has not failed.
  private func isFailure(_ outcome: LaunchOutcome) -> Bool {
    let isCancelled = halt != nil && verdict == .fine
    return outcome.isFailure && !(isCancelled && outcome.isCancellation)
  }

  /// Prevents all further work from beginning.
  ///
  /// It wakes no runner: the caller does so once, after all its other changes.
  private mutating func halt(_ outcome: LaunchOutcome, _ aftermath: inout LaunchAftermath) {
    guard halt == nil else { return }
    halt = outcome
    aftermath.skipped = skipAll(outcome)
    aftermath.cancelled = Array(workerTasks.values)
  }

  /// Gives an outcome to everything that has not begun.
  ///
  /// - Returns: The tasks of workers that were handed out.
  private mutating func skipAll(_ outcome: LaunchOutcome) -> [LaunchTasks] {
    agenda.skipAll(outcome).compactMap { workerTasks.removeValue(forKey: $0) }
  }

  private func overrun(at place: Int) -> LaunchOverrun {
    LaunchOverrun(
      place: place,
      registration: agenda.registration(at: place),
      tasks: workerTasks[place]
    )
  }

  /// Refuses the work after the launch, because the program is about to end.
  private mutating func refuseIdle(_ runner: Runner) -> Step? {
    _ = agenda.skipAll(from: .idle, .refused)
    let step = agenda.next(canWait: false, upTo: .late)
    guard case .skip? = step else { return nil }
    return step
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

  /// Removes ended rows if the launch is over.
  mutating func takeEndedAfterLaunch() -> [LaunchRow] {
    stage == .launched ? takeEnded() : []
  }

  /// Removes ended rows, all of them or when they outnumber the others, and stores the results of named
  /// ones.
  private mutating func takeEnded() -> [LaunchRow] {
    let rows = agenda.isOver(upTo: .idle) ? agenda.takeRows() : agenda.takeEndedRows()
    for index in rows.indices where rows[index].status == .ended {
      guard let name = rows[index].name, let outcome = rows[index].outcome else { continue }
      names.set(outcome.isFinished ? .finished : .failed, for: name)
    }
    return rows
  }
}
