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

/// What a report says of the events that wait for one handler.
package struct QueueContent: Sendable {
  /// The number of events that wait for the handler, or in the buffer of the stream.
  let waitingCount: Int
  /// The number of events discarded before they reached the handler.
  var droppedCount = 0
  /// Whether this is the buffer of a stream.
  var isStream = false
}

/// The delivery of an element to a stream, if hooks follow its post, as the buffer sees it.
@usableFromInline
package class FollowedElement: @unchecked Sendable {  // Reason: stateless.
  /// Creates a delivery.
  package init() {}

  /// Reports that a consumer takes the element.
  @usableFromInline
  package func take() {}

  /// Reports what became of an element that no consumer takes, once.
  @usableFromInline
  package func settle(_ reception: Reception) {}
}
