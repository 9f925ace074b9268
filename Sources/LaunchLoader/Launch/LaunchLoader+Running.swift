internal import EventBus

/// Running a launch: asks the registry whose turn it is, acts, and reports back.
extension LaunchLoader {
  /// Launches, if nobody has: what may be called is called now, the rest gets a task.
  ///
  /// - Parameters:
  ///   - options: What the workers receive.
  ///   - actor: The actor that the caller runs on, as far as it is known.
  internal func launchNow(_ options: LaunchOptions, on actor: (any Actor)?) {
    guard let session = begin(options) else { return }
    let runner = LaunchRegistry.Runner.caller(on: actor.map { ObjectIdentifier($0) })
    while true {
      switch state.withLock({ $0.registry.next(for: runner) }) {
      case .run(let registration, let place):
        call(registration, at: place, session)
      case .skip(let registration):
        registration.dismiss(.skipped(because: nil))
      case .wait:
        Task { await self.run(session) }
        return
      case .over(let rows):
        conclude(rows, session)
        return
      }
    }
  }

  /// Runs all work; cancelling the current task cancels the launch.
  internal func runCancellably(_ session: LaunchSession) async -> LaunchReport {
    await withTaskCancellationHandler {
      await run(session)
    } onCancel: {
      let (tasks, wakes) = state.withLock { $0.registry.cancel() }
      for task in tasks { task.cancel() }
      if wakes { doorbell.ring() }
    }
  }

  @discardableResult
  private func run(_ session: LaunchSession) async -> LaunchReport {
    while true {
      switch state.withLock({ $0.registry.next(for: .task) }) {
      case .run(let registration, let place):
        switch registration.kind {
        case .inline: call(registration, at: place, session)
        case .isolated: await run(registration, at: place, session)
        case .asynchronous: await start(registration, at: place, session)
        }
      case .skip(let registration):
        registration.dismiss(.skipped(because: nil))
      case .wait:
        await doorbell.wait()
      case .over(let rows):
        return conclude(rows, session)
      }
    }
  }

  private func call(
    _ registration: LaunchRegistration,
    at place: Int,
    _ session: LaunchSession
  ) {
    let start = session.stopwatch.elapsed()
    let outcome = registration.call(session.options)
    let end = session.stopwatch.elapsed()
    settle(registration, at: place, LaunchTimes(start: start, duration: end - start), outcome)
  }

  private func run(
    _ registration: LaunchRegistration,
    at place: Int,
    _ session: LaunchSession
  ) async {
    let start = session.stopwatch.elapsed()
    let outcome = await registration.run(session.options, for: ObjectIdentifier(self))
    let end = session.stopwatch.elapsed()
    settle(registration, at: place, LaunchTimes(start: start, duration: end - start), outcome)
  }

  /// Starts asynchronous work and returns at its first suspension.
  ///
  /// On no actor, because only there does a task begin with the worker itself instead of with a hop:
  /// workers begin in the order in which they were started. Not a child task, because a launch must be
  /// able to outlast its caller's patience with one worker.
  @concurrent
  private func start(
    _ registration: LaunchRegistration,
    at place: Int,
    _ session: LaunchSession
  ) async {
    let task: Task<Void, Never>
    if #available(macOS 26.0, iOS 26.0, tvOS 26.0, watchOS 26.0, visionOS 26.0, *) {
      task = Task.immediate { await self.run(registration, at: place, session) }
    } else {
      task = Task { await self.run(registration, at: place, session) }
    }
    if state.withLock({ $0.registry.adopt(task, at: place) }) { task.cancel() }
  }

  private func settle(
    _ registration: LaunchRegistration,
    at place: Int,
    _ times: LaunchTimes,
    _ outcome: LaunchOutcome
  ) {
    registration.outcome.resolve(outcome)
    let (task, wakes) = state.withLock { $0.registry.end(at: place, times) }
    if wakes { doorbell.ring() }
    withExtendedLifetime(task) {}
  }

  @discardableResult
  private func conclude(_ rows: [LaunchRow], _ session: LaunchSession) -> LaunchReport {
    let report = session.report(on: rows)
    result.resolve(.success(report))
    return report
  }
}
