internal import EventBus
internal import Synchronization

/// A registration of launch work: its source site, requirements, work and outcome.
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

  private struct State {
    var work: LaunchWork?
    var condition: Condition?
    var value: (any Sendable)?
    var undo: LaunchExchange.Undo?
  }

  /// The name; `nil` if it is derived from the source site.
  package let id: LaunchID?
  /// The source site.
  package let site: LaunchSite
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
  /// A Boolean value that indicates whether the work is started in a task, and not awaited before the
  /// next one starts.
  package let isAsynchronous: Bool
  /// The actor of a synchronous closure, which is called there and keeps it alive; `nil` if there is none.
  package let home: ObjectIdentifier?
  /// A Boolean value that indicates whether the actor of the work is known, and has to be reached first.
  private let hasActor: Bool
  /// A Boolean value that indicates whether the work can be undone: it is a type, or makes a value that
  /// a closure undoes.
  let isUndoable: Bool
  /// A Boolean value that indicates whether a condition was given.
  let hasCondition: Bool
  /// The outcome, once the work has ended.
  package let outcome = LatchedValue<LaunchOutcome>()
  private let state: Locked<State>

  /// Creates a registration that does not belong to a loader yet.
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
    self.id = id
    self.site = site
    self.afterIfPresent = afterIfPresent
    self.phase = phase
    self.timeout = timeout
    hasCondition = condition != nil
    var undo: LaunchExchange.Undo?
    if case .exchange(let exchange) = work {
      (makes, needs, undo) = (exchange.makes, exchange.needs, exchange.undo)
      self.after = needs.isEmpty ? after : needs.map(\.name) + after
    } else {
      (makes, needs, self.after) = (nil, [], after)
    }
    switch work {
    case .synchronous(let call):
      home = call.isolation.map { ObjectIdentifier($0) }
      (isAsynchronous, hasActor, isUndoable) = (false, home != nil, false)
    case .asynchronous(let body):
      (home, isAsynchronous, hasActor, isUndoable) = (nil, true, body.isolation != nil, false)
    case .exchange(let exchange):
      isAsynchronous = exchange.isAsynchronous
      home = isAsynchronous ? nil : exchange.isolation.map { ObjectIdentifier($0) }
      (hasActor, isUndoable) = (exchange.isolation != nil, undo != nil)
    case .type: (home, isAsynchronous, hasActor, isUndoable) = (nil, true, false, true)
    }
    state = Locked(State(work: work, condition: condition, undo: undo))
  }

  /// A Boolean value that indicates whether the work is called directly, on the launching thread.
  package var isInline: Bool { !isAsynchronous && home == nil }

  /// A Boolean value that indicates whether the work may have to wait for other work.
  var hasDependencies: Bool { !after.isEmpty || !afterIfPresent.isEmpty }

  /// Calls a closure with each dependency, and with `true` if it must finish, and otherwise only end.
  func forEachDependency(_ body: (_ id: LaunchID, _ isHard: Bool) -> Void) {
    for id in after { body(id, true) }
    for id in afterIfPresent { body(id, false) }
  }

  /// A Boolean value that indicates whether it has no dependencies and the standard phase.
  var isPlain: Bool { !hasDependencies && phase == .standard }

  /// The actor of the closure, while the closure is present; `nil` for a type, whose actor is unknown.
  var actor: (any Actor)? {
    switch state.withLock({ $0.work }) {
    case .synchronous(let call): call.isolation
    case .asynchronous(let body): body.isolation
    case .exchange(let exchange): exchange.isolation
    case .type, nil: nil
    }
  }

  /// Takes the work out; only the first caller receives it.
  func takeWork() -> LaunchWork? { state.withLock { $0.work.take() } }

  /// Evaluates the condition once, and releases it.
  func isWanted(_ options: LaunchOptions) -> Bool {
    guard hasCondition, let holds = state.withLock({ $0.condition.take() }) else { return true }
    return holds(options)
  }

  /// Keeps a worker that has finished, for a rollback.
  func keep(worker: any LaunchWorker) { state.withLock { $0.undo = { _ in await worker.undo() } } }

  /// Keeps the value that the work made, until it is known whether the work finished in time.
  func keep(value: any Sendable) { state.withLock { $0.value = value } }

  /// Takes out the value that was kept.
  func takeValue() -> (any Sendable)? { state.withLock { $0.value.take() } }

  /// Takes out the closure that undoes the work.
  func takeUndo() -> LaunchExchange.Undo? { state.withLock { $0.undo.take() } }

  /// Releases all closures and then sets the outcome.
  func dismiss(_ reason: LaunchOutcome) {
    releaseClosures()
    outcome.resolve(reason)
  }

  /// Releases all closures that were not taken out.
  func releaseClosures() {
    let former = state.withLock { state in
      defer { state = State() }
      return state
    }
    withExtendedLifetime(former) {}
  }

  /// Replaces a successful outcome with `timedOut` if the work exceeded its time limit.
  func limited(_ outcome: LaunchOutcome, _ times: LaunchTimes) -> LaunchOutcome {
    guard let timeout, outcome.isFinished, times.duration > timeout else { return outcome }
    return .timedOut
  }
}

extension LaunchItem {
  /// Calls synchronous work on the current thread; if it has an actor, the caller must run on that
  /// actor.
  ///
  /// The closure has been released when this call returns, before the outcome is published.
  ///
  /// - Parameters:
  ///   - options: The options that the work receives.
  ///   - values: The values that it needs.
  /// - Returns: The outcome.
  func call(_ options: LaunchOptions, _ values: LaunchValues) -> LaunchOutcome {
    do {
      switch takeWork() {
      case .synchronous(let call): try call(options)
      case .exchange(let exchange):
        if let value = try exchange.call(options, values) { keep(value: value) }
      case .asynchronous, .type, nil: return .skipped(because: nil)
      }
      return .finished
    } catch {
      return .failed(error)
    }
  }

  /// Runs work of any kind where it belongs, unless it may no longer begin when it gets there.
  ///
  /// The closure has been released when this call returns, before the outcome is published. The actor
  /// of a type is unknown: its worker begins when it is created, and `launch(_:)` may then have to wait
  /// for an actor.
  ///
  /// - Parameters:
  ///   - options: The options that the work receives.
  ///   - loader: The loader whose launch waits for the work, if there is one.
  ///   - keepsWorker: `true` to keep a worker that finishes, for a rollback.
  ///   - begins: A closure that decides whether the work begins, called on its actor right before the
  ///     work. It returns the values that the work needs, or `nil` if it may no longer begin.
  /// - Returns: The outcome; `nil` if the work did not begin.
  nonisolated(nonsending) func run(
    _ options: LaunchOptions,
    for loader: ObjectIdentifier?,
    keepsWorker: Bool,
    ifStillWanted begins: @Sendable () -> LaunchValues?
  ) async -> LaunchOutcome? {
    guard isAsynchronous else {
      return await perform(options, keepsWorker: false, on: actor, begins)
    }
    return await marked(for: loader) {
      // A hop to no actor takes time as well.
      guard self.hasActor, let actor = self.actor else {
        return await self.perform(options, keepsWorker: keepsWorker, begins)
      }
      return await self.perform(options, keepsWorker: keepsWorker, on: actor, begins)
    }
  }

  /// Undoes a worker that was kept, or the value that the work made, and releases it.
  ///
  /// - Parameters:
  ///   - value: The value that the work made, if it made one.
  ///   - loader: The loader whose launch waits for the clean-up.
  nonisolated(nonsending) func undo(
    _ value: consuming (any Sendable)?,
    for loader: ObjectIdentifier
  ) async {
    if let undo = takeUndo() { await marked(for: loader) { await undo(value) } }
  }

  private func perform(
    _ options: LaunchOptions,
    keepsWorker: Bool,
    on actor: isolated (any Actor)?,
    _ begins: @Sendable () -> LaunchValues?
  ) async -> LaunchOutcome? {
    await perform(options, keepsWorker: keepsWorker, begins)
  }

  /// Runs the work on the current actor, which is its own.
  nonisolated(nonsending) private func perform(
    _ options: LaunchOptions,
    keepsWorker: Bool,
    _ begins: @Sendable () -> LaunchValues?
  ) async -> LaunchOutcome? {
    guard let values = begins() else { return nil }
    do {
      switch takeWork() {
      case .synchronous(let call): try call(options)
      case .asynchronous(let body): try await body(options)
      case .exchange(let exchange):
        if let value = try await exchange.run(options, values) { keep(value: value) }
      case .type(let type):
        let worker = type.init()
        try await worker.launch(options)
        if keepsWorker { keep(worker: worker) }
      case nil: return .skipped(because: nil)
      }
      return .finished
    } catch {
      return .failed(error)
    }
  }

  nonisolated(nonsending) private func marked<Result: Sendable>(
    for loader: ObjectIdentifier?,
    _ body: nonisolated(nonsending) () async -> Result
  ) async -> Result {
    let context = LaunchContext(self, of: loader)
    defer { context.end() }
    return await LaunchContext.$current.withValue(context.withOuter) { await body() }
  }
}
