internal import EventBus
private import _EventBusLocks

/// The outcome of an event on the bus on which it was posted, while the event leaves the process.
///
/// When a durable event comes back to that bus, the post has called its handlers. Their outcome decides whether the
/// event may be acknowledged.
final class LocalPost: Sendable {
  /// The outcome of the handlers.
  enum Outcome: Sendable, Equatable {
    /// Every handler has finished.
    case done
    /// No handler was called.
    case noHandler
    /// A handler failed, or did not get the event.
    case failed(String)
    /// The post was not followed.
    case unknown
  }

  private struct State {
    /// The registrations whose handlers have not finished.
    var open: Set<Int> = []
    var failure: String?
    var reached: Int?
    var isBound = false
    var outcome: Outcome?
    var waiters: [@Sendable (Outcome) -> Void] = []
  }

  private let state = Locked(State())

  /// Calls a closure with the outcome, at once if it is known.
  func whenComplete(_ body: @escaping @Sendable (Outcome) -> Void) {
    let outcome = state.withLock { state in
      if state.outcome == nil { state.waiters.append(body) }
      return state.outcome
    }
    if let outcome { body(outcome) }
  }

  /// Whether the outcome is not known yet.
  var isOpen: Bool { state.withLock { $0.outcome == nil } }

  /// Gives this post the outcome of another one.
  func bind(to post: LocalPost) {
    state.withLock { $0.isBound = true }
    post.whenComplete { self.complete($0) }
  }

  /// Ends this post without an outcome, unless it is bound.
  func endUnlessBound() {
    if !state.withLock(\.isBound) { complete(.unknown) }
  }

  func complete(_ outcome: Outcome) {
    let waiters = state.withLock { state in
      guard state.outcome == nil else { return [] as [@Sendable (Outcome) -> Void] }
      state.outcome = outcome
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter(outcome) }
  }

  /// Notes a step of the post.
  ///
  /// - Returns: Whether it was the last one.
  func note(_ step: TraceStep.Kind, _ registration: Int?) -> Bool {
    let outcome = state.withLock { state in
      switch (step, registration) {
      case (.began, _): break
      case (.ended(let reached), _): state.reached = reached
      case (.queued, let id?), (.started, let id?): state.open.insert(id)
      case (.finished(let error), let id?):
        state.open.remove(id)
        if let error { state.failure = state.failure ?? "a handler failed: \(error)" }
      case (.skipped(let reason), let id?):
        state.open.remove(id)
        state.failure = state.failure ?? Self.failure(reason)
      default: break
      }
      guard let reached = state.reached, state.open.isEmpty else { return nil as Outcome? }
      if let failure = state.failure { return .failed(failure) }
      // One of the reached observers is that of the bridges.
      return reached > 1 ? .done : .noHandler
    }
    guard let outcome else { return false }
    complete(outcome)
    return true
  }

  /// The reason why an event that skipped a handler counts as unhandled, as after `postAndWait`.
  private static func failure(_ reason: TraceStep.SkipReason) -> String? {
    switch reason {
    case .declined, .spent, .excluded, .tooNew: nil
    case .cancelled: "a handler was cancelled"
    case .ownerLost, .paused, .dropped, .intercepted: "a handler dropped the event"
    }
  }
}
