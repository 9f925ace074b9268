/// The origin of an event, as words that retain nothing: the posting code, or the event that waits, keeps the
/// referenced objects alive.
///
/// Creating one costs nothing, so all posts take one path. What follows an event, if anything does, is in its
/// ``PostRecord``.
@usableFromInline
package struct Post: Sendable {
  /// The call that posted the event.
  @usableFromInline package let site: CallSite
  /// The identity of the sender.
  @usableFromInline package let sender: ObjectIdentifier?
  /// The address of the actor on which the caller runs, if the compiler knew it; otherwise zero.
  @usableFromInline var actorAddress: UInt
  /// The address of the registration that the caller excluded; otherwise zero.
  @usableFromInline var excludedAddress: UInt
  /// The address of the record of the outcomes, for a caller that waits or for hooks; otherwise zero.
  @usableFromInline var recordAddress: UInt
  /// The address of the sender's identity, for an event that has waited or was recorded; otherwise zero.
  @usableFromInline var identityAddress: UInt
  /// The number of the post among those of a replayed event; zero for other events.
  @usableFromInline package var number: UInt

  /// Describes a post of a sender and an actor that the caller keeps alive.
  @inlinable
  @inline(__always)  // A call would retain the sender.
  package init(
    at site: CallSite,
    from sender: AnyObject? = nil,
    on isolation: (any Actor)? = nil
  ) {
    // Not default values, which would be calls in the modules that post.
    (self.site, self.sender) = (site, sender.map(ObjectIdentifier.init))
    actorAddress = ObjectAddress.of(isolation)
    (recordAddress, identityAddress, number, excludedAddress) = (0, 0, 0, 0)
  }

  /// Describes an event whose sender may have died.
  ///
  /// The caller keeps the identity and the record alive.
  package init(
    at site: CallSite,
    senderID: ObjectIdentifier?,
    _ identity: SenderIdentity? = nil,
    record: PostRecord? = nil,
    number: UInt = 0,
    on isolation: (any Actor)? = nil
  ) {
    (self.site, sender, self.number, excludedAddress) = (site, senderID, number, 0)
    identityAddress = ObjectAddress.of(identity)
    recordAddress = ObjectAddress.of(record)
    actorAddress = ObjectAddress.of(isolation)
  }

  /// The record of the outcomes; `nil` if no caller waits for them and no hook follows the event.
  package var record: PostRecord? {
    ObjectAddress.object(recordAddress, as: PostRecord.self)
  }

  /// The record, if hooks follow the post.
  var followed: PostRecord? {
    if recordAddress == 0 { return nil }
    return record.flatMap { $0.isFollowed ? $0 : nil }
  }

  /// Sets the record, which the caller keeps alive.
  mutating func setRecord(_ record: PostRecord) { recordAddress = ObjectAddress.of(record) }

  /// The sender of an event that has waited or was recorded; it may have died.
  var waitedFrom: SenderIdentity? {
    ObjectAddress.object(identityAddress, as: SenderIdentity.self)
  }

  /// The actor on which the caller runs, if the compiler knew it.
  package var isolation: (any Actor)? {
    ObjectAddress.object(actorAddress, as: AnyObject.self) as? any Actor
  }

  /// The identity of the actor on which the caller runs.
  var actor: ActorIdentity? { isolation.map(ActorIdentity.init) }
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
  /// The caller excluded the registration.
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
  @inlinable
  package var isReached: Bool {
    switch self {
    case .called, .failed, .queued, .replayed: true
    default: false
    }
  }
}
