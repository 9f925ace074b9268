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
/// Workers take their turns in order of registration. A synchronous one ends before the next turn; if it
/// belongs to an actor, it runs there. An asynchronous one of no actor runs as far as its first suspension
/// before the next turn, and concurrently from then on; work that never suspends is better synchronous.
/// When an event launches, the synchronous workers of no actor, and of the actor that the event is posted
/// on, run at once, on the posting thread; the others take their turns after them, in a task.
///
/// Work registered during the launch takes part in it. Work registered later runs at once, with the
/// options of the launch: a synchronous closure of no actor before the registration returns, any other in
/// a task.
///
/// ## Errors
///
/// A worker that throws stops nobody. Its ``LaunchToken`` and the ``LaunchReport`` have the error.
///
/// ## Thread safety
///
/// Every member may be called from any thread and from inside a worker. Workers are called on the thread
/// that launches, on their actor, or in a task. No lock is held meanwhile, nor when a closure is let go of.
public final class LaunchLoader: Sendable {
  /// What the lock guards.
  internal struct State: Sendable {
    /// The rule.
    internal var registry = LaunchRegistry()
    /// The bus subscriptions that end when the launch begins.
    internal var attachments = LaunchAttachments()
  }

  /// The loader of the process, with which the static functions register.
  public static let shared = LaunchLoader()

  /// The only lock; registrations have their own, never taken under it.
  internal let state = Locked(State())
  /// Wakes the one that runs the launch.
  internal let doorbell = Doorbell()
  /// The report, or why there will be none.
  internal let result = LatchedValue<Result<LaunchReport, LaunchError>>()
  private let clock: any Clock<Duration>

  /// Creates a loader of its own, for a part of a program or for a test.
  ///
  /// Work that still waits when the loader is destroyed never runs; its outcome is
  /// ``LaunchOutcome/skipped(because:)``.
  ///
  /// - Parameter clock: Measures the times in the report. Nobody reads it before the launch.
  public init(clock: any Clock<Duration> = ContinuousClock()) {
    self.clock = clock
  }

  deinit {
    dismissAll(.skipped(because: nil))
  }

  /// Launches when `EventNames.didFinishLaunching` is posted on a bus.
  ///
  /// The first event launches, and only if nobody launched before. When the post returns, the synchronous
  /// workers of no actor have run, and those of the actor that posted; errors of workers go to the report, none to the poster. The attachment
  /// keeps the loader alive and ends when the launch begins, however that comes about. A loader may be
  /// attached to several buses; attaching one that has launched does nothing.
  ///
  /// - Parameter bus: The bus to listen on.
  /// - Returns: The attachment. Dropping it detaches the loader.
  /// - Complexity: Amortized O(1).
  public func attach(to bus: EventBus) -> Token {
    let token = bus.observePoster(of: .didFinishLaunching) { options, actor in
      self.launchNow(options, on: actor)
    }
    let loaded = state.withLock { state in
      state.registry.isCollecting ? state.attachments.add(token) : nil
    }
    if loaded == nil { token.cancel() }
    return token
  }

  /// Runs the registered work and waits until all of it has ended.
  ///
  /// The work runs once: during a launch, this waits for the end of that launch; after it, it returns the
  /// stored report at once. Cancelling the task that launches cancels the tasks of asynchronous workers
  /// and skips what has not begun; the report says so.
  ///
  /// - Parameter options: What every worker receives. Ignored if somebody launched before.
  /// - Returns: The report of the launch; the same for all callers.
  /// - Throws: ``LaunchError`` with the code `reentrant` inside an asynchronous worker and in the tasks
  ///   that it starts, as long as it runs, because its launch cannot end before it; `cancelled` if the
  ///   task is cancelled while it waits for another one's launch; `stopped` if the loader was stopped
  ///   before it launched.
  @discardableResult
  public func launch(
    _ options: LaunchOptions = .current
  ) async throws(LaunchError) -> LaunchReport {
    if let stored = result.value { return try stored.get() }
    guard !LaunchContext.isInside(self) else { throw LaunchError(.reentrant) }
    if let session = begin(options) { return await runCancellably(session) }
    let ended: Result<LaunchReport, LaunchError>
    do { ended = try await result.wait() } catch { throw LaunchError(.cancelled) }
    return try ended.get()
  }

  /// The report of the launch, once that is over; whoever comes late gets it at once.
  ///
  /// Reading it does not launch.
  ///
  /// - Throws: `CancellationError` as soon as the waiting task is cancelled; ``LaunchError`` with the
  ///   code `reentrant` where ``launch(_:)`` throws it, and `stopped` if there will be no launch.
  public var report: LaunchReport {
    get async throws {
      if let stored = result.value { return try stored.get() }
      guard !LaunchContext.isInside(self) else { throw LaunchError(.reentrant) }
      return try await result.wait().get()
    }
  }

  /// Refuses registrations from now on: the program is about to end.
  ///
  /// Work that waits for a launch is refused too. A launch that has begun goes on.
  package func stop() {
    dismissAll(.refused)
  }

  /// Claims the launch and ends the attachments.
  ///
  /// - Returns: What the workers share; `nil` if somebody else launches or launched.
  internal func begin(_ options: LaunchOptions) -> LaunchSession? {
    let attachments = state.withLock { state in
      state.registry.claim(options) ? state.attachments.takeAll() : nil
    }
    guard let attachments else { return nil }
    for attachment in attachments { attachment.cancel() }
    return LaunchSession(options: options, stopwatch: Stopwatch(clock))
  }

  private func dismissAll(_ reason: LaunchOutcome) {
    let (dismissed, attachments) = state.withLock { state in
      let dismissed = state.registry.stop()
      return (dismissed, dismissed == nil ? [] : state.attachments.takeAll())
    }
    guard let dismissed else { return }
    for attachment in attachments { attachment.cancel() }
    for registration in dismissed { registration.dismiss(reason) }
    result.resolve(.failure(LaunchError(.stopped)))
  }
}
