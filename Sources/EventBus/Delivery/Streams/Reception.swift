/// The outcome of one event at one observer.
@usableFromInline
package enum Reception: Sendable {
  /// The handler was called.
  case called
  /// The handler was called and threw.
  case failed
  /// The event waits in the handler's queue.
  case queued
  /// The predicate declined the event.
  case declined
  /// The owner has died, or its lifetime has ended.
  case ownerLost
  /// The only call of the handler has already been used.
  case spent
  /// The registration is paused.
  case paused
  /// The registration was cancelled while the event was on its way.
  case cancelled
  /// The poster excluded the registration.
  case excluded
  /// The observer was registered after the post began.
  case tooNew
  /// The handler's queue was full.
  case dropped
  /// An interceptor did not let the call through.
  case intercepted
  /// The handler has received, or declined, the event as a recorded one.
  case replayed

  /// Whether the event reached the handler or its queue.
  @usableFromInline
  package var isReached: Bool {
    switch self {
    case .called, .failed, .queued, .replayed: true
    default: false
    }
  }
}
