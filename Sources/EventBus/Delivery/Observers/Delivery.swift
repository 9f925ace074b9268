/// The origin of an event, for observers that need more than its payload.
package struct Delivery: Sendable {
  /// The source file of the post.
  package let fileID: StaticString
  /// The source line of the post.
  package let line: UInt
  /// The identity of the sender.
  package let sender: ObjectIdentifier?
  /// The actor the poster runs on, if the compiler knew it.
  package var isolation: (any Actor)?
  /// The registration that the poster excluded.
  package var excluded: TokenIdentity?
  /// Counts the calls for a poster that waits until every handler has finished.
  package var completion: Completion?
  /// The sender of an event that has waited or was recorded; it may have died.
  package var waitedFrom: SenderIdentity?
  /// The number of the post among those of a replayed event; zero for other events.
  package var number: UInt = 0
  /// Follows the deliveries of the post on behalf of hooks; `nil` while no hook does.
  package var watch: PostWatch?

  /// Describes one post.
  package init(
    fileID: StaticString,
    line: UInt,
    sender: ObjectIdentifier? = nil,
    isolation: (any Actor)? = nil,
    excluded: TokenIdentity? = nil,
    completion: Completion? = nil
  ) {
    (self.fileID, self.line, self.sender) = (fileID, line, sender)
    (self.isolation, self.excluded, self.completion) = (isolation, excluded, completion)
  }

  /// A copy for delivery by code other than the poster.
  package var detached: Delivery {
    var copy = forLater
    copy.completion = completion
    copy.number = number
    return copy
  }

  /// A copy without the parts that are valid only while the post is running.
  package var forLater: Delivery {
    var copy = Delivery(fileID: fileID, line: line, sender: sender)
    copy.watch = watch
    return copy
  }
}

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
  /// The owner has died; the registration is to be removed.
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

  /// One if the event reached the handler or its queue, otherwise zero.
  @inlinable
  package var reached: Int {
    switch self {
    case .called, .failed, .queued: 1
    default: 0
    }
  }
}
