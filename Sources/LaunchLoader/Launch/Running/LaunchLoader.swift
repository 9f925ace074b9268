public import EventBus

/// Collects launch work from all over a program and runs it once.
///
/// ```swift
/// import EventBus
/// import LaunchLoader
///
/// LaunchLoader.register("logging") { options in print("logging: \(options.arguments)") }
///
/// let attachment = LaunchLoader.shared.attach(to: .default)
/// EventBus.default.post(.didFinishLaunching, .current)  // runs it: once, whatever is posted later
/// ```
///
/// A launch first claims the work and then runs it: before the first worker is called, the registry is
/// empty and the bus subscriptions have ended. Each closure is released as soon as it has returned.
///
/// ## Order
///
/// Work is ordered by phase, then by dependencies, then by registration. A dependency takes precedence
/// over a phase: work that an earlier phase needs, or comes after, runs in that phase. A synchronous
/// worker ends before anything else begins; if it belongs to an actor, it runs there. Asynchronous
/// workers begin in order. Each runs to its first suspension before the next one begins, and
/// concurrently with the others from then on; at most `width` of them run at once. Register work that
/// never suspends as synchronous work. A worker that waits for a dependency, or until fewer than
/// `width` workers run, delays no other worker of its phase. Nothing of a phase begins before all of
/// the previous phase has ended. The phase `idle` follows the launch.
///
/// When an event starts the launch, the synchronous workers of no actor, and those of the actor on
/// which the event is posted, run immediately on the posting thread, unless they or their phase must
/// wait for asynchronous work or for another actor. All other workers run after that, in a task.
///
/// Work registered during the launch takes part in it, in its own phase, or in the current one if its
/// own is over. Work registered after the launch runs immediately, with the options of the launch: a
/// synchronous closure of no actor before the registration returns, any other work in a task. If it
/// depends on work that has not ended, it runs after that work.
///
/// ## Errors
///
/// A registration that is refused, because its name is taken or the loader was stopped, is a message with its line,
/// and with that of the first registration of the name. The host that runs with the loader receives it, even if the
/// registration came before; otherwise, it is written to standard error when the launch begins.
///
/// The ``LaunchFailurePolicy`` determines how a failing worker affects the others. In every case its
/// ``LaunchRegistration`` and the ``LaunchReport`` contain the error, and the work that needs it is skipped.
///
/// ## Thread safety
///
/// All members may be called from any thread, including from inside a worker. Workers are called on the
/// thread that launches, on their actor, or in a task. No lock is held while a worker runs or a closure
/// is released.
public final class LaunchLoader: Sendable {
  /// The end of a launch: its report, unless it never began, and the error that it throws.
  typealias Conclusion = (report: LaunchReport?, error: LaunchError?)

  /// The state that the lock protects.
  struct State: ~Copyable, Sendable {
    /// The rules of the launch, as a value.
    var machine: LaunchMachine
    /// The effect of time on the launch.
    var timing: Timing
    /// What drives the launch, once it has begun.
    var run: Run?
    /// True if the launch, or the work after it, has a driver.
    var hasDriver = false
    /// True if an event has changed the machine since the last step of the driver.
    var isChanged = false
    /// True if the driver waits for an event.
    var isWaiting = false
    /// The tasks of running workers, by row.
    var tasks: [Int: WorkerTasks] = [:]
    /// The values that workers made.
    var values: LaunchValues = [:]
    /// The host that runs with the loader, the registrations that were refused before the launch, and the
    /// values that are awaited before it.
    var talk = Talk()
    /// By name: opens when work of the name is registered, or when none will be; and the number of callers that wait
    /// for that.
    var arrivals: [LaunchID: (latch: Latch, callers: Int)] = [:]
  }

  /// The task that runs a worker, and the task that waits for its time limit, if it has one.
  typealias WorkerTasks = (task: Task<Void, Never>, watch: Task<Void, Never>?)

  /// The time limit of the launch, and of each clean-up during a rollback; and the clock for time limits
  /// and for the report.
  typealias Timing = (timeout: Duration?, clock: any Clock<Duration>)

  /// The process-wide loader, with which the static functions register.
  public static let shared = LaunchLoader()

  /// The state, under a lock that is never held while the lock of a registration is taken.
  let state: Locked<State>
  /// The lifetime of the attachments to buses, which ends when the launch begins.
  let attachments = Lifetime()
  /// The conclusion of the launch, once there is one.
  let result = LatchedValue<Conclusion>()

  /// Creates an independent loader, for a part of a program or for a test.
  ///
  /// Work that is still waiting when the loader is destroyed never runs; its outcome is
  /// ``LaunchOutcome/skipped(because:)``.
  ///
  /// - Parameters:
  ///   - policy: The effect of a failing worker on the others.
  ///   - timeout: The time limit of the launch, measured on the clock. When it is reached, asynchronous
  ///     workers that run are cancelled, with the outcome ``LaunchOutcome/timedOut``; work that has not
  ///     begun, or that waits for its actor, is skipped; a running synchronous worker is awaited.
  ///     During a rollback each clean-up has the same limit, after which it is abandoned. By default
  ///     there is no limit.
  ///   - width: The number of asynchronous workers that may run at once, at least one. By default it is
  ///     not limited.
  ///   - clock: The clock for the time limits and for the times in the report. Before the launch, only
  ///     ``value(of:)`` reads it, to report that it waits.
  public init(
    onFailure policy: LaunchFailurePolicy = .continue,
    timeout: Duration? = nil,
    width: Int? = nil,
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    let machine = LaunchMachine(onFailure: policy, width: width)
    state = Locked(State(machine: machine, timing: (timeout, clock)))
  }

  deinit { stop(.skipped(because: nil)) }

  /// Updates the configuration.
  ///
  /// Valid until the launch begins.
  ///
  /// - Throws: ``LaunchError`` with the code `alreadyRan` or `stopped`.
  package func configure(
    onFailure policy: LaunchFailurePolicy?,
    timeout: Duration?,
    clock: (any Clock<Duration>)?
  ) throws(LaunchError) {
    let (code, former) = state.withLock { state -> (LaunchError.Code?, Timing) in
      let former = state.timing
      guard state.machine.isCollecting else {
        return (state.machine.stage == .collecting ? .stopped : .alreadyRan, former)
      }
      if let policy { state.machine.policy = policy }
      state.timing = (timeout ?? former.timeout, clock ?? former.clock)
      return (nil, former)
    }
    withExtendedLifetime(former) {}
    if let code { throw LaunchError(code) }
  }

  /// Configures the process-wide loader, until it launches.
  ///
  /// A setting whose parameter is omitted does not change. May be called before `main`.
  ///
  /// - Parameters:
  ///   - policy: The effect of a failing worker on the others; at first ``LaunchFailurePolicy/continue``.
  ///   - timeout: The time limit of the launch, and of each clean-up during a rollback; at first none.
  ///   - clock: The clock for time limits and for the report; at first a `ContinuousClock`.
  /// - Throws: ``LaunchError`` with the code `alreadyRan` once the launch has begun, or `stopped` if the
  ///   loader was stopped before; nothing has changed then.
  public static func configure(
    onFailure policy: LaunchFailurePolicy? = nil,
    timeout: Duration? = nil,
    clock: (any Clock<Duration>)? = nil
  ) throws(LaunchError) {
    try shared.configure(onFailure: policy, timeout: timeout, clock: clock)
  }

  /// Runs the registered work and waits until all of it has ended.
  ///
  /// The work runs once. During a launch, this call waits for the end of that launch; after it, the
  /// call immediately returns the stored report or throws the stored error. Cancelling the task that
  /// launches cancels the tasks of asynchronous workers and skips work that has not begun or that waits
  /// for its actor; the report contains these outcomes. A worker that then throws `CancellationError`
  /// does not fail the launch, whatever the policy. The call does not wait for work of the phase
  /// `idle`.
  ///
  /// Cancellation abandons nothing: the launch still waits for workers that ignore it, and for every
  /// clean-up of a rollback. Clean-ups are neither cancelled nor omitted, because half-undone state is
  /// consistent with neither the old state nor the new one. Only a time limit abandons work that never
  /// returns: a launch whose loader has a `timeout` always ends; without one, it ends when its workers
  /// and clean-ups do.
  ///
  /// - Parameter options: The options that every worker receives. Ignored if the loader has launched.
  /// - Returns: The report of the launch, which is the same for all callers.
  /// - Throws: ``LaunchError`` with the code `reentrant` inside a running asynchronous worker and in the
  ///   tasks that it starts, because its launch cannot end before it; `cancelled` if the task is cancelled
  ///   while it waits for a launch that another call started; `stopped` if the loader was stopped before it
  ///   launched. Unless the policy is ``LaunchFailurePolicy/continue``, further: `failed` if a worker failed
  ///   or the time limit was reached; `cycle`, `unknown` or `mismatch` if the work cannot be ordered: before
  ///   anything has run, or when work that cannot be ordered joins the running launch.
  @discardableResult
  nonisolated(nonsending) public func launch(
    _ options: LaunchOptions = .current
  ) async throws(LaunchError) -> LaunchReport {
    if let stored = result.value { return try Self.report(of: stored) }
    if let worker = LaunchContext.worker(of: ObjectIdentifier(self)) {
      throw LaunchError(.reentrant, worker: worker)
    }
    if let run = begin(options, on: nil) {
      await withCancellationHandling {
        await drive(run)
      } onCancel: {
        change { $0.cancel() }
      }
      if let conclusion = result.value { return try Self.report(of: conclusion) }
    }
    let conclusion: Conclusion
    do { conclusion = try await result.wait() } catch { throw LaunchError(.cancelled) }
    return try Self.report(of: conclusion)
  }

  /// The workers that have begun, or are being undone, and for which the launch waits.
  var unfinished: [LaunchID] { state.withLock { $0.machine.unfinished } }

  /// The workers that run after the launch; once the loader was stopped, no other one begins.
  var lateWork: [LaunchMachine.Row] { state.withLock { $0.machine.lateWork } }

  /// Returns the work that a launch would run now, in order.
  ///
  /// Planning runs no work and evaluates no condition. Once the launch has begun, the plan is empty.
  ///
  /// - Returns: The plan.
  /// - Throws: ``LaunchError`` with the code `cycle`, `unknown` or `mismatch`, whatever the policy.
  /// - Complexity: O(*n* log *n* + *e*) in the numbers of registrations and of dependencies.
  public func plan() throws(LaunchError) -> LaunchPlan {
    readNames()
    let machine = state.withLock { $0.machine }
    return try LaunchPlan(machine.isCollecting ? machine.rows : [], machine.names)
  }

  /// Waits for the end of the launch, and returns its report.
  ///
  /// The call does not start the launch. After the launch, it returns immediately. A failed launch has a
  /// report as well.
  ///
  /// - Returns: The report.
  /// - Throws: `CancellationError` as soon as the waiting task is cancelled; ``LaunchError`` with the code
  ///   `reentrant` where ``launch(_:)`` throws it, and `stopped` if there will be no launch. The error is
  ///   untyped because it may be either of these.
  nonisolated(nonsending) public func report() async throws -> LaunchReport {
    if result.value == nil, let worker = LaunchContext.worker(of: ObjectIdentifier(self)) {
      throw LaunchError(.reentrant, worker: worker)
    }
    let conclusion = try await result.wait()
    return try Self.report(of: (conclusion.report, nil))
  }

  /// Refuses all further registrations, because the program is about to end.
  ///
  /// Also refuses work that waits for a launch, and idle and late work that has not begun, and cancels that which
  /// runs. A launch that has begun continues.
  package func stop() { stop(.refused) }

  /// Refuses or skips everything that has not begun.
  private func stop(_ reason: LaunchOutcome) {
    let (refused, endsAll) = change { $0.stop() }
    if endsAll { attachments.end() }
    for item in refused { item.settle(reason) }
    if endsAll {
      endTalkBeforeLaunch()
      result.resolve((nil, LaunchError(.stopped)))
      openArrivals()
    }
  }

  /// Reads the names of the work that was registered so far, before anything that depends on them.
  func readNames() {
    if state.withLock({ !$0.machine.readsNames }) { change { $0.readNames() } }
  }

  private static func report(of conclusion: Conclusion) throws(LaunchError) -> LaunchReport {
    guard conclusion.error == nil, let report = conclusion.report else {
      throw conclusion.error ?? LaunchError(.stopped)
    }
    return report
  }
}

/// Launching by an event on a bus.
extension LaunchLoader {
  /// Launches when `EventNames.didFinishLaunching` is posted on a bus.
  ///
  /// The first event starts the launch, unless the loader has launched already. When the post returns,
  /// the synchronous workers of no actor, and those of the posting actor, have run, except for those
  /// that must wait. Errors of workers go to the report and never reach the posting code. If the event
  /// was posted before, this call launches immediately, with the options of the latest event, and runs
  /// the synchronous workers of no actor that need not wait before it returns. The attachment keeps
  /// the loader alive and ends when the launch begins, whatever starts it. A loader may be attached to
  /// several buses. Attaching a loader that has launched does nothing.
  ///
  /// - Parameter bus: The bus to observe.
  /// - Returns: The attachment. Releasing it detaches the loader.
  /// - Complexity: Amortized O(1), plus the cost of the launch if the event was posted before.
  public func attach(to bus: EventBus) -> Token {
    let token = bus.observePoster(of: .didFinishLaunching) { options, actor in
      if let run = self.begin(options, on: actor) { self.driveNow(run) }
    }
    token.registration.join(attachments.members)
    if let options = bus.latest(.didFinishLaunching), let run = begin(options, on: nil) {
      driveNow(run)
    }
    return token
  }
}

extension EventNames {
  /// Posted when the program is about to launch, before its launch work runs.
  public static let willFinishLaunching =
    EventName<LaunchOptions>(lifecycle: "application.willFinishLaunching")

  /// Posted when the program has launched; loaders attached to the bus then run their launch work.
  ///
  /// The last event is kept and replayed to observers that are added later.
  public static let didFinishLaunching =
    EventName<LaunchOptions>(lifecycle: "application.didFinishLaunching", replay: 1)
}
