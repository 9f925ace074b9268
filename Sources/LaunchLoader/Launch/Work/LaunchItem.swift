internal import EventBus
internal import Synchronization

/// Registered launch work: its requirements, its closures until they have been used, and its outcome.
///
/// The loader keeps it until it has run; registrations keep it for its outcome. Closures are taken out to be
/// run, so that they are released when they have finished, even if the registration is still
/// referenced.
///
/// ## Thread safety
///
/// All members may be called from any thread.
package final class LaunchItem: Sendable {
  /// A condition that decides whether the work runs, evaluated when its turn comes.
  package typealias Condition = @Sendable (LaunchOptions) -> Bool

  /// How the work is run.
  package enum Kind: Hashable, Sendable {
    /// Called on the launching thread.
    case call
    /// Called on an actor, which the closure keeps alive; in place, if the launch begins on that actor.
    case hop(ObjectIdentifier)
    /// Started in a task, and not awaited before the next work begins.
    case task
  }

  private struct State {
    var body: LaunchWork.Body?
    var actor: (any Actor)?
    var condition: Condition?
    var undo: LaunchWork.CleanUp?
    var close: LaunchWork.CleanUp?
    var value: (any Sendable)?
    var original: LaunchSite?
  }

  /// The name; `nil` if it is derived from the source site.
  package let id: LaunchID?
  /// The source site.
  package let site: LaunchSite
  /// The name, if there is one, and the line, for messages.
  var place: String { (id.map { "\"\($0)\" " } ?? "") + "(\(site.source))" }
  /// The key of the value that the work makes; `nil` if it makes none.
  package let makes: AnyLaunchKey?
  /// The keys of the values that the work needs.
  package let needs: [AnyLaunchKey]
  /// The work that must finish first, beginning with the makers of the needs, in their order.
  package let after: [LaunchID]
  /// The work that must end first, if it is registered.
  package let afterIfPresent: [LaunchID]
  /// The phase.
  package let phase: LaunchPhase
  /// The time limit of the work; `nil` if there is none.
  let timeout: Duration?
  /// How the work is run.
  package let kind: Kind
  /// True if the actor of the work is known, and must be reached first.
  private let hasActor: Bool
  /// True if a rollback undoes the work: it is a type, or makes a value that a closure
  /// undoes or closes.
  let isUndoable: Bool
  /// True if a closure closes the value.
  package let isClosable: Bool
  /// True if a condition was given.
  let hasCondition: Bool
  /// The outcome, once the work has ended.
  package let outcome = LatchedValue<LaunchOutcome>()
  private let state: Locked<State>

  /// Creates an item that does not belong to a loader yet.
  package init(
    _ id: LaunchID?,
    _ site: LaunchSite,
    after: [LaunchID] = [],
    afterIfPresent: [LaunchID] = [],
    phase: LaunchPhase = .standard,
    timeout: Duration? = nil,
    when condition: Condition? = nil,
    _ work: LaunchWork
  ) {
    (self.id, self.site, makes, needs) = (id, site, work.makes, work.needs)
    self.after = needs.isEmpty ? after : needs.map(\.name) + after
    (self.afterIfPresent, self.phase, self.timeout) = (afterIfPresent, phase, timeout)
    if case .asynchronous = work.body {
      kind = .task
    } else {
      kind = work.actor.map { .hop(ObjectIdentifier($0)) } ?? .call
    }
    (hasActor, hasCondition) = (work.actor != nil, condition != nil)
    (isUndoable, isClosable) = (work.undo != nil || work.close != nil, work.close != nil)
    state = Locked(
      State(
        body: work.body,
        actor: work.actor,
        condition: condition,
        undo: work.undo,
        close: work.close
      )
    )
  }

  /// True if the work may have to wait for other work.
  var hasDependencies: Bool { !after.isEmpty || !afterIfPresent.isEmpty }

  /// Calls a closure with each dependency, and with `true` if it must finish, and otherwise only end.
  func forEachDependency(_ body: (_ id: LaunchID, _ isHard: Bool) -> Void) {
    for id in after { body(id, true) }
    for id in afterIfPresent { body(id, false) }
  }

  /// True if it has no dependencies and the standard phase.
  var isPlain: Bool { !hasDependencies && phase == .standard }

  /// The source site of the first registration of the name, if this is a duplicate of it.
  var original: LaunchSite? { state.withLock { $0.original } }

  /// Evaluates the condition once, and releases it.
  func isWanted(_ options: LaunchOptions) -> Bool {
    guard hasCondition, let holds = state.withLock({ $0.condition.take() }) else { return true }
    return holds(options)
  }

  /// Replaces a successful outcome with `timedOut` if the work exceeded its time limit.
  func limited(_ outcome: LaunchOutcome, _ duration: Duration) -> LaunchOutcome {
    guard let timeout, outcome.isFinished, duration > timeout else { return outcome }
    return .timedOut
  }

  /// Sets the outcome, after all closures that are no longer needed have been released.
  ///
  /// - Parameters:
  ///   - outcome: The outcome.
  ///   - original: The source site of the first registration of the name, if this is a duplicate.
  ///   - keepsUndo: `true` if the work may have to be undone.
  ///   - value: What the work has made, if only a rollback needs it.
  func settle(
    _ outcome: LaunchOutcome,
    original: LaunchSite? = nil,
    keepsUndo: Bool = false,
    _ value: (any Sendable)? = nil
  ) {
    exchange { state in
      State(
        undo: keepsUndo ? state.undo : nil,
        close: outcome.isFinished ? state.close : nil,
        value: value,
        original: original
      )
    }
    self.outcome.resolve(outcome)
  }

  /// Takes out the closure that undoes or closes the work, and what was kept for it.
  ///
  /// - Parameter undoes: `true` for a rollback, which closes what it cannot undo.
  /// - Returns: The closure, if there is one, and what was kept for it.
  func takeCleanUp(undoes: Bool) -> (cleanUp: LaunchWork.CleanUp?, value: (any Sendable)?) {
    let former = exchange { State(original: $0.original) }
    return (undoes ? former.undo ?? former.close : former.close, former.value)
  }

  /// Releases what only a rollback needs.
  func releaseUndo() { exchange { State(close: $0.close, original: $0.original) } }

  /// Replaces the state, and releases what it no longer contains outside of the lock.
  ///
  /// - Returns: The former state.
  @discardableResult
  private func exchange(_ makeState: (borrowing State) -> State) -> State {
    state.withLock { state in
      var next = makeState(state)
      swap(&state, &next)
      return next
    }
  }
}

extension LaunchItem {
  /// The outcome of a call of the work, and what the work has made.
  typealias End = (outcome: LaunchOutcome, value: (any Sendable)?)

  /// Calls synchronous work on the current thread; if it has an actor, the caller must run on that
  /// actor.
  ///
  /// The closure has been released when this call returns, before the outcome is published.
  ///
  /// - Parameters:
  ///   - options: The options that the work receives.
  ///   - values: The values that it needs.
  /// - Returns: The outcome, and what the work has made.
  func call(_ options: LaunchOptions, _ values: LaunchValues) -> End {
    guard case .synchronous(let body) = takeBody() else { return (.skipped(because: nil), nil) }
    do { return (.finished, try body.call(options, values)) } catch { return (.failed(error), nil) }
  }

  /// Runs work of any kind where it belongs, unless it may no longer begin when it gets there.
  ///
  /// The closure has been released when this call returns, before the outcome is published. The actor
  /// of a type is unknown: its worker begins when it is created, and `launch(_:)` may then have to wait
  /// for an actor.
  ///
  /// - Parameters:
  ///   - options: The options that the work receives.
  ///   - loader: The loader whose launch waits for the work.
  ///   - begins: A closure that decides whether the work begins, called on its actor right before the
  ///     work. It returns the values that the work needs, or `nil` if it may no longer begin.
  /// - Returns: The outcome; `nil` if the work did not begin.
  nonisolated(nonsending) func run(
    _ options: LaunchOptions,
    for loader: ObjectIdentifier,
    ifStillWanted begins: @Sendable () -> LaunchValues?
  ) async -> End? {
    // A hop to no actor takes time as well.
    let actor = hasActor ? state.withLock { $0.actor } : nil
    if kind != .task { return await perform(options, on: actor, begins) }
    return await marked(for: loader) {
      guard let actor else { return await self.perform(options, begins) }
      return await self.perform(options, on: actor, begins)
    }
  }

  /// Performs work, or the clean-up after it, in a context in which its end cannot be awaited.
  nonisolated(nonsending) func marked<Result: Sendable>(
    for loader: ObjectIdentifier,
    _ body: nonisolated(nonsending) () async -> Result
  ) async -> Result {
    let context = LaunchContext(self, of: loader)
    defer { context.end() }
    return await LaunchContext.$current.withValue(context.withOuter) { await body() }
  }

  /// Takes the work out; only the first caller receives it.
  private func takeBody() -> LaunchWork.Body? { state.withLock { $0.body.take() } }

  private func perform(
    _ options: LaunchOptions,
    on actor: isolated (any Actor)?,
    _ begins: @Sendable () -> LaunchValues?
  ) async -> End? {
    await perform(options, begins)
  }

  /// Runs the work on the current actor, which is its own.
  nonisolated(nonsending) private func perform(
    _ options: LaunchOptions,
    _ begins: @Sendable () -> LaunchValues?
  ) async -> End? {
    guard let values = begins() else { return nil }
    do {
      switch takeBody() {
      case .synchronous(let body): return (.finished, try body.call(options, values))
      case .asynchronous(let body): return (.finished, try await body.run(options, values))
      case nil: return (.skipped(because: nil), nil)
      }
    } catch {
      return (.failed(error), nil)
    }
  }
}

/// Identifies the task of an asynchronous worker, and the tasks it starts, while the worker runs.
///
/// It is used to refuse waits that could never end. Tasks inherit the context and may outlive the
/// worker, so `hasEnded` records its end. Synchronous workers need no context, because they cannot
/// wait.
final class LaunchContext: Sendable {
  /// The workers that the current task belongs to, from the outermost to the innermost.
  ///
  /// Contexts do not refer to each other, so work that repeatedly starts work leaves no chain.
  @TaskLocal static var current: [LaunchContext] = []

  private let item: LaunchItem
  private let loader: ObjectIdentifier?
  private let hasEnded = Atomic<Bool>(false)

  /// Creates a context for a worker that begins in the current task.
  ///
  /// - Parameters:
  ///   - item: The item of the worker.
  ///   - loader: The loader whose launch waits for the worker, if there is one.
  init(_ item: LaunchItem, of loader: ObjectIdentifier?) {
    self.item = item
    self.loader = loader
  }

  /// The contexts of the current task whose workers still run, followed by this one.
  var withOuter: [LaunchContext] {
    Self.current.filter(\.isRunning) + CollectionOfOne(self)
  }

  /// Records that the worker has returned.
  func end() { hasEnded.store(true, ordering: .releasing) }

  /// Returns the name and the line of the innermost running worker of the loader's launch to which the current task
  /// belongs.
  static func worker(of loader: ObjectIdentifier) -> String? {
    current.last { $0.loader == loader && $0.isRunning }?.item.place
  }

  /// Returns whether the current task belongs to this worker, while it runs.
  static func isInside(_ item: LaunchItem) -> Bool {
    current.contains { $0.item === item && $0.isRunning }
  }

  private var isRunning: Bool { !hasEnded.load(ordering: .acquiring) }
}
