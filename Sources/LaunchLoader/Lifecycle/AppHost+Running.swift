internal import EventBus
#if canImport(Glibc)
private import Glibc
#elseif canImport(Musl)
private import Musl
#elseif canImport(Darwin)
private import Darwin
#endif

extension AppHost {
  /// Runs the host: performs the launch work, starts the services, waits for the end, and stops the
  /// services in reverse order.
  ///
  /// The run ends after a call of ``shutdown(exitCode:because:)``, after the end of a service whose options request
  /// it, or, if there were services, when all of them have ended. Cancelling the task cancels everything.
  /// Synchronous launch work and the handlers of the launching, active and stopping state changes run in the
  /// isolation of the caller.
  ///
  /// During the run, the host handles signals as its configuration says, and notifies the service
  /// manager named by `$NOTIFY_SOCKET` with `READY=1`, `RELOADING=1`, `STOPPING=1` and, if requested,
  /// `WATCHDOG=1` (`sd_notify(3)`).
  ///
  /// The run waits for each method of the delegate before it goes on. Services stop after the handlers of
  /// `willTerminate` have finished, including asynchronous ones and those on actors;
  /// ``Configuration/cancelTimeout`` limits that time. The stop also cancels work that runs after the launch. When all
  /// services have ended, the method waits for that work, at most ``Configuration/cancelTimeout``, and the values of
  /// launch work are closed. Finally, the method waits until the handlers of the other events of the stop have finished,
  /// up to the state ``AppState/terminated``, and until ``Configuration/onMessage`` has returned from the last message,
  /// for each at most ``Configuration/cancelTimeout``: a program may call `exit` as soon as the method has returned.
  ///
  /// - Returns: The exit code passed to `shutdown`; otherwise 128 plus the number of the signal if a second
  ///   signal has cancelled everything; otherwise 0.
  /// - Throws: ``AppHostError`` if the launch or a service failed, if a service is abandoned, if the
  ///   host already ran, or if another host runs with its loader; `CancellationError` if the only cause
  ///   was the cancellation of the task.
  nonisolated(nonsending) public func run() async throws -> Int32 {
    let (steps, input) = AsyncStream.makeStream(of: ServiceRunner.Step.self)
    guard runner.claim(at: place(of: input)) else {
      let error = AppServiceError(.alreadyRan, runner: "This AppHost")
      throw AppHostError([(service: nil, error: error)])
    }
    guard loader.enter({ [messages] in messages.send($0) }) else {
      throw await refused(LaunchError(.inUse))
    }
    let system = SystemConnection(self)
    manager.withLock { $0 = system.manager }
    ServiceManager.begin(system.manager)
    defer {
      ServiceManager.end(system.manager)
      manager.withLock { $0 = nil }
    }
    let unclosed = await withCancellationHandling {
      await runToTheEnd(system, steps)
    } onCancel: {
      cancel()
    }
    await system.end()
    loader.leave()
    await lastPostsAreHandled()
    await changes.delivered(within: configuration.cancelTimeout, on: configuration.clock)
    await messages.delivered(within: configuration.cancelTimeout, on: configuration.clock)
    let (failures, isCancelled) = (runner.outcome.failures + unclosed, runner.outcome.isCancelled)
    if !failures.isEmpty { throw AppHostError(failures, exitCode: failureCode) }
    if isCancelled { try Task.checkCancellation() }
    return locked.withLock { $0.exitCode } ?? 0
  }

  /// Runs the host, and ends the process with its exit code.
  ///
  /// The last line of most programs:
  ///
  /// ```swift
  /// await AppHost().runAndExit()
  /// ```
  ///
  /// The exit code is the one that ``run()`` returns. If it throws, the error is printed on standard error,
  /// and the code is ``AppHostError/exitCode``, or 70 without one: `EX_SOFTWARE` of `sysexits.h`. The process
  /// ends as by `exit(3)`.
  nonisolated(nonsending) public func runAndExit() async -> Never {
    do {
      exit(try await run())
    } catch {
      printError("\(error)".onOneLine)
      exit((error as? AppHostError)?.exitCode ?? 70)
    }
  }

  /// The exit code that was asked for, unless the system takes it for that of a success: it keeps eight bits.
  private var failureCode: Int32? {
    guard let code = locked.withLock({ $0.exitCode }), code & 0xFF != 0 else { return nil }
    return code
  }

  /// Ends a run that may not begin: without events, and without the loader, which may belong to others.
  nonisolated(nonsending) private func refused(_ error: any Error) async -> AppHostError {
    runner.send { machine in
      machine.fail(error)
      machine.begin()
      machine.permitStop()
    }
    await runner.drive()
    refuse()
    return AppHostError([(service: nil, error: error)], exitCode: failureCode)
  }

  /// Describes where the services run.
  ///
  /// - Parameter steps: Receives the steps that the task of the run performs.
  /// - Returns: The place.
  private func place(
    of steps: AsyncStream<ServiceRunner.Step>.Continuation
  ) -> ServiceRunner.Place {
    let (bus, messages, changes) = (bus, messages, changes)
    return ServiceRunner.Place(
      clock: configuration.clock,
      loader: loader,
      report: { [dispositions] report in
        switch report {
        case .message(let message):
          messages.send(message)
          // The delays of services.
          if message.state == .starting || message.state == .stopping { dispositions.compare() }
        case .changed(let change): changes.send(change)
        }
      },
      perform: { [self] step in
        switch step {
        case .abandonHandlers: calls.abandonAll()
        case .abandonLaunch:
          launchEnd.resolve(nil)
          // Methods of the delegate that began after others were abandoned.
          calls.abandonAll()
        case .delayed(let text): manager.withLock { $0 }?.extend(text)
        case .stopping:
          // The thread that requests the stop may be late.
          calls.cancelMethods()
          steps.yield(step)
        case .started, .over: steps.yield(step)
        }
      },
      isObserved: { bus.hasObservers(of: .appServiceStateDidChange) },
      others: { [self] in
        guard locked.withLock({ $0.launch != nil }) else { return (calls.names, []) }
        let workers = loader.unfinished.map(\.rawValue)
        return ([Self.describe(workers)] + calls.names, workers)
      }
    )
  }

  /// Runs launch work and services, performs the steps of the run on the caller's actor, and closes the values.
  ///
  /// - Returns: The errors of closing.
  private func runToTheEnd(
    _ system: SystemConnection,
    _ steps: AsyncStream<ServiceRunner.Step>,
    isolation: isolated (any Actor)? = #isolation
  ) async -> [ServiceMachine.Failure] {
    let driver = Task { await runner.drive() }
    if !runner.isStopRequested { await launch() }
    runner.send { $0.begin() }
    // In a separate task, which no cancellation reaches.
    let performing = Task {
      _ = isolation
      for await step in steps {
        switch step {
        case .started: started(system)
        case .stopping: stopping(system)
        case .over: return
        case .abandonHandlers, .abandonLaunch, .delayed: break
        }
      }
    }
    await performing.value
    await driver.value
    let unclosed = await abandonLateWork(system) + closeValues(system)
    // Methods of state changes that others have delayed until now have a limit each, as those of the
    // last ones.
    let limit = configuration.cancelTimeout ?? configuration.stopTimeout
    let timer = limit.map { limit in
      every(max(.milliseconds(1), limit), clock: configuration.clock) { [calls] _ in
        calls.abandonAll()
      }
    }
    await changed(.end)
    timer?.cancel()
    calls.close()
    return unclosed
  }

  /// Waits for the work that ran after the launch, which the stop has cancelled, and abandons what exceeds the limit.
  ///
  /// Not for work that runs the host itself, which ends after it.
  nonisolated(nonsending) private func abandonLateWork(
    _ system: SystemConnection
  ) async -> [ServiceMachine.Failure] {
    let work = loader.lateWork.filter { !LaunchContext.isInside($0.item) }
    let (limit, clock) = (configuration.cancelTimeout, configuration.clock)
    if work.isEmpty { return [] }
    let delay = DelayReport(clock) { waited in
      let workers = work.unfinished.map(\.rawValue)
      if workers.isEmpty { return nil }
      let text = "Still waiting, after \(waited.shortText), for \(Self.describe(workers)) to stop."
      return AppHostMessage(text, workers: workers, state: .stopping, elapsed: waited)
    } send: { [messages, manager = system.manager] message in
      messages.send(message)
      if limit != nil { manager?.extend(message.description) }
    }
    await work.untilFinished(within: limit, on: clock)
    delay.end()
    return work.unfinished.map { (nil, abandon("\($0)")) }
  }

  /// Closes the values that launch work has made, and reports those whose closing failed or is abandoned.
  nonisolated(nonsending) private func closeValues(
    _ system: SystemConnection
  ) async -> [ServiceMachine.Failure] {
    var failures: [ServiceMachine.Failure] = []
    let (limit, clock) = (configuration.cancelTimeout, configuration.clock)
    await loader.closeValues(within: limit, on: clock) {
      [messages, manager = system.manager] message in
      messages.send(message)
      if limit != nil { manager?.extend(message.description) }
    } report: { id, error in
      let name = "closing launch value \"\(id)\""
      let abandoned = AppServiceError(
        .abandoned(name),
        limit: limit,
        isLaunchWork: true,
        wasCancelled: false
      )
      let message = AppHostMessage(
        error.map { "\(name) failed: \($0)".capitalizedFirst.asSentence } ?? abandoned.description,
        workers: [id.rawValue],
        state: error == nil ? .abandoned : .ended,
        error: error ?? abandoned
      )
      messages.send(message)
      failures.append((nil, error ?? abandoned))
    }
    return failures
  }

  private func started(_ system: SystemConnection, isolation: isolated (any Actor)? = #isolation) {
    // Notify the manager first, so that a stop requested by an observer of `.active` cannot precede
    // `READY=1`.
    if !runner.isStopRequested { system.manager?.started() }
    change(.started)
    dispositions.compare()
  }

  private func stopping(_ system: SystemConnection, isolation: isolated (any Actor)? = #isolation) {
    dispositions.compare()
    system.manager?.stopping()
    loader.stop()
    let count = change(.stop)
    // Not awaited here: what exceeds the limit, a delegate or a handler, is abandoned.
    Task {
      await delivered(count)
      await calls.untilDone()
      runner.send { $0.permitStop() }
    }
  }

  nonisolated(nonsending) private func launch() async {
    let options = configuration.launchOptions ?? .current
    locked.withLock { $0.options = options }
    await changed(.launch)
    if runner.isStopRequested { return }
    do {
      try await runLaunchWork(options)
      if !runner.isStopRequested { await changed(.launched) }
    } catch {
      runner.send { $0.fail(error) }
    }
  }

  /// Runs the launch work in the isolation of the caller, in a task that ``shutdown(exitCode:because:)`` can cancel.
  private func runLaunchWork(
    _ options: LaunchOptions,
    isolation: isolated (any Actor)? = #isolation
  ) async throws {
    let isKnown = Latch()
    let task = Task {
      // Captured so that the task runs on this actor.
      _ = isolation
      _ = await isKnown.wait()
      return try await loader.launch(options)
    }
    // Publish the task before any work begins, because a worker may request the shutdown.
    locked.withLock { $0.launch = task }
    if runner.isStopRequested { task.cancel() }
    Task { launchEnd.resolve(await task.result) }
    isKnown.open()
    let end = Task { try await launchEnd.wait() }
    let result = try? await end.value  // Reason: nothing cancels the task.
    locked.withLock { $0.launch = nil }
    guard let result = result ?? nil else { return failLaunchWork() }
    do {
      let report = try result.get()
      // The launch continued without them; without a message, the failures would go unnoticed.
      for problem in report.problems { messages.send("\(problem)") }
      // Work that the stop has cancelled has not failed.
      let isStopping = runner.isStopRequested
      for entry in report.failures where !(isStopping && entry.outcome.isCancellation) {
        let message = AppHostMessage(
          "Launch work \"\(entry.id)\" \(entry.outcome)".asSentence,
          workers: [entry.id.rawValue],
          state: .ended,
          error: entry.outcome.error,
          elapsed: entry.duration
        )
        messages.send(message)
      }
    } catch  where runner.isStopRequested && error.isOfEndedWait {
      // The launch may belong to another caller, which a shutdown does not wait for.
    }
  }

  /// Returns a description of launch work, which names at most eight workers.
  private static func describe(_ workers: [String]) -> String {
    // Nothing runs: the work that has ended was the last, or the next has not begun.
    if workers.isEmpty { return "launch work" }
    let names = workers.prefix(8).map { "\"\($0)\"" }.joined(separator: ", ")
    let rest = workers.count - 8
    return "launch work \(names)" + (rest > 0 ? " and \(rest) more" : "")
  }

  /// Records an error for each unfinished worker of a launch that was abandoned.
  private func failLaunchWork() {
    let workers: [String?] = loader.unfinished.map { "\($0)" }
    for worker in workers.isEmpty ? [nil] : workers {
      let error = abandon(worker)
      runner.send { $0.fail(error) }
    }
  }

  /// Reports launch work that is abandoned.
  ///
  /// - Parameter worker: Its name, if it is known.
  /// - Returns: The error.
  private func abandon(_ worker: String?) -> AppServiceError {
    let name = worker.map { "launch work \"\($0)\"" } ?? "launch work"
    let limit = configuration.cancelTimeout
    let error = AppServiceError(.abandoned(name), limit: limit, isLaunchWork: true)
    let workers = worker.map { [$0] } ?? []
    messages.send(
      AppHostMessage(error.description, workers: workers, state: .abandoned, error: error)
    )
    return error
  }
}

extension AppHost {
  /// Requests an orderly stop: services stop in reverse order, then ``run()`` returns.
  ///
  /// Only the first exit code is used; a call without one leaves it to a later call. A call before `run()` prevents
  /// the launch and the start of services. A call during the launch prevents everything that has not begun. Once
  /// `run()` has returned, a call has no effect.
  ///
  /// - Parameters:
  ///   - exitCode: The exit code for ``run()`` to return, or for ``AppHostError/exitCode`` if it throws.
  ///   - cause: An error because of which the program ends: `run()` throws an ``AppHostError`` with it, before the
  ///     errors that follow. `nil` for an end that is not a failure.
  public func shutdown(exitCode: Int32? = nil, because cause: (any Error)? = nil) {
    locked.withLock { state in
      state.exitCode = state.exitCode ?? exitCode
      if cause == nil { state.isEndedByProgram = true }
    }
    end { machine in
      if let cause { machine.fail(cause) }
      machine.shutdown()
    }
  }

  /// Requests an orderly stop without setting the exit code.
  func requestShutdown() { end { $0.shutdown() } }

  /// Cancels everything immediately, even during an orderly stop.
  ///
  /// - Parameter exitCode: The exit code, unless the program has requested the stop itself.
  package func cancel(exitCode: Int32? = nil) {
    locked.withLock { state in
      if !state.isEndedByProgram { state.exitCode = state.exitCode ?? exitCode }
    }
    end { $0.cancel() }
  }

  private func end(_ request: (inout ServiceMachine) -> Void) {
    runner.send(request)
    // Without waiting for the announcement.
    calls.cancelMethods()
    locked.withLock { $0.launch }?.cancel()
  }
}

extension LaunchOutcome {
  /// The error that the work threw, if it did.
  fileprivate var error: (any Error)? { if case .failed(let error) = self { error } else { nil } }
}
