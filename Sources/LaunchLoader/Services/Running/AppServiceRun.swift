internal import EventBus

/// The run of a single service or group, without an application, for tests.
///
/// ```swift
/// struct Heartbeat: AppService {
///   func run(_ context: AppServiceContext) async throws {
///     context.markReady()
///     try await context.waitUntilShutdown()
///   }
/// }
///
/// let run = AppServiceRun(Heartbeat())
/// try await run.waitUntilReady()
/// run.shutdown()
/// try await run.wait()
/// ```
///
/// The run begins when it is created. The service does not have to call ``AppServiceContext/markReady()``, unless the
/// test waits for that.
///
/// Keep the run until ``wait()`` has returned: a run that is released earlier cancels its service, and a
/// message says so.
///
/// ## Thread safety
///
/// Every member may be called from any thread, and by several tasks.
public final class AppServiceRun: Sendable {
  /// The results of a run, apart from the run itself, which must not keep itself alive.
  private final class Outcome: Sendable {
    /// The error that the service threw.
    let thrown = LatchedValue<any Error>()
    /// Resolved when the service is ready or will not be, which is an error.
    let readiness = LatchedValue<(any Error)?>()
    /// Resolved with the error of the run when it is over.
    let end = LatchedValue<(any Error)?>()
    /// The number of tasks that wait until the service is ready.
    let waitCount = Locked(0)
  }

  private let name: String
  private let runner: ServiceRunner
  private let messages: MessageQueue<AppHostMessage>
  private let outcome = Outcome()

  /// Starts a service.
  ///
  /// - Parameters:
  ///   - service: The service, which may be an ``AppServiceGroup``.
  ///   - name: The name of the service in messages and errors; `nil` means its ``AppService/serviceName``.
  ///   - loader: The loader whose values the service reads. The run does not launch it. Without a loader,
  ///     reading a value throws.
  ///   - options: The time limits of the service. The order and the endings have no effect, because there is
  ///     no other service.
  ///   - stopTimeout: The time in which the service must stop after ``shutdown()``, before it is cancelled, as
  ///     in the configuration of an application; `nil` means no limit.
  ///   - cancelTimeout: The time in which the cancelled service must end, before it is abandoned; `nil`
  ///     means no limit.
  ///   - clock: The clock that measures the time limits.
  ///   - onMessage: Called with each message of the run: that the stop or ``waitUntilReady()`` takes long, that
  ///     a service waits for a value although no launch has begun, or that it is cancelled or abandoned. By
  ///     default, each message is a line on standard error.
  public init(
    _ service: some AppService,
    named name: String? = nil,
    loader: LaunchLoader? = nil,
    options: AppServiceOptions = AppServiceOptions(),
    stopTimeout: Duration? = .seconds(20),
    cancelTimeout: Duration? = .seconds(5),
    clock: any Clock<Duration> = ContinuousClock(),
    onMessage: (@Sendable (AppHostMessage) -> Void)? = nil
  ) {
    let name = name ?? service.serviceName
    self.name = name
    let messages = MessageQueue(onMessage ?? { printError("LaunchLoader: \($0)") })
    self.messages = messages
    runner = ServiceRunner(
      ServiceRunner.Machine(stopTimeout: stopTimeout, cancelTimeout: cancelTimeout),
      ServiceAlarms(clock),
      loader: loader ?? Self.loaderWithoutValues(),
      // Only while ``waitUntilReady()`` waits: otherwise, no alarm of the run sleeps on its clock before the stop.
      watchesStart: false,
      receiver: { action in
        // `wait()` throws the errors.
        if case .say(let message) = action { messages.send(message) }
      }
    )
    add(service, options)
    runner.send { $0.begin() }
    Task { [name, runner, outcome] in
      let error = await Self.end(of: name, runner, outcome)
      await messages.delivered(within: cancelTimeout, on: clock)
      outcome.end.resolve(error)
    }
  }

  deinit {
    if runner.isOver { return }
    messages.send(
      "the AppServiceRun of \"\(name)\" was released: keep it until wait() has returned"
    )
    cancel()
  }

  /// Waits until the service is ready: it has called ``AppServiceContext/markReady()``, or all services of the group
  /// are ready.
  ///
  /// After five seconds on the clock of the run, and every ten seconds after that, a message names the service
  /// that is not ready.
  ///
  /// - Throws: The error of the service, or ``AppServiceError``, which names the service, if it ended before it
  ///   was ready, was asked to stop before it was ready, or exceeded its `startTimeout`; in each case when the
  ///   run is over. `CancellationError` when the waiting task is cancelled first.
  nonisolated(nonsending) public func waitUntilReady() async throws {
    let isFirst = outcome.waitCount.withLock { count in
      count += 1
      return count == 1
    }
    if isFirst { updateWatch() }
    defer {
      let isLast = outcome.waitCount.withLock { count in
        count -= 1
        return count == 0
      }
      if isLast { updateWatch() }
    }
    if let error = try await outcome.readiness.wait() { throw error }
  }

  /// Asks the service to stop.
  ///
  /// The first call counts; a call after the end has no effect. If the service has not been entered yet, it
  /// does not run.
  public func shutdown() { runner.send { $0.shutdown() } }

  /// Cancels the task of the service, also during a stop.
  public func cancel() { runner.send { $0.cancel() } }

  /// Waits until the service has ended, or was abandoned because it ignored its cancellation.
  ///
  /// Unlike in an application, a service may return at any time without an error.
  ///
  /// - Throws: The error that the service threw, whatever its options, except a `CancellationError`, or the error of
  ///   another wait that the stop has ended, after ``shutdown()`` while it was not cancelled; ``AppServiceError``
  ///   with the code `abandoned` if the service was abandoned, `failed` if it is a group, or `notStarted` if it
  ///   exceeded its `startTimeout`. `CancellationError` when the waiting task is cancelled first, which affects
  ///   only the wait.
  nonisolated(nonsending) public func wait() async throws {
    if let error = try await outcome.end.wait() { throw error }
  }

  /// Begins or ends the messages about the start, because the first task waits, or the last one no longer does.
  private func updateWatch() {
    runner.watchStart { [outcome] in outcome.waitCount.withLock { $0 > 0 } }
  }

  private func add(_ service: some AppService, _ options: AppServiceOptions) {
    var options = options
    options.after = []
    options.onReturn = .shutdown
    options.onThrow = .fail
    options.reportsReadiness = true
    do throws(AppServiceError) {
      let body = ServiceHandle.body(of: service)
      try runner.add(name, options) { [outcome] context in
        do {
          try await body(context)
        } catch  where error.isOfEndedWait && context.isShuttingDown && !Task.isCancelled {
          // The request to stop has ended its work.
          throw error
        } catch {
          outcome.thrown.resolve(error)
          throw error
        }
      }
    } catch {
      runner.send { $0.fail(error) }
    }
  }

  /// Waits for the end of a run.
  ///
  /// - Returns: The error of the run.
  private static func end(
    of name: String,
    _ runner: ServiceRunner,
    _ outcome: Outcome
  ) async -> (any Error)? {
    while true {
      switch await runner.nextMilestone() {
      case .started: outcome.readiness.resolve(nil)
      case .stopping: break
      case .over(let failures, _):
        let errors = failures.map(\.error)
        let thrown = outcome.thrown.value
        let cause = errors.first ?? thrown ?? AppServiceError(.endedBeforeReady(name))
        outcome.readiness.resolve(cause)
        let failure = errors.first { !Self.isMissingReadiness($0) }
        // A late start has cancelled the service, and is the cause.
        return thrown is CancellationError ? failure ?? thrown : thrown ?? failure
      }
    }
  }

  private static func isMissingReadiness(_ error: any Error) -> Bool {
    if case .endedBeforeReady? = (error as? AppServiceError)?.code { true } else { false }
  }

  /// Returns a loader that will never launch, so that waiting for its values throws.
  private static func loaderWithoutValues() -> LaunchLoader {
    let loader = LaunchLoader()
    loader.stop()
    return loader
  }
}
