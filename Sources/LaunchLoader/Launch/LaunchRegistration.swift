internal import EventBus

/// A registration of launch work: its source site, requirements, work and outcome.
///
/// The loader keeps it until it has run; tokens keep it for its outcome. Closures are taken out to be
/// run, so that they are released when they have finished, even if the registration is still
/// referenced.
///
/// ## Thread safety
///
/// All members may be called from any thread.
package final class LaunchRegistration: Sendable {
  private struct State {
    var work: LaunchWork?
    var condition: LaunchCondition?
    var worker: (any LaunchWorker)?
  }

  /// The name; `nil` if it is derived from the source site.
  package let id: LaunchID?
  /// The source site.
  package let site: LaunchSite
  /// The requirements.
  package let terms: LaunchTerms
  /// The kind of the work, which determines how it may be called.
  package let kind: LaunchKind
  /// A Boolean value that indicates whether the work can be undone, because it is a type.
  package let isUndoable: Bool
  /// A Boolean value that indicates whether it has no dependencies and the standard phase.
  let isPlain: Bool
  /// The outcome, once the work has ended.
  package let outcome = LatchedValue<LaunchOutcome>()
  /// A Boolean value that indicates whether a condition was given.
  let hasCondition: Bool
  private let state: Locked<State>

  /// Creates a registration that does not belong to a loader yet.
  package init(
    id: LaunchID?,
    site: LaunchSite,
    terms: LaunchTerms = LaunchTerms(),
    condition: LaunchCondition? = nil,
    work: LaunchWork
  ) {
    self.id = id
    self.site = site
    self.terms = terms
    kind = work.kind
    isUndoable = work.isUndoable
    isPlain = !terms.hasDependencies && terms.phase == .standard
    hasCondition = condition != nil
    state = Locked(State(work: work, condition: condition))
  }

  /// The actor of the closure, while the closure is present; `nil` for a type, whose actor is unknown.
  var actor: (any Actor)? {
    switch state.withLock({ $0.work }) {
    case .isolated(let call, _): call.body.isolation
    case .asynchronous(let call): call.body.isolation
    case .inline, .type, nil: nil
    }
  }

  /// Takes the work out; only the first caller receives it.
  func takeWork() -> LaunchWork? {
    state.withLock { $0.work.take() }
  }

  /// Evaluates the condition once, and releases it.
  func isWanted(_ options: LaunchOptions) -> Bool {
    guard hasCondition, let condition = state.withLock({ $0.condition.take() }) else { return true }
    return condition.holds(options)
  }

  /// Keeps a worker that has finished, for a rollback.
  func keep(_ worker: any LaunchWorker) {
    state.withLock { $0.worker = worker }
  }

  func takeWorker() -> (any LaunchWorker)? {
    state.withLock { $0.worker.take() }
  }

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
}
