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
  var waitedFrom: SenderIdentity?
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
  @inline(__always)  // A call would retain the sender.
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
