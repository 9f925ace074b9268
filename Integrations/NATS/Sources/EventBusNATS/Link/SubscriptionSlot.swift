private import _EventBusLocks

/// Holds the subscription of a receiver, which is made again after a denial, until the receiver stops.
final class SubscriptionSlot: Sendable {
  private struct State {
    /// The subject of the subscription, if it is known.
    var subject: String?
    var subscription: (any LinkSubscription)?
    var isStopped = false
  }

  private let state: Locked<State>

  /// Creates an empty slot.
  ///
  /// - Parameter subject: The subject of the subscription; `nil` if it is set later.
  init(_ subject: String? = nil) { state = Locked(State(subject: subject)) }

  /// Sets the subject of the subscription.
  func setSubject(_ subject: String) { state.withLock { $0.subject = subject } }

  /// The subscription, if there is one.
  var subscription: (any LinkSubscription)? { state.withLock(\.subscription) }

  /// Whether no further subscription is made.
  var isStopped: Bool { state.withLock(\.isStopped) }

  /// Whether a subscription has to be made.
  var isWanted: Bool { state.withLock { $0.subscription == nil && !$0.isStopped } }

  /// Keeps a new subscription, or cancels it if the receiver has stopped meanwhile.
  func fill(_ made: any LinkSubscription) {
    let isKept = state.withLock { state in
      if state.isStopped { return false }
      state.subscription = made
      return true
    }
    if !isKept { made.cancel() }
  }

  /// Waits until the server has the subscription; cancels it if the server has denied it.
  ///
  /// - Parameter limit: The longest wait.
  /// - Throws: The failure of the link.
  func confirm(within limit: Duration) async throws(LinkFailure) {
    do throws(LinkFailure) {
      try await subscription?.confirm(within: limit)
    } catch {
      if case .notAuthorized = error { drop() }
      throw error
    }
  }

  /// Cancels the subscription, so that it is made again, if the server has denied its subject.
  ///
  /// - Returns: Whether the subject is that of the subscription.
  func drop(_ subject: String) -> Bool {
    guard state.withLock({ $0.subject == subject }) else { return false }
    drop()
    return true
  }

  private func drop() {
    let dropped = state.withLock { $0.isStopped ? nil : $0.subscription.take() }
    dropped?.cancel()
  }

  /// Ends the making of subscriptions.
  ///
  /// - Returns: The subscription, which the caller ends. It stays in the slot until ``clear()``.
  @discardableResult
  func stop() -> (any LinkSubscription)? {
    state.withLock { state in
      state.isStopped = true
      return state.subscription
    }
  }

  /// Releases the subscription.
  func clear() { withExtendedLifetime(state.withLock { $0.subscription.take() }) {} }
}
