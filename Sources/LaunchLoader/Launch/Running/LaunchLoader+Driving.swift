internal import EventBus

/// The driver of a launch, and of the work after it: it asks the machine for the next step, acts, and reports back.
extension LaunchLoader {
  /// The state that the driver needs besides the machine, one for each launch.
  final class Run: Sendable {
    /// The options that each worker receives.
    let options: LaunchOptions
    /// The time limit of the launch, and of each clean-up during a rollback.
    let timeout: Duration?
    /// Measures the time since the beginning of the launch.
    let stopwatch: Stopwatch
    /// Rings for the driver when an event has changed the machine.
    let bell = Doorbell()
    /// The task that waits for the time limit of the launch.
    fileprivate let limit = Locked(Task<Void, Never>?.none)

    init(_ options: LaunchOptions, _ timing: Timing) {
      self.options = options
      timeout = timing.timeout
      stopwatch = Stopwatch(timing.clock)
    }
  }

  /// Claims the launch and ends the attachments.
  ///
  /// - Parameters:
  ///   - options: The options that the workers receive.
  ///   - actor: The actor that the caller runs on, if it is known.
  /// - Returns: What drives the launch; `nil` if another caller has claimed it, or the loader was stopped.
  func begin(_ options: LaunchOptions, on actor: (any Actor)?) -> Run? {
    let actor = actor.map { ObjectIdentifier($0) }
    let timing = state.withLock { state -> Timing? in
      guard state.machine.claim(on: actor) else { return nil }
      state.hasDriver = true
      return state.timing
    }
    guard let timing else { return nil }
    let run = Run(options, timing)
    state.withLock { $0.run = run }
    attachments.end()
    endTalkBeforeLaunch()
    change { _ in }
    if let timeout = run.timeout {
      let alarm = run.stopwatch.alarm(at: timeout) { [self] in
        for late in change({ $0.expire() }) { abandon(late, run) }
      }
      run.limit.withLock { $0 = alarm }
    }
    return run
  }

  /// Calls what is callable now, and runs the rest in a task.
  func driveNow(_ run: Run) {
    if advance(run, canWait: false) != nil { Task { await drive(run) } }
  }

  /// Drives until the launch is over or, after the launch, until nothing can begin.
  nonisolated(nonsending) func drive(_ run: Run) async {
    var next: LaunchMachine.Step?
    while let step = advance(run, from: next, canWait: true) {
      next = nil
      switch step {
      case .run: next = await startAll(from: step, run)
      case .undo(let item, let row): await undo(item, row, run)
      default: await waitForChange(run)
      }
    }
  }

  /// Suspends the driver until an event has changed the machine since the last step.
  nonisolated(nonsending) private func waitForChange(_ run: Run) async {
    let isChanged = state.withLock { state in
      state.isWaiting = !state.isChanged
      return state.isChanged
    }
    if !isChanged { await run.bell.wait() }
  }

  /// Takes steps until one must be awaited.
  ///
  /// - Parameters:
  ///   - run: The launch.
  ///   - first: A step that was obtained before.
  ///   - canWait: `true` if the caller can wait, and calls only work of no actor here.
  /// - Returns: The step to await; `nil` if nothing remains to be done.
  @inline(never)  // Large, and called from every part of the callers that follows a suspension.
  private func advance(
    _ run: Run,
    from first: LaunchMachine.Step? = nil,
    canWait: Bool
  ) -> LaunchMachine.Step? {
    // The time, if nothing has been called since it was read.
    var now: Duration?
    var step = first ?? next(canWait: canWait)
    while true {
      switch consume step {
      case .run(let item, let row):
        guard !canWait || item.kind == .call else { return .run(item, row: row) }
        step = call(item, row, run, &now, canWait: canWait) ?? .wait
        continue
      case .settle(let item, let outcome):
        item.settle(outcome)
      case .over(let rows, let problems, let verdict):
        conclude(run, rows, problems, verdict)
        return nil
      case .rest: return nil
      case .undo(let item, let row): return .undo(item, row: row)
      case .wait: return .wait
      }
      now = nil
      step = next(canWait: canWait)
    }
  }

  private func next(canWait: Bool) -> LaunchMachine.Step {
    let (step, aftermath) = state.withLock { ($0.next(canWait: canWait), $0.takeAftermath()) }
    perform(aftermath)
    return step
  }

  // MARK: Work

  /// Calls synchronous work.
  ///
  /// - Parameters:
  ///   - item: The work.
  ///   - row: Its row.
  ///   - run: The launch.
  ///   - now: The time, if it is known, and then the time after the work.
  ///   - canWait: Whether the caller can wait; `nil` if it is not the driver.
  /// - Returns: The next step for the driver. It is obtained under the lock under which the end is recorded, so that a
  ///   call costs one access to the machine and one reading of the clock.
  @discardableResult
  private func call(
    _ item: LaunchItem,
    _ row: Int,
    _ run: Run,
    _ now: inout Duration?,
    canWait: Bool?
  ) -> LaunchMachine.Step? {
    var (start, duration) = (Duration?.none, Duration.zero)
    var outcome = LaunchOutcome.skipped(because: nil)
    var isWanted = true
    if item.hasCondition {
      isWanted = item.isWanted(run.options)
      now = nil
      let isClaimed = state.withLock { state in
        isWanted ? state.machine.begin(row) : state.machine.claimEnd(row)
      }
      // Otherwise, it or its launch was cancelled meanwhile.
      guard isClaimed else { return canWait.map(next) }
    }
    var value: (any Sendable)?
    if isWanted {
      let begin = now ?? run.stopwatch.elapsed()
      let values =
        item.needs.isEmpty ? [:] : state.withLock { $0.values.picked(item.needs) }
      (outcome, value) = item.call(run.options, values)
      let end = run.stopwatch.elapsed()
      now = end
      (start, duration) = (begin, end - begin)
      if item.timeout != nil { outcome = item.limited(outcome, duration) }
      if outcome.isFinished, let key = item.makes {
        state.withLock { [value] in $0.store(value, of: key, row) }
      }
    }
    if isWanted && !item.isUndoable && item.kind == .call {
      // The body was all that it had.
      item.outcome.resolve(outcome)
    } else {
      settle(item, outcome, value)
    }
    value = nil
    let (step, aftermath) = state.withLock {
      [outcome, start, duration] state -> (LaunchMachine.Step?, Aftermath?) in
      state.machine.end(row, outcome, from: start, for: duration)
      if let canWait { return (state.next(canWait: canWait), state.takeAftermath()) }
      return (nil, state.takeAftermath())
    }
    perform(aftermath)
    return step
  }

  /// Runs work that was registered after the launch.
  func callLate(_ item: LaunchItem, _ row: Int, _ run: Run) {
    var now: Duration?
    guard item.kind == .call else {
      Task { adopt(start(item, row, run), row, asksNext: false) }
      return
    }
    call(item, row, run, &now, canWait: nil)
  }

  /// Starts consecutive work that runs in tasks.
  ///
  /// It runs on no actor, because only then does a task begin with the worker itself instead of with a
  /// hop, so that workers begin in the order in which they are started. It starts all of them in one
  /// call, because leaving the launching actor and returning to it costs more than starting a task.
  ///
  /// - Returns: The first step of another kind.
  @concurrent
  private func startAll(
    from first: LaunchMachine.Step,
    _ run: Run
  ) async -> LaunchMachine.Step {
    var step = first
    while case .run(let item, let row) = step, item.kind != .call {
      step = adopt(start(item, row, run), row, asksNext: true) ?? .wait
    }
    return step
  }

  /// Starts work in a task and returns at its first suspension.
  ///
  /// The task is unstructured, because a launch must be able to end before a worker that has timed out.
  ///
  /// - Returns: The tasks; `nil` if the condition of the work does not hold.
  private func start(_ item: LaunchItem, _ row: Int, _ run: Run) -> WorkerTasks? {
    guard item.isWanted(run.options) else {
      if state.withLock({ $0.machine.claimEnd(row) }) {
        settle(item, .skipped(because: nil))
        change { $0.end(row, .skipped(because: nil)) }
      }
      return nil
    }
    let start = run.stopwatch.elapsed()
    let watch = item.timeout.map { limit in
      run.stopwatch.alarm(at: start.adding(limit)) { [self] in giveUp(row, run) }
    }
    let task: Task<Void, Never>
    if #available(macOS 26.0, iOS 26.0, tvOS 26.0, watchOS 26.0, visionOS 26.0, *) {
      task = Task.immediate { await work(item, row, run, since: start) }
    } else {
      task = Task { await work(item, row, run, since: start) }
    }
    return (task, watch)
  }

  /// Keeps the tasks of a worker that has begun, so that they can be cancelled, or cancels those of one that has ended.
  ///
  /// - Returns: The next step, if the caller is the driver and asks for it.
  @discardableResult
  private func adopt(
    _ worker: WorkerTasks?,
    _ row: Int,
    asksNext: Bool
  ) -> LaunchMachine.Step? {
    let (isOut, isCancelled, step, aftermath) = state.withLock { state in
      let isOut = state.machine[row]?.isOut ?? false
      if isOut { state.tasks[row] = worker }
      let isCancelled = state.machine.cancelsWork
      let step = asksNext ? state.next(canWait: true) : nil
      return (isOut, isCancelled, step, state.takeAftermath())
    }
    if !isOut || isCancelled { worker?.task.cancel() }
    if !isOut { worker?.watch?.cancel() }
    perform(aftermath)
    return step
  }

  /// Runs a worker in its task.
  nonisolated(nonsending) private func work(
    _ item: LaunchItem,
    _ row: Int,
    _ run: Run,
    since start: Duration
  ) async {
    let begins: @Sendable () -> LaunchValues? = { [self] in
      state.withLock { state in
        state.machine.begin(row, at: start) ? state.values.picked(item.needs) : nil
      }
    }
    guard var end = await item.run(run.options, for: ObjectIdentifier(self), ifStillWanted: begins)
    else { return }
    let duration = run.stopwatch.elapsed() - start
    let outcome = item.limited(end.outcome, duration)
    let isClaimed = state.withLock { state in
      guard state.machine.claimEnd(row) else { return false }
      if outcome.isFinished, let key = item.makes { state.store(end.value, of: key, row) }
      return true
    }
    guard isClaimed else { return }
    // Released here, because a rollback may release the value before this task ends.
    settle(item, outcome, end.value.take())
    change { $0.end(row, outcome, from: start, for: duration) }
  }

  /// Publishes the outcome of work, before it is recorded, and releases what is no longer needed.
  private func settle(_ item: LaunchItem, _ outcome: LaunchOutcome, _ value: (any Sendable)? = nil)
  {
    guard item.isUndoable, outcome.isFinished else { return item.settle(outcome) }
    let isKept = state.withLock { $0.machine.keepsForRollback }
    // The worker of a type is kept for a rollback only.
    let kept = isKept && item.makes == nil ? value : nil
    item.settle(outcome, keepsUndo: isKept, kept)
  }

  /// Continues without a worker that has exceeded its time limit.
  private func giveUp(_ row: Int, _ run: Run) {
    if let late = state.withLock({ $0.machine.giveUp(row) }) { abandon(late, run) }
  }

  /// Records that a worker, whose end is claimed, has exceeded a time limit.
  ///
  /// If the worker has not begun, because its actor is busy, its closure is released, and it has neither a start nor a
  /// duration: it will never run.
  private func abandon(_ late: LaunchMachine.Row, _ run: Run) {
    let duration = late.start.map { run.stopwatch.elapsed() - $0 } ?? .zero
    late.item.settle(.timedOut)
    change { $0.end(late.number, .timedOut, from: late.start, for: duration) }
  }

  /// Undoes a worker, within the time limit of the launch.
  nonisolated(nonsending) private func undo(_ item: LaunchItem, _ row: Int, _ run: Run) async {
    let end = await cleanUp(item, undoes: true, within: run.timeout, run.stopwatch)
    if case .failure(let error)? = end { sayUnclosed(item, error) }
    let outcome = end == nil ? LaunchOutcome.timedOut : .undone
    item.outcome.replace(outcome)
    state.withLock { $0.machine.undone(row, outcome) }
  }

  private func conclude(
    _ run: Run,
    _ rows: [LaunchMachine.Row],
    _ problems: [LaunchError],
    _ verdict: LaunchMachine.Verdict
  ) {
    let report = LaunchReport(rows: rows, total: run.stopwatch.elapsed(), problems: problems)
    run.limit.withLock { $0.take() }?.cancel()
    if state.withLock({ $0.machine.policy }) == .rollback {
      for row in rows where row.item.isUndoable { row.item.releaseUndo() }
    }
    switch verdict {
    case .fine: result.resolve((report, nil))
    case .failed: result.resolve((report, LaunchError(.failed(report))))
    case .impossible: result.resolve((report, problems.first))
    }
    openArrivals()
    state.withLock { $0.hasDriver = false }
    change { _ in }
  }
}

extension LaunchLoader.State {
  /// Stores the value that a worker has made, which others may use before its end is recorded.
  fileprivate mutating func store(_ value: (any Sendable)?, of key: AnyLaunchKey, _ row: Int) {
    values[key.name] = value
    machine.keepValue(of: row)
  }
}

extension Stopwatch {
  /// Calls a closure at a time after the start, in a separate task.
  func alarm(at time: Duration, _ body: @escaping @Sendable () -> Void) -> Task<Void, Never> {
    Task.detached {
      do {
        try await sleep(time)
      } catch {
        return  // Cancelled: the watched work has ended.
      }
      body()
    }
  }
}
