/// The origin of an event, for observers that need more than its payload.
@usableFromInline
package struct Delivery: Sendable {
  /// The call that posted the event.
  package let site: CallSite
  /// The identity of the sender.
  package let sender: ObjectIdentifier?
  /// The actor the poster runs on, if the compiler knew it.
  package var isolation: (any Actor)?
  /// The registration that the poster excluded.
  package var excluded: TokenIdentity?
  /// Records what becomes of the event, for a poster that waits or for hooks; `nil` if neither does.
  package var record: PostRecord?
  /// The sender of an event that has waited or was recorded; it may have died.
  package var waitedFrom: SenderIdentity?
  /// The number of the post among those of a replayed event; zero for other events.
  package var number: UInt = 0

  /// Describes one post.
  package init(
    at site: CallSite,
    from sender: ObjectIdentifier? = nil,
    on isolation: (any Actor)? = nil,
    record: PostRecord? = nil
  ) {
    (self.site, self.sender, self.isolation, self.record) = (site, sender, isolation, record)
  }

  /// Describes a post of a sender that the caller keeps alive.
  package init(at site: CallSite, from sender: AnyObject?, on isolation: (any Actor)?) {
    self.init(at: site, from: sender.map(ObjectIdentifier.init), on: isolation)
  }

  /// The record, if hooks follow the post.
  package var followed: PostRecord? { record.flatMap { $0.isFollowed ? $0 : nil } }

  /// A copy for later observers, without the parts that are valid only while the post is running.
  package var recorded: Delivery {
    var copy = Delivery(at: site, from: sender, record: record)
    copy.number = number
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

  /// One if the event reached the handler or its queue, otherwise zero.
  @inlinable
  package var reached: Int {
    switch self {
    case .called, .failed, .queued, .replayed: 1
    default: 0
    }
  }
}
