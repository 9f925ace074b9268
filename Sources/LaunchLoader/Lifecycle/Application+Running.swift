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
  /// - Returns: The exit code: what `shutdown` was given, otherwise 0.
  /// - Throws: ``ApplicationError`` if the launch or a service failed, if a service is stuck, or if the
  ///   application ran before; `CancellationError` if nothing failed but the task was cancelled.
  public func run() async throws -> Int32 {
    guard runner.claim() else { throw ApplicationError(errors: [ServiceError(.alreadyRan)]) }
    let environment = (configuration.launchOptions ?? .current).environment
    let system = SystemTie(self, environment: environment)
    let outcome = await withCancellationHandling {
      await runToTheEnd(system)
    } onCancel: {
      cancel()
    }
    await system.end()
    if !outcome.errors.isEmpty { throw ApplicationError(errors: outcome.errors) }
    if outcome.isCancelled { try Task.checkCancellation() }
    return locked.withLock { $0.exitCode } ?? 0
  }

  private func runToTheEnd(_ system: SystemTie) async -> ServiceOutcome {
    if !runner.isStopping { await launch() }
    runner.send { $0.begin() }
    while true {
      switch await runner.nextMilestone() {
      case .started:
        await changed(.started)
        system.started()
      case .stopping:
        system.stopping()
        loader.stop()
        await changed(.stop)
        runner.send { $0.permitStop() }
      case .over(let outcome):
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
    isKnown.open()
    let result = await task.result
    locked.withLock { $0.launch = nil }
    do {
      _ = try result.get()
    } catch let error as LaunchError {
      // Somebody else's launch, which an end that was asked for does not wait for.
      if case .cancelled = error.code, runner.isStopping { return }
      throw error
    }
  }
}
