internal import EventBus

/// Running a launch: asks the registry whose turn it is, acts, and reports back.
extension LaunchLoader {
  /// Launches, if nobody has: what may be called is called now, the rest gets a task.
  ///
  /// - Parameters:
  ///   - options: What the workers receive.
  ///   - actor: The actor that the caller runs on, as far as it is known.
  func launchNow(_ options: LaunchOptions, on actor: (any Actor)?) {
    guard let session = begin(options, on: actor.map { ObjectIdentifier($0) }) else { return }
    var turns = LaunchTurns(self, session, .caller)
    var step = turns.next()
    while true {
      switch step {
      case .run(let registration, let place):
        step = turns.call(registration, at: place, session.options)
        continue
      case .skip(let registration, let outcome):
        registration.dismiss(outcome)
      case .undo, .wait:
        Task { await self.run(session) }
        return
      case .over(let summary, let goesOn):
        conclude(summary, session, goesOn: goesOn)
        return
      case .rest:
        return
      }
      step = turns.next()
    }
  }

  /// Runs all work; cancelling the current task cancels the launch.
  func runCancellably(_ session: LaunchSession) async {
    await withCancellationHandling {
      await run(session)
    } onCancel: {
      finish(state.withLock { $0.registry.cancel() })
    }
  }

  /// Runs what there is to run, until the launch is over or, after it, until nothing can begin.
  func run(_ session: LaunchSession) async {
    var turns = LaunchTurns(self, session, .task)
    var step = turns.next()
    while true {
      switch step {
      case .run(let registration, let place):
        step =
          registration.kind == .inline
          ? turns.call(registration, at: place, session.options)
          : await startAll(from: step, &turns, session)
        continue
      case .skip(let registration, let outcome):
        registration.dismiss(outcome)
      case .undo(let registration, let place):
        await undo(registration, at: place, session)
      case .wait:
        await doorbell.wait()
      case .over(let summary, let goesOn):
        return conclude(summary, session, goesOn: goesOn)
      case .rest:
        return
      }
      step = turns.next()
    }
  }

  /// Starts the work that gets a task, as far as nothing else comes between.
  ///
  /// On no actor, because only there does a task begin with the worker itself instead of with a hop:
  /// workers begin in the order in which they were started. All at once, because leaving the launching
  /// actor and coming back costs more than starting.
  ///
  /// - Returns: The first step that is something else.
  @concurrent
  private func startAll(
    from first: LaunchRegistry.Step,
    _ turns: inout LaunchTurns,
    _ session: LaunchSession
  ) async -> LaunchRegistry.Step {
    var step = first
    while case .run(let registration, let place) = step, registration.kind != .inline {
      start(registration, at: place, session)
      step = turns.next()
    }
    return step
  }

  /// Starts work in a task and returns at its first suspension.
  ///
  /// Not a child task, because a launch must be able to outlast its caller's patience with one worker.
  func start(
    _ registration: LaunchRegistration,
    at place: Int,
    _ session: LaunchSession
  ) {
    guard registration.isWanted(session.options) else {
      guard state.withLock({ $0.registry.claimEnd(at: place) }) else { return }
      _ = registration.takeWork()
      return settle(registration, at: place, nil, .skipped(because: nil))
    }
    let start = session.stopwatch.elapsed()
    let watch = registration.terms.timeout.map { limit in
      alarm(at: start + limit, session) { self.giveUp(place, session) }
    }
    let task: Task<Void, Never>
    if #available(macOS 26.0, iOS 26.0, tvOS 26.0, watchOS 26.0, visionOS 26.0, *) {
      task = Task.immediate { await self.run(registration, at: place, start, session) }
    } else {
      task = Task { await self.run(registration, at: place, start, session) }
    }
    let errand = LaunchErrand(start: start, task: task, watch: watch)
    let (cancelsTask, cancelsWatch) = state.withLock { $0.registry.adopt(errand, at: place) }
    if cancelsTask { task.cancel() }
    if cancelsWatch { watch?.cancel() }
  }

  /// Gives up on everything that has taken too long with the launch as a whole.
  func expire(_ session: LaunchSession) {
    let (overruns, aftermath) = state.withLock { $0.registry.expire() }
    for overrun in overruns { leaveBehind(overrun, session) }
    finish(aftermath)
  }

  /// Waits in a task of its own until a time of the launch, and then calls a closure.
  func alarm(
    at time: Duration,
    _ session: LaunchSession,
    _ body: @escaping @Sendable () -> Void
  ) -> Task<Void, Never> {
    Task.detached {
      do {
        try await session.stopwatch.sleep(time)
      } catch {
        return  // Cancelled: there is nothing left to watch.
      }
      body()
    }
  }

  /// Records the end of a worker.
  func settle(
    _ registration: LaunchRegistration,
    at place: Int,
    _ times: LaunchTimes?,
    _ outcome: LaunchOutcome
  ) {
    registration.outcome.resolve(outcome)
    let aftermath = state.withLock { $0.registry.end(at: place, times, outcome) }
    if let aftermath { finish(aftermath) }
  }

  /// Does what is to be done after a worker has ended.
  func finish(_ aftermath: LaunchAftermath) {
    aftermath.errand?.watch?.cancel()
    for errand in aftermath.skipped {
      errand.watch?.cancel()
      errand.task.cancel()
    }
    for errand in aftermath.cancelled { errand.task.cancel() }
    wake(aftermath.wake)
  }

  /// Wakes the one that runs the launch, or finds somebody to run what comes after it.
  func wake(_ wake: LaunchWake) {
    switch wake {
    case .nobody: break
    case .waiter: doorbell.ring()
    case .newRunner: runAfterwards()
    }
  }

  private func run(
    _ registration: LaunchRegistration,
    at place: Int,
    _ start: Duration,
    _ session: LaunchSession
  ) async {
    let keepsWorker = registration.isUndoable && state.withLock { $0.registry.keepsWorkers }
    let loader = ObjectIdentifier(self)
    let outcome = await registration.run(session.options, for: loader, keepsWorker: keepsWorker) {
      self.state.withLock { $0.registry.begin(at: place) }
    }
    guard let outcome else { return }
    let times = LaunchTimes(start: start, duration: session.stopwatch.elapsed() - start)
    if state.withLock({ $0.registry.claimEnd(at: place) }) {
      settle(registration, at: place, times, registration.limited(outcome, times))
    } else {
      _ = registration.takeWorker()
    }
  }

  /// Undoes a worker, for as long as the launch may take.
  private func undo(
    _ registration: LaunchRegistration,
    at place: Int,
    _ session: LaunchSession
  ) async {
    state.withLock { $0.undoing = $0.registry.id(at: place) }
    let end = CleanUpEnd()
    let loader = ObjectIdentifier(self)
    // In tasks of their own: a cancelled launch cancels no clean-up.
    Task {
      await registration.undo(for: loader)
      end.outcome.resolve(.undone)
    }
    let watch = timeout.map { limit in
      alarm(at: session.stopwatch.elapsed() + limit, session) { end.outcome.resolve(.timedOut) }
    }
    let waiting = Task { try await end.outcome.wait() }
    let outcome = (try? await waiting.value) ?? .timedOut  // Reason: nothing cancels the task.
    watch?.cancel()
    registration.outcome.replace(outcome)
    state.withLock { state in
      state.undoing = nil
      state.registry.undone(place, outcome)
    }
  }

  private func giveUp(_ place: Int, _ session: LaunchSession) {
    guard let overrun = state.withLock({ $0.registry.giveUp(place) }) else { return }
    leaveBehind(overrun, session)
  }

  /// Goes on without a worker that has taken too long.
  ///
  /// The closure of one that has not begun is released: it never will.
  private func leaveBehind(_ overrun: LaunchOverrun, _ session: LaunchSession) {
    let now = session.stopwatch.elapsed()
    let start = overrun.errand?.start ?? now
    let times = LaunchTimes(start: start, duration: now - start)
    overrun.registration.letGo()
    settle(overrun.registration, at: overrun.place, times, .timedOut)
    overrun.errand?.task.cancel()
  }

  private func conclude(_ summary: LaunchSummary, _ session: LaunchSession, goesOn: Bool) {
    let total = session.stopwatch.elapsed()
    state.withLock { $0.limit.take() }?.cancel()
    if policy == .rollback {
      for row in summary.rows { _ = row.registration.takeWorker() }
    }
    result.resolve(LaunchConclusion(summary, total: total))
    if goesOn { runAfterwards() }
  }

  /// Runs what comes after the launch.
  ///
  /// Detached, so that no mark of the worker that happens to be the last one is inherited.
  private func runAfterwards() {
    guard let options = state.withLock({ $0.registry.options }) else { return }
    let session = session(options)
    Task.detached(priority: .utility) { await self.run(session) }
  }
}

extension LaunchRegistration {
  /// The outcome, or that the work took longer than it was allowed to, if it did not fail anyway.
  func limited(_ outcome: LaunchOutcome, _ times: LaunchTimes) -> LaunchOutcome {
    guard let limit = terms.timeout, outcome.isFinished, times.duration > limit else {
      return outcome
    }
    return .timedOut
  }
}

/// How the clean-up of a worker ended, for the tasks that wait for it.
private final class CleanUpEnd: Sendable {
  let outcome = LatchedValue<LaunchOutcome>()
}
