public import EventBus

/// Collects launch work from all over a program and runs it once.
///
/// ```swift
/// LaunchLoader.register("logging") { options in Log.start(options.arguments) }
///
/// let attachment = LaunchLoader.shared.attach(to: .default)
/// EventBus.default.post(.didFinishLaunching, .current)  // runs it: once, whatever is posted later
/// ```
///
/// A launch claims the work first and runs it after: the registry is empty and the bus subscriptions are
/// gone before the first worker is called, and a closure is let go of as soon as it has returned.
///
/// ## Order
///
/// By phase, then by dependencies, then by registration. A dependency beats its phase: what an earlier phase
/// needs, or comes after, runs in that phase. A synchronous worker ends before anything else begins; if it
/// belongs to an actor, it runs there. Asynchronous ones begin in order, run as far as their first
/// suspension before the next one begins, and concurrently from then on, no more of them at once than the
/// width allows; work that never suspends is better synchronous. Who waits, for a dependency or for room in
/// the width, holds up nobody else of its phase; nothing of a phase begins before all of the phase before it
/// has ended. The phase `idle` comes after the launch.
///
/// When an event launches, the synchronous workers of no actor, and of the actor that the event is posted
/// on, run at once, on the posting thread, unless something asynchronous or an actor has to be waited for:
/// by them or by their phase. The others take their turns after them, in a task.
///
/// Work registered during the launch takes part in it, in its phase or in the one that runs if its own is
/// over. Work registered later runs at once, with the options of the launch: a synchronous closure of no
/// actor before the registration returns, any other in a task; if it depends on work that has not ended,
/// after that.
///
/// ## Errors
///
/// What a failing worker does to the others is up to the ``FailurePolicy``. In any case its ``LaunchToken``
/// and the ``LaunchReport`` have the error, and what needs it is skipped.
///
/// ## Thread safety
///
/// Every member may be called from any thread and from inside a worker. Workers are called on the thread
/// that launches, on their actor, or in a task. No lock is held meanwhile, nor when a closure is let go of.
public final class LaunchLoader: Sendable {
  /// What the lock guards.
  struct State: Sendable {
    /// The rule.
    var registry: LaunchRegistry
    /// The bus subscriptions that end when the launch begins.
    var attachments = LaunchAttachments()
    /// Waits until the launch has taken too long.
    var limit: Task<Void, Never>?
    /// The worker that is being undone.
    var undoing: LaunchID?
  }

  /// The loader of the process, with which the static functions register.
  public static let shared = LaunchLoader()

  /// The only lock; registrations have their own, never taken under it.
  let state: Locked<State>
  /// Wakes the one that runs the launch.
  let doorbell = Doorbell()
  /// The report, or why there will be none.
  let result = LatchedValue<LaunchConclusion>()
  /// What a failure does.
  let policy: FailurePolicy
  /// How long the launch may take, and then each clean-up of one that is rolled back.
  let timeout: Duration?
  private let clock: any Clock<Duration>

  /// Creates a loader of its own, for a part of a program or for a test.
  ///
  /// Work that still waits when the loader is destroyed never runs; its outcome is
  /// ``LaunchOutcome/skipped(because:)``.
  ///
  /// - Parameters:
  ///   - policy: What a failing worker does to the others.
  ///   - timeout: How long a launch may take, on the clock. Then what runs asynchronously is cancelled, and
  ///     is ``LaunchOutcome/timedOut``, and what has not begun, or waits for its actor, is skipped; a
  ///     synchronous worker that runs is waited for. Each clean-up of a launch that is rolled back has as much
  ///     time again, before it is left behind. By default as long as it likes.
  ///   - width: How many asynchronous workers may run at once, at least one. By default any number.
  ///   - clock: Measures everything: the times in the report, and the limits. Nobody reads it before the
  ///     launch.
  public init(
    onFailure policy: FailurePolicy = .continue,
    timeout: Duration? = nil,
    width: Int? = nil,
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.policy = policy
    self.timeout = timeout
    self.clock = clock
    state = Locked(State(registry: LaunchRegistry(onFailure: policy, width: width)))
  }

  deinit {
    endWithoutLaunch(.skipped(because: nil))
  }

  /// Launches when `EventNames.didFinishLaunching` is posted on a bus.
  ///
  /// The first event launches, and only if nobody launched before. When the post returns, the synchronous
  /// workers of no actor, and those of the actor that posted, have run, as far as they need not wait. Errors
  /// of workers go to the report, none to the poster. If the event was posted before, this launches at once
  /// with the options of the last one: the synchronous workers of no actor run before it returns, as far
  /// as they need not wait. The attachment keeps the loader alive and ends when the launch begins, however
  /// that comes about. A loader may be attached to several buses; attaching one that has launched does
  /// nothing.
  ///
  /// - Parameter bus: The bus to listen on.
  /// - Returns: The attachment. Dropping it detaches the loader.
  /// - Complexity: Amortized O(1), and that of the launch if the event was posted before.
  public func attach(to bus: EventBus) -> Token {
    let token = bus.observePoster(of: .didFinishLaunching) { options, actor in
      self.launchNow(options, on: actor)
    }
    let loaded = state.withLock { state in
      state.registry.isCollecting ? state.attachments.add(token) : nil
    }
    if loaded == nil { token.cancel() }
    if loaded != nil, let options = bus.latest(.didFinishLaunching) { launchNow(options, on: nil) }
    return token
  }

  /// Runs the registered work and waits until all of it has ended.
  ///
  /// The work runs once: during a launch, this waits for the end of that launch; after it, it returns the
  /// stored report, or throws the stored error, at once. Cancelling the task that launches cancels the tasks
  /// of asynchronous workers and skips what has not begun, or waits for its actor; the report says so. A
  /// worker that gives way by throwing `CancellationError` does not fail the launch then, whatever the
  /// policy. Work of the phase `idle` is not waited for.
  ///
  /// Cancelling abandons nothing: the launch still waits for a worker that ignores it, and for every clean-up of
  /// a rollback, which is neither cancelled nor left out, because state that is half undone fits neither before
  /// nor after. What never returns is left behind when its time is up: a launch whose loader has a `timeout`
  /// always ends, one without it ends when its workers and clean-ups do.
  ///
  /// - Parameter options: What every worker receives. Ignored if somebody launched before.
  /// - Returns: The report of the launch; the same for all callers.
  /// - Throws: ``LaunchError`` with the code `reentrant` inside an asynchronous worker and in the tasks
  ///   that it starts, as long as it runs, because its launch cannot end before it; `cancelled` if the
  ///   task is cancelled while it waits for another one's launch; `stopped` if the loader was stopped
  ///   before it launched. If the policy is not ``FailurePolicy/continue``: `failed` if a worker failed or
  ///   the time was up; `cycle` or `missing`, before anything has run, if the work cannot be ordered.
  @discardableResult
  public func launch(
    _ options: LaunchOptions = .current
  ) async throws(LaunchError) -> LaunchReport {
    if let stored = result.value { return try stored.launched() }
    guard !LaunchContext.isInside(self) else { throw LaunchError(.reentrant) }
    if let session = begin(options, on: nil) {
      await runCancellably(session)
      if let conclusion = result.value { return try conclusion.launched() }
    }
    let conclusion: LaunchConclusion
    do { conclusion = try await result.wait() } catch { throw LaunchError(.cancelled) }
    return try conclusion.launched()
  }

  /// The workers of the launch that have begun, or are being undone, and that it waits for.
  var unfinished: [LaunchID] {
    state.withLock { $0.registry.unfinished + [$0.undoing].compactMap(\.self) }
  }

  /// What a launch would run now, and in which order.
  ///
  /// Nothing is run, and no condition is asked. Once the launch has begun there is nothing to plan.
  ///
  /// - Returns: The plan.
  /// - Throws: ``LaunchError`` with the code `cycle` or `missing`, whatever the policy.
  /// - Complexity: O(*n* log *n* + *e*) in the numbers of registrations and of dependencies.
  public func plan() throws(LaunchError) -> LaunchPlan {
    try LaunchPlan(state.withLock { $0.registry.waitingRows })
  }

  /// The report of the launch, once that is over; whoever comes late gets it at once.
  ///
  /// Reading it does not launch. Of a launch that failed there is a report as well.
  ///
  /// - Throws: `CancellationError` as soon as the waiting task is cancelled; ``LaunchError`` with the
  ///   code `reentrant` where ``launch(_:)`` throws it, and `stopped` if there will be no launch.
  public var report: LaunchReport {
    get async throws {
      if let stored = result.value { return try stored.reported() }
      guard !LaunchContext.isInside(self) else { throw LaunchError(.reentrant) }
      return try await result.wait().reported()
    }
  }

  /// Refuses registrations from now on: the program is about to end.
  ///
  /// Work that waits for a launch is refused too, and idle and late work that has not begun. A launch that
  /// has begun goes on.
  package func stop() {
    finish(endWithoutLaunch(.refused))
  }

  /// Claims the launch and ends the attachments.
  ///
  /// - Parameters:
  ///   - options: What the workers receive.
  ///   - actor: The actor that the caller can call workers of.
  /// - Returns: What the workers share; `nil` if somebody else launches or launched.
  func begin(_ options: LaunchOptions, on actor: ObjectIdentifier?) -> LaunchSession? {
    let attachments = state.withLock { state in
      state.registry.claim(options, on: actor) ? state.attachments.takeAll() : nil
    }
    guard let attachments else { return nil }
    for attachment in attachments { attachment.cancel() }
    let session = session(options)
    if let timeout {
      let limit = alarm(at: timeout, session) { self.expire(session) }
      state.withLock { $0.limit = limit }
    }
    return session
  }

  /// What work with these options shares, timed from now on.
  func session(_ options: LaunchOptions) -> LaunchSession {
    LaunchSession(options: options, stopwatch: Stopwatch(clock))
  }

  /// Refuses everything that has not begun, or calls it skipped.
  ///
  /// - Returns: What else to do.
  @discardableResult
  private func endWithoutLaunch(_ reason: LaunchOutcome) -> LaunchAftermath {
    let (refused, endsAll, aftermath, attachments) = state.withLock { state in
      let (refused, endsAll, aftermath) = state.registry.stop()
      return (refused, endsAll, aftermath, endsAll ? state.attachments.takeAll() : [])
    }
    for attachment in attachments { attachment.cancel() }
    for registration in refused { registration.dismiss(reason) }
    if endsAll { result.resolve(LaunchConclusion(report: nil, error: LaunchError(.stopped))) }
    return aftermath
  }
}
