internal import EventBus

/// A registered service with its shutdown signal and its task.
///
/// Contexts keep their handle. A service may store its context, so the handle gives the body away when the
/// service is entered:
///
/// ```
/// task ──owns──► body ──► service ──► context ──► handle      (no way back: the end of the run releases all)
/// ```
///
/// ## Thread safety
///
/// Every member may be called from any thread.
final class ServiceHandle: Sendable {
  typealias Body = @Sendable (AppServiceContext) async throws -> Void

  /// The signal that asks the service to stop.
  let signal = ShutdownSignal()
  /// The task of the service.
  let task = LateTask()
  private let state: Locked<State>

  private struct State {
    var body: Body?
  }

  init(_ body: @escaping Body) { state = Locked(State(body: body)) }

  /// Takes the body of the service, for its only run.
  func takeBody() -> Body? {
    // The state as a whole: the closure alone would gain a wrapper.
    let former = state.withLock { state in
      defer { state = State() }
      return state
    }
    return former.body
  }

  /// Cancels the task of the service, and then asks the service to stop.
  func cancel() { task.cancel { [signal] in signal.raise(isCancellation: true) } }
}
