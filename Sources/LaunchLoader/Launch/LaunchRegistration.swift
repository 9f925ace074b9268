internal import EventBus

/// One registration: where it was written, what it asks for, what it runs, and how it ended.
///
/// The loader keeps it until it has run, tokens keep it for its outcome. The closures are taken out to be
/// run, so that they are let go of when they have finished, whoever still holds the registration.
///
/// ## Thread safety
///
/// Every member may be called from any thread.
package final class LaunchRegistration: Sendable {
  private struct State {
    var work: LaunchWork?
    var condition: LaunchCondition?
    var worker: (any LaunchWorker)?
  }

  /// The name, or `nil` for one made from the place.
  package let id: LaunchID?
  /// Where it was written.
  package let site: LaunchSite
  /// What it asks for.
  package let terms: LaunchTerms
  /// How the work may be called.
  package let kind: LaunchKind
  /// Whether there is a way back: the work has a type of its own.
  package let isUndoable: Bool
  /// Whether it asks for nothing: its turn depends on nobody.
  let isPlain: Bool
  /// How it ended, once it has.
  package let outcome = LatchedValue<LaunchOutcome>()
  /// Whether there is something to ask before it runs.
  let hasCondition: Bool
  private let state: Locked<State>

  /// Creates a registration that no loader has seen yet.
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

  /// The actor that the closure is written for, while the closure is here; of a type it is not known.
  var actor: (any Actor)? {
    switch state.withLock({ $0.work }) {
    case .isolated(let call, _): call.body.isolation
    case .asynchronous(let call): call.body.isolation
    case .inline, .type, nil: nil
    }
  }

  /// Takes the closure out: the first caller gets it.
  func takeWork() -> LaunchWork? {
    state.withLock { $0.work.take() }
  }

  /// Asks whether the work is to run, once; the question is let go of.
  func isWanted(_ options: LaunchOptions) -> Bool {
    guard hasCondition, let condition = state.withLock({ $0.condition.take() }) else { return true }
    return condition.holds(options)
  }

  /// Keeps a worker that has finished, so that it can be undone.
  func keep(_ worker: any LaunchWorker) {
    state.withLock { $0.worker = worker }
  }

  /// Takes out a worker that was kept.
  func takeWorker() -> (any LaunchWorker)? {
    state.withLock { $0.worker.take() }
  }

  /// Lets go of everything, and then records why it did not run.
  func dismiss(_ reason: LaunchOutcome) {
    letGo()
    outcome.resolve(reason)
  }

  /// Lets go of everything that has not been taken out.
  func letGo() {
    let former = state.withLock { state in
      defer { state = State() }
      return state
    }
    withExtendedLifetime(former) {}
  }
}
