internal import EventBus

/// Running a launch: the loader asks the registry for the next step, acts, and reports back.
extension LaunchLoader {
  /// Launches, unless the launch was claimed: calls what is callable now, and runs the rest in a task.
  ///
  /// - Parameters:
  ///   - options: The options that the workers receive.
  ///   - actor: The actor that the caller runs on, if it is known.
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

  /// Runs the launch; cancelling the current task cancels it.
  func runCancellably(_ session: LaunchSession) async {
    await withCancellationHandling {
      await run(session)
    } onCancel: {
      finish(state.withLock { $0.registry.cancel() })
    }
  }

  /// Runs until the launch is over or, after the launch, until nothing can begin.
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

  /// Starts consecutive work that runs in tasks.
  ///
  /// It runs on no actor, because only then does a task begin with the worker itself instead of with a
  /// hop, so that workers begin in the order in which they are started. It starts all of them in one
  /// call, because leaving the launching actor and returning to it costs more than starting a task.
  ///
  /// - Returns: The first step of another kind.
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
  /// The task is unstructured, because a launch must be able to end before a worker that has timed out.
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
      alarm(at: start + limit, session) {
        let overrun = self.state.withLock { $0.registry.giveUp(place) }
        if let overrun { self.leaveBehind(overrun, session) }
      }
    }
    let task: Task<Void, Never>
    if #available(macOS 26.0, iOS 26.0, tvOS 26.0, watchOS 26.0, visionOS 26.0, *) {
      task = Task.immediate { await self.run(registration, at: place, start, session) }
    } else {
      task = Task { await self.run(registration, at: place, start, session) }
    }
    let tasks = LaunchTasks(start: start, task: task, watch: watch)
    let (cancelsTask, cancelsWatch) = state.withLock { $0.registry.adopt(tasks, at: place) }
    if cancelsTask { task.cancel() }
    if cancelsWatch { watch?.cancel() }
  }

  /// Abandons all running asynchronous work, because the time limit of the launch was reached.
  func expire(_ session: LaunchSession) {
    let (overruns, aftermath) = state.withLock { $0.registry.expire() }
    for overrun in overruns { leaveBehind(overrun, session) }
    finish(aftermath)
  }

  /// Calls a closure at a time of the launch, in a task of its own.
  func alarm(
    at time: Duration,
    _ session: LaunchSession,
    _ body: @escaping @Sendable () -> Void
  ) -> Task<Void, Never> {
    Task.detached {
      do {
        try await session.stopwatch.sleep(time)
      } catch {
        return  // Cancelled: the watched work has ended.
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

  /// Performs the actions that follow the end of a worker.
  func finish(_ aftermath: LaunchAftermath) {
    aftermath.tasks?.watch?.cancel()
    for tasks in aftermath.skipped {
      tasks.watch?.cancel()
      tasks.task.cancel()
    }
    for tasks in aftermath.cancelled { tasks.task.cancel() }
    wake(aftermath.wake)
  }

  /// Wakes the runner of the launch, or starts a new one for the work after it.
  func wake(_ wake: LaunchWake) {
    switch wake {
    case .noRunner: break
    case .waitingRunner: doorbell.ring()
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

  /// Undoes a worker, within the time limit of the launch.
  private func undo(
    _ registration: LaunchRegistration,
    at place: Int,
    _ session: LaunchSession
  ) async {
    state.withLock { $0.undoing = $0.registry.id(at: place) }
    let end = CleanUpEnd()
    let loader = ObjectIdentifier(self)
    // In unstructured tasks, because cancelling a launch must cancel no clean-up.
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

  /// Continues without a worker that has exceeded its time limit.
  ///
  /// If the worker has not begun, its closure is released, because it will never run.
  private func leaveBehind(_ overrun: LaunchOverrun, _ session: LaunchSession) {
    let now = session.stopwatch.elapsed()
    let start = overrun.tasks?.start ?? now
    let times = LaunchTimes(start: start, duration: now - start)
    overrun.registration.releaseClosures()
    settle(overrun.registration, at: overrun.place, times, .timedOut)
    overrun.tasks?.task.cancel()
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

  /// Runs the work that follows the launch.
  ///
  /// The task is detached, so that it does not inherit the context of the worker that happens to end
  /// last.
  private func runAfterwards() {
    guard let options = state.withLock({ $0.registry.options }) else { return }
    let session = session(options)
    Task.detached(priority: .utility) { await self.run(session) }
  }
}

extension LaunchRegistration {
  /// Replaces a successful outcome with `timedOut` if the work exceeded its time limit.
  func limited(_ outcome: LaunchOutcome, _ times: LaunchTimes) -> LaunchOutcome {
    guard let limit = terms.timeout, outcome.isFinished, times.duration > limit else {
      return outcome
    }
    return .timedOut
  }
}

/// The end of a clean-up, for the tasks that wait for it.
private final class CleanUpEnd: Sendable {
  let outcome = LatchedValue<LaunchOutcome>()
}
