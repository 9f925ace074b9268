internal import EventBus

/// One registration: where it was written, what it runs, and how it ended.
///
/// The loader keeps it until it has run, tokens keep it for its outcome. The closure is taken out to be
/// run, so that it is let go of when it has finished, whoever still holds the registration.
///
/// ## Thread safety
///
/// Every member may be called from any thread.
package final class LaunchRegistration: Sendable {
  private struct State {
    var work: LaunchWork?
  }

  /// The name, or `nil` for one made from the place.
  package let id: LaunchID?
  /// The file of the registration.
  package let fileID: StaticString
  /// The line of the registration.
  package let line: UInt
  /// How the work may be called.
  package let kind: LaunchKind
  /// How it ended, once it has.
  package let outcome = LatchedValue<LaunchOutcome>()
  private let state: Locked<State>

  /// Creates a registration that no loader has seen yet.
  package init(id: LaunchID?, fileID: StaticString, line: UInt, work: LaunchWork) {
    self.id = id
    self.fileID = fileID
    self.line = line
    kind = work.kind
    state = Locked(State(work: work))
  }

  /// Takes the closure out: the first caller gets it.
  internal func takeWork() -> LaunchWork? {
    state.withLock { $0.work.take() }
  }

  /// Lets go of the closure, then records why it did not run.
  internal func dismiss(_ reason: LaunchOutcome) {
    _ = takeWork()
    outcome.resolve(reason)
  }
}
