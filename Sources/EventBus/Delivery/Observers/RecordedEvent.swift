/// A recorded post: its payload and its origin, with the sender as that of an event that has waited.
final class RecordedEvent<Payload: Sendable>: Sendable {
  /// The payload.
  package let payload: Payload
  /// The origin of the post.
  package let delivery: Delivery

  /// Records a post.
  ///
  /// - Parameters:
  ///   - payload: The payload.
  ///   - delivery: The origin of the post.
  ///   - sender: The sender's identity.
  package required init(_ payload: Payload, _ delivery: Delivery, from sender: SenderIdentity?) {
    self.payload = payload
    var recorded = delivery.recorded
    recorded.waitedFrom = sender
    self.delivery = recorded
  }
}
