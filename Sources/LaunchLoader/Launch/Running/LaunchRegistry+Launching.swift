internal import EventBus

/// Running the launch: turns, ends, failures, time limits and stopping.
extension LaunchRegistry {
  /// Begins the launch for the first caller.
  ///
  /// - Parameters:
  ///   - options: The options that the workers receive.
  ///   - actor: The actor on which the launch begins, if it is known.
  /// - Returns: `true` if the caller runs the launch.
  /// - Complexity: O(*n*); with dependencies or phases, that of ``LaunchPlanner/init(_:)``.
  package mutating func claim(_ options: LaunchOptions, on actor: ObjectIdentifier? = nil) -> Bool {
    defer { checkInvariants(ofSize: schedule.rows.count, _checkInvariants()) }
    guard isCollecting else { return false }
    stage = .launching
    self.options = options
    guard !schedule.isPlain else {
      schedule.begin(on: actor)
      return true
    }
    let plan = LaunchPlanner(schedule.rows, names)
    schedule.begin(plan, on: actor)
    problems = plan.problems
    if policy != .continue && !problems.isEmpty {
      verdict = .impossible
      halt = .skipped(because: nil)
      _ = schedule.skipAll(.skipped(because: nil))
    }
    return true
  }

  /// Returns the next action of a runner of the launch.
  ///
  /// - Parameter canWait: `true` if the runner can wait; otherwise it can only call work directly: work of
  ///   no actor, and of the actor it runs on.
  /// - Returns: The action.
  /// - Complexity: Amortized O(1); O(log *n*) where dependencies change the order.
  package mutating func next(canWait: Bool) -> LaunchStep {
    defer { checkInvariants(ofSize: schedule.rows.count, _checkInvariants()) }
    let last = stage == .launched ? LaunchPhase.idle : .late
    if let step = schedule.next(canWait: canWait, upTo: last) { return step }
    if stage == .launched {
      hasRunner = false
      return .rest(takeEnded())
    }
    let isOver = schedule.isOver(upTo: .late)
    let undoes = isOver && verdict != .fine && !finished.isEmpty
    guard isOver && (canWait || !undoes) else {
      isWaitedOn = true
      return .wait
    }
    if undoes, let row = finished.popLast(), let undone = schedule[row] {
      undoing = row
      return .undo(undone.registration, row: row)
    }
    return isStopping ? refuseIdle() ?? conclude() : conclude()
  }

  /// Stores the tasks of a worker that has begun, so that they can be cancelled.
  ///
  /// - Returns: The tasks that the caller must cancel.
  mutating func adopt(_ worker: LaunchTasks, at row: Int) -> [Task<Void, Never>] {
    let index = schedule.rows.index(of: row)
    guard let index, schedule.rows[index].isOut else {
      let hasReturned = index.map { schedule.rows[$0].hasReturned } ?? false
      return [hasReturned ? nil : worker.task, worker.watch].compactMap(\.self)
    }
    tasks[row] = worker
    return halt != nil && stage == .launching ? [worker.task] : []
  }

  /// Lets a worker that was handed out begin, unless it was skipped, withdrawn or abandoned meanwhile.
  ///
  /// Called where the worker runs, so that nothing happens between this decision and the call.
  ///
  /// - Parameters:
  ///   - row: The row of the worker.
  ///   - start: The time at which it begins, for its entry in the report; `nil` if it is synchronous.
  /// - Returns: `true` if the caller must call the worker.
  package mutating func begin(_ row: Int, at start: Duration? = nil) -> Bool {
    schedule.claimBegin(row, at: start)
  }

  /// Abandons a worker that exceeded its time limit, unless it has ended or is synchronous and has
  /// begun.
  ///
  /// - Returns: The worker to abandon.
  mutating func giveUp(_ row: Int, since start: Duration) -> LateWorker? {
    schedule.giveUp(row) ? lateWorker(row, since: start) : nil
  }

  /// Records the end of a worker; `times` is `nil` if it did not run.
  ///
  /// The outcome must be published before this call, so that it is available to all code that runs as a
  /// result.
  ///
  /// - Returns: The actions that remain, if there are any.
  /// - Complexity: O(1), and O(*d*) in the number of its dependants.
  package mutating func end(
    _ row: Int,
    _ times: LaunchTimes?,
    _ outcome: LaunchOutcome
  ) -> LaunchEffects? {
    defer { checkInvariants(ofSize: schedule.rows.count, _checkInvariants()) }
    guard let index = schedule.rows.index(of: row) else { return nil }
    schedule.end(index, times, outcome)
    var effects: LaunchEffects?
    if !tasks.isEmpty, let ended = tasks.removeValue(forKey: row) {
      effects = LaunchEffects(ended: ended)
    }
    if stage == .launching && policy != .continue {
      if isFailure(outcome) {
        verdict = .failed
        var failed = effects ?? LaunchEffects()
        halt(.skipped(because: schedule.rows[index].id), &failed)
        effects = failed
      } else if keepsWorkers && outcome.isFinished && isUndone(index) {
        schedule.rows[index].isUndone = true
        finished.append(row)
      }
    }
    let wake = wake()
    if wake != .noRunner || stage == .launched {
      effects = effects ?? LaunchEffects()
      effects?.wake = wake
      if stage == .launched { effects?.dropped = takeEnded() }
    }
    return effects
  }

  /// Indicates whether a rollback undoes a row, or releases the value that it made, because the value was
  /// made from one that is undone.
  private func isUndone(_ index: Int) -> Bool {
    let registration = schedule.rows[index].registration
    guard !registration.isUndoable else { return true }
    return registration.makes != nil
      && registration.needs.contains { need in
        names.row(of: need.name).flatMap { schedule[$0] }?.isUndone ?? false
      }
  }

  /// Records that a worker was undone, or that its clean-up exceeded the time limit.
  mutating func undone(_ row: Int, _ outcome: LaunchOutcome) {
    undoing = nil
    schedule.replaceOutcome(of: row, by: outcome)
  }

  /// Skips everything that has not begun.
  ///
  /// - Returns: The tasks to cancel, and the runner to wake.
  package mutating func cancel() -> LaunchEffects {
    defer { checkInvariants(ofSize: schedule.rows.count, _checkInvariants()) }
    var effects = LaunchEffects()
    guard stage == .launching, halt == nil else { return effects }
    halt(.skipped(because: nil), &effects)
    effects.wake = wake()
    return effects
  }

  /// Skips everything that has not begun, because the time limit of the launch was reached.
  ///
  /// - Returns: The running workers to abandon, and the actions that remain.
  package mutating func expire() -> (late: [LateWorker], effects: LaunchEffects) {
    defer { checkInvariants(ofSize: schedule.rows.count, _checkInvariants()) }
    var effects = LaunchEffects()
    guard stage == .launching else { return ([], effects) }
    if policy != .continue && verdict == .fine { verdict = .failed }
    halt(.skipped(because: nil), &effects)
    effects.wake = wake()
    let late = schedule.giveUpRunning().compactMap {
      lateWorker($0, since: schedule[$0]?.turn?.start ?? .zero)
    }
    return (late, effects)
  }

  private func lateWorker(_ row: Int, since start: Duration) -> LateWorker? {
    schedule[row].map {
      LateWorker(row: row, registration: $0.registration, start: start, task: tasks[row]?.task)
    }
  }

  /// Refuses all further registrations; a running launch continues with its work.
  ///
  /// - Returns: The registrations to refuse, a Boolean value that indicates whether there will be no
  ///   launch, and the actions that remain.
  package mutating func stop() -> (
    refused: [LaunchItem], endsAll: Bool, effects: LaunchEffects
  ) {
    defer { checkInvariants(ofSize: schedule.rows.count, _checkInvariants()) }
    guard !isStopping else { return ([], false, LaunchEffects()) }
    isStopping = true
    switch stage {
    case .collecting:
      let refused = waitingRows
      for row in refused where row.registration.id != nil {
        record(.refused, of: row.registration, row: row.number)
      }
      schedule.removeAll()
      return (refused.map(\.registration), true, LaunchEffects())
    case .launching:
      return ([], false, LaunchEffects())
    case .launched:
      let cancelled = takeTasks(schedule.skipAll(.refused))
      return ([], false, LaunchEffects(cancelled: cancelled, wake: wake()))
    }
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
  private mutating func halt(_ outcome: LaunchOutcome, _ effects: inout LaunchEffects) {
    guard halt == nil else { return }
    halt = outcome
    effects.cancelled = takeTasks(schedule.skipAll(outcome)) + tasks.values.map(\.task)
  }

  /// Removes the tasks of rows.
  ///
  /// - Returns: The tasks, with those that wait for time limits.
  mutating func takeTasks(_ rows: [Int]) -> [Task<Void, Never>] {
    rows.compactMap { tasks.removeValue(forKey: $0) }.flatMap { [$0.watch, $0.task] }
      .compactMap(\.self)
  }

  /// Refuses the work after the launch, because the program is about to end.
  private mutating func refuseIdle() -> LaunchStep? {
    _ = schedule.skipAll(from: .idle, .refused)
    return schedule.next(canWait: false, upTo: .late)
  }

  private mutating func conclude() -> LaunchStep {
    isWaitedOn = false
    stage = .launched
    let problems = problems
    launched = schedule.rows
    self.problems = []
    finished = []
    schedule.openLastPhase()
    hasRunner = !schedule.isOver(upTo: .idle)
    _ = schedule.takeEndedRows()
    return .over(launched, problems: problems, verdict, goesOn: hasRunner)
  }

  /// Removes ended rows, all of them or when they outnumber the others, and records the results of named
  /// ones.
  mutating func takeEnded() -> [LaunchRow] {
    let rows = schedule.takeEndedRows()
    for row in rows where row.registration.id != nil {
      // A duplicate has a row of its own, which did not take the name.
      if let outcome = row.outcome, ended[row.number] == nil {
        record(outcome, of: row.registration, row: row.number)
      }
    }
    return rows
  }
}
