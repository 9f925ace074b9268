internal import EventBus

extension Application {
  /// Runs the application to its end: launches, starts the services, waits, stops them in reverse.
  ///
  /// It ends when ``shutdown(exitCode:)`` was called, when the end of a service says so, or when there
  /// were services and all have ended. Cancelling the task cancels everything. Synchronous launch work and
  /// the handlers of the edges of launching, becoming active and stopping run where this was called.
  ///
  /// Meanwhile the signals of the operating system are heard, if the configuration does not say otherwise,
  /// and the service manager that `$NOTIFY_SOCKET` names is told `READY=1`, `RELOADING=1`, `STOPPING=1` and,
  /// if it asks for it, `WATCHDOG=1` (`sd_notify(3)`).
  ///
  /// Services are stopped when the handlers of `willTerminate` have finished, those on actors and asynchronous
  /// ones included; see ``Configuration/stopTimeout`` for how long that may take. In the end it waits until
  /// ``Configuration/onMessage`` has returned from the last message, at most for ``Configuration/cancelTimeout``.
  ///
  /// - Returns: The exit code: what `shutdown` was given, otherwise 0.
  /// - Throws: ``ApplicationError`` if the launch or a service failed, if a service is stuck, or if the
  ///   application ran before; `CancellationError` if nothing failed but the task was cancelled.
  public func run() async throws -> Int32 {
    guard runner.claim() else {
      throw ApplicationError([
        ServiceOutcome.Failure(service: nil, error: ServiceError(.alreadyRan))
      ])
    }
    let system = SystemTie(self)
    let outcome = await withCancellationHandling {
      await runToTheEnd(system)
    } onCancel: {
      cancel()
    }
    await system.end()
    await messages.delivered(within: configuration.cancelTimeout, on: configuration.clock)
    if !outcome.failures.isEmpty { throw ApplicationError(outcome.failures) }
    if outcome.isCancelled { try Task.checkCancellation() }
    return locked.withLock { $0.exitCode } ?? 0
  }

  private func runToTheEnd(_ system: SystemTie) async -> ServiceOutcome {
    if !runner.isStopping { await launch() }
    runner.send { $0.begin() }
    while true {
      switch await runner.nextMilestone() {
      case .started:
        // First, so that a stop requested by an observer of `.active` cannot precede `READY=1`.
        if !runner.isStopping { system.started() }
        await changed(.started)
      case .stopping:
        system.stopping()
        loader.stop()
        await changed(.stop)
        postWillTerminate()
        // What is not over when the time is up is left behind: so it is not awaited here.
        Task {
          await pending.untilHandlersAreDone()
          runner.send { $0.permitStop() }
        }
      case .over(let outcome):
        Self.leaveHandlers(pending, messages)
        await changed(.end)
        return outcome
      }
    }
  }

  private func launch() async {
    let options = configuration.launchOptions ?? .current
    locked.withLock { $0.options = options }
    await changed(.launch)
    do {
      try await runLaunchWork(options)
      if !runner.isStopping { await changed(.launched) }
    } catch {
      runner.send { $0.fail(error) }
    }
  }

  /// Runs the launch work where the application was run, and so that ``shutdown(exitCode:)`` reaches it.
  private func runLaunchWork(
    _ options: LaunchOptions,
    isolation: isolated (any Actor)? = #isolation
  ) async throws {
    let isKnown = Latch()
    let task = Task {
      // Captured, so that the task runs on this actor.
      _ = isolation
      _ = await isKnown.wait()
      return try await loader.launch(options)
    }
    // No work begins before the task can be found by who wants to end it: a worker may.
    locked.withLock { $0.launch = task }
    if runner.isStopping { task.cancel() }
    let result = await pending.launch(task) { isKnown.open() }
    locked.withLock { $0.launch = nil }
    guard let result else { return failLaunchWork() }
    do {
      _ = try result.get()
    } catch let error as LaunchError {
      if runner.isStopping, error.isOfCancellation { return }
      throw error
    }
  }

  /// Keeps an error for each worker of the launch that was left behind.
  private func failLaunchWork() {
    let names = loader.unfinished.map { "launch work \"\($0)\"" }
    for name in names.isEmpty ? ["launch work"] : names {
      let error = ServiceError(.stuck(name), isLaunchWork: true)
      messages.send(error.description)
      runner.send { $0.fail(error) }
    }
  }
}

extension LaunchError {
  /// Whether nothing failed but what was cancelled, as an end that was asked for does.
  fileprivate var isOfCancellation: Bool {
    switch code {
    // The launch of another caller, which such an end does not wait for.
    case .cancelled: true
    case .failed(let report):
      report.failures.allSatisfy { entry in
        if case .failed(let error) = entry.outcome { error is CancellationError } else { false }
      }
    default: false
    }
  }
}
