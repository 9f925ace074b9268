internal import EventBus

/// Runs a launch, or the work after it: asks the registry for the next step, acts, and reports back.
final class LaunchRunner: Sendable {
  private let loader: LaunchLoader
  /// The time limit of the launch, and of each clean-up during a rollback.
  private let timeout: Duration?
  /// The options that each worker receives.
  private let options: LaunchOptions
  /// Measures the time since the beginning of the launch.
  private let stopwatch: Stopwatch
  /// The task that waits for the time limit of the launch.
  private let limit = Locked(Task<Void, Never>?.none)

  /// Creates a runner whose time begins now.
  init(_ loader: LaunchLoader, _ options: LaunchOptions) {
    self.loader = loader
    self.options = options
    let timing = loader.state.withLock { $0.timing }
    timeout = timing.timeout
    stopwatch = Stopwatch(timing.clock)
  }

  /// Sets the time limit of the launch, if it has one, after which all running asynchronous work is
  /// abandoned.
  func setTimeLimit() {
    guard let timeout else { return }
    let alarm = alarm(at: timeout) { [self] in
      let (late, effects) = loader.state.withLock { $0.registry.expire() }
      for worker in late { abandon(worker) }
      loader.perform(effects)
    }
    limit.withLock { $0 = alarm }
  }

  /// Calls what is callable now, and runs the rest in a task.
  func runNow() {
    guard advance(canWait: false) != nil else { return }
    Task { await run() }
  }

  /// Runs until the launch is over or, after the launch, until nothing can begin.
  nonisolated(nonsending) func run() async {
    var next: LaunchStep?
    while let step = advance(from: next, canWait: true) {
      next = nil
      switch step {
      case .run: next = await startAll(from: step)
      case .undo(let registration, let row): await undo(registration, row)
      case .skip, .wait, .over, .rest: await loader.doorbell.wait()
      }
    }
  }

  /// Runs work that was registered after the launch.
  ///
  /// - Parameters:
  ///   - registration: The work.
  ///   - row: Its row, if it has one.
  func runLate(_ registration: LaunchItem, _ row: Int?) {
    guard registration.isInline else {
      if let row { Task { startLate(registration, row) } }
      return
    }
    let outcome: LaunchOutcome
    if registration.isWanted(options) {
      let result = registration.call(options, loader.values(for: registration))
      outcome = registration.limited(
        result,
        LaunchTimes(start: .zero, duration: stopwatch.elapsed())
      )
      settle(registration, outcome, keepsUndo: false)
    } else {
      registration.dismiss(.skipped(because: nil))
      outcome = .skipped(because: nil)
    }
    if let row {
      end(registration, row, nil, outcome)
    } else {
      registration.outcome.resolve(outcome)
    }
  }

  /// Takes steps until one must be awaited.
  ///
  /// - Parameters:
  ///   - first: A step that was obtained before.
  ///   - canWait: `true` if the caller can wait, and calls only work of no actor here.
  /// - Returns: The step to await; `nil` if nothing remains to be done.
  @inline(never)  // Large, and called from every part of the callers that follows a suspension.
  private func advance(
    from first: LaunchStep? = nil,
    canWait: Bool
  ) -> LaunchStep? {
    // The time, if nothing has been called since it was read.
    var now: Duration?
    var step = first ?? next(canWait: canWait)
    while true {
      switch consume step {
      case .run(let registration, let row):
        guard !canWait || registration.isInline else { return .run(registration, row: row) }
        step = call(registration, row, canWait: canWait, &now)
        continue
      case .skip(let registration, let outcome):
        registration.dismiss(outcome)
      case .over(let rows, let problems, let verdict, let goesOn):
        conclude(rows, problems, verdict)
        if goesOn { loader.runAfterwards() }
        return nil
      case .rest: return nil
      case .undo(let registration, let row): return .undo(registration, row: row)
      case .wait: return .wait
      }
      now = nil
      step = next(canWait: canWait)
    }
  }

  private func next(canWait: Bool) -> LaunchStep {
    loader.state.withLock { $0.registry.next(canWait: canWait) }
  }

  /// Calls synchronous work.
  ///
  /// Its end is reported and the next step obtained under one lock, so that it costs one access to the
  /// registry and one reading of the clock.
  ///
  /// - Returns: The next step.
  private func call(
    _ registration: LaunchItem,
    _ row: Int,
    canWait: Bool,
    _ now: inout Duration?
  ) -> LaunchStep {
    var times: LaunchTimes?
    var outcome = LaunchOutcome.skipped(because: nil)
    let isWanted = !registration.hasCondition || registration.isWanted(options)
    if registration.hasCondition {
      now = nil
      let isClaimed = loader.state.withLock { state in
        isWanted ? state.registry.begin(row) : state.registry.schedule.claimEnd(row)
      }
      // Ended meanwhile, because it or its launch was cancelled.
      guard isClaimed else { return next(canWait: canWait) }
    }
    if isWanted {
      let start = now ?? stopwatch.elapsed()
      outcome = registration.call(options, loader.values(for: registration))
      let end = stopwatch.elapsed()
      now = end
      let measured = LaunchTimes(start: start, duration: end - start)
      times = measured
      if registration.timeout != nil { outcome = registration.limited(outcome, measured) }
      settle(registration, outcome, keepsUndo: keepsWorkers(for: registration))
    } else {
      registration.releaseClosures()
    }
    registration.outcome.resolve(outcome)
    let (effects, step) = loader.state.withLock { [times, outcome] state in
      (state.registry.end(row, times, outcome), state.registry.next(canWait: canWait))
    }
    if let effects { loader.perform(effects) }
    return step
  }

  /// Starts consecutive work that runs in tasks.
  ///
  /// It runs on no actor, because only then does a task begin with the worker itself instead of with a
  /// hop, so that workers begin in the order in which they are started. It starts all of them in one
  /// call, because leaving the launching actor and returning to it costs more than starting a task.
  ///
  /// - Returns: The first step of another kind.
  @concurrent
  private func startAll(from first: LaunchStep) async -> LaunchStep {
    var step = first
    while case .run(let registration, let row) = step, !registration.isInline {
      let worker = start(registration, row)
      let (cancelled, next) = loader.state.withLock { state in
        (worker.map { state.registry.adopt($0, at: row) }, state.registry.next(canWait: true))
      }
      for task in cancelled ?? [] { task.cancel() }
      step = next
    }
    return step
  }

  private func startLate(_ registration: LaunchItem, _ row: Int) {
    guard let worker = start(registration, row) else { return }
    let cancelled = loader.state.withLock { $0.registry.adopt(worker, at: row) }
    for task in cancelled { task.cancel() }
  }

  /// Starts work in a task and returns at its first suspension.
  ///
  /// The task is unstructured, because a launch must be able to end before a worker that has timed out.
  ///
  /// - Returns: The tasks, to be adopted by the registry; `nil` if the condition of the work does not hold.
  private func start(_ registration: LaunchItem, _ row: Int) -> LaunchTasks? {
    guard registration.isWanted(options) else {
      if loader.state.withLock({ $0.registry.schedule.claimEnd(row) }) {
        registration.releaseClosures()
        end(registration, row, nil, .skipped(because: nil))
      }
      return nil
    }
    let start = stopwatch.elapsed()
    let watch = registration.timeout.map { limit in
      alarm(at: start.adding(limit)) { [self] in
        let late = loader.state.withLock { $0.registry.giveUp(row, since: start) }
        if let late { abandon(late) }
      }
    }
    let task: Task<Void, Never>
    if #available(macOS 26.0, iOS 26.0, tvOS 26.0, watchOS 26.0, visionOS 26.0, *) {
      task = Task.immediate { await run(registration, row, start) }
    } else {
      task = Task { await run(registration, row, start) }
    }
    return (task, watch)
  }

  nonisolated(nonsending) private func run(
    _ registration: LaunchItem,
    _ row: Int,
    _ start: Duration
  ) async {
    let keepsWorker = keepsWorkers(for: registration)
    let id = ObjectIdentifier(loader)
    let outcome = await registration.run(options, for: id, keepsWorker: keepsWorker) {
      loader.state.withLock { state in
        state.registry.begin(row, at: start) ? state.values.picked(registration.needs) : nil
      }
    }
    guard let outcome else { return }
    let times = LaunchTimes(start: start, duration: stopwatch.elapsed() - start)
    if loader.state.withLock({ $0.registry.schedule.claimEnd(row) }) {
      let outcome = registration.limited(outcome, times)
      settle(registration, outcome, keepsUndo: keepsWorker)
      end(registration, row, times, outcome)
    } else {
      registration.releaseClosures()
    }
  }

  /// Indicates whether a worker that finishes, or the closure that undoes it, is kept for a rollback.
  private func keepsWorkers(for registration: LaunchItem) -> Bool {
    registration.isUndoable && loader.state.withLock { $0.registry.keepsWorkers }
  }

  /// Stores the value of work that has finished in time, and releases what is needed no longer.
  private func settle(
    _ registration: LaunchItem,
    _ outcome: LaunchOutcome,
    keepsUndo: Bool
  ) {
    loader.storeValue(of: registration, outcome)
    if registration.isUndoable && !(keepsUndo && outcome.isFinished) { _ = registration.takeUndo() }
  }

  /// Publishes and records the end of a worker.
  private func end(
    _ registration: LaunchItem,
    _ row: Int,
    _ times: LaunchTimes?,
    _ outcome: LaunchOutcome
  ) {
    registration.outcome.resolve(outcome)
    let effects = loader.state.withLock { $0.registry.end(row, times, outcome) }
    if let effects { loader.perform(effects) }
  }

  /// Continues without a worker that has exceeded its time limit.
  ///
  /// If the worker has not begun, its closure is released, because it will never run.
  private func abandon(_ worker: LateWorker) {
    let times = LaunchTimes(start: worker.start, duration: stopwatch.elapsed() - worker.start)
    worker.registration.releaseClosures()
    end(worker.registration, worker.row, times, .timedOut)
    worker.task?.cancel()
  }

  /// Undoes a worker, within the time limit of the launch.
  nonisolated(nonsending) private func undo(_ registration: LaunchItem, _ row: Int) async {
    let (ends, end) = AsyncStream.makeStream(of: LaunchOutcome.self)
    let id = ObjectIdentifier(loader)
    // Now: a caller must not receive it before the clean-up begins.
    if let value = loader.takeValue(of: registration) { registration.keep(value: value) }
    // In unstructured tasks, because cancelling a launch must cancel no clean-up.
    Task {
      await registration.undo(registration.takeValue(), for: id)
      end.yield(.undone)
    }
    let watch = timeout.map { limit in
      alarm(at: stopwatch.elapsed().adding(limit)) { end.yield(.timedOut) }
    }
    let outcome = await Task { await ends.first { _ in true } }.value ?? .timedOut
    watch?.cancel()
    registration.outcome.replace(outcome)
    loader.state.withLock { $0.registry.undone(row, outcome) }
  }

  private func conclude(
    _ rows: [LaunchRow],
    _ problems: [LaunchError],
    _ verdict: LaunchVerdict
  ) {
    let report = LaunchReport(rows: rows, total: stopwatch.elapsed(), problems: problems)
    limit.withLock { $0.take() }?.cancel()
    if loader.state.withLock({ $0.registry.policy }) == .rollback {
      for row in rows where row.registration.isUndoable { _ = row.registration.takeUndo() }
    }
    switch verdict {
    case .fine: loader.result.resolve((report, nil))
    case .failed: loader.result.resolve((report, LaunchError(.failed(report))))
    case .impossible: loader.result.resolve((report, problems.first))
    }
    loader.openArrivals()
  }

  /// Calls a closure at a time of the launch, in a task of its own.
  private func alarm(
    at time: Duration,
    _ body: @escaping @Sendable () -> Void
  ) -> Task<Void, Never> {
    Task.detached { [stopwatch] in
      do {
        try await stopwatch.sleep(time)
      } catch {
        return  // Cancelled: the watched work has ended.
      }
      body()
    }
  }
}
