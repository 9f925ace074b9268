/// A recorded post: its payload and its origin, with the sender as that of an event that has waited.
final class RecordedEvent<Payload: Sendable>: Sendable {
  /// The payload.
  let payload: Payload
  /// The identity of the sender.
  let identity: SenderIdentity?
  private let site: CallSite
  private let sender: ObjectIdentifier?
  private let record: PostRecord?

  /// Records a post.
  ///
  /// - Parameters:
  ///   - payload: The payload.
  ///   - post: The origin of the post.
  ///   - identity: The sender's identity.
  required init(_ payload: Payload, _ post: Post, from identity: SenderIdentity?) {
    (self.payload, self.identity, record) = (payload, identity, post.record)
    (site, sender) = (post.site, post.sender)
  }

  /// The origin of the post, without what was valid only while it was running; this event keeps alive what the origin
  /// refers to.
  var post: Post { Post(at: site, senderID: sender, identity, record: record) }
}
