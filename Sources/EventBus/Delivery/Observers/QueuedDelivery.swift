internal import Synchronization

/// A followed delivery that waits for its handler, or in a stream for its consumer.
///
/// It is announced before anything else is reported, by the poster or by the code that takes the event,
/// whichever is first.
@usableFromInline
package final class QueuedDelivery: FollowedElement, @unchecked Sendable {  // Reason: atomics.
  /// The record of the post.
  package let record: PostRecord
  /// The registration of the handler.
  package let receiver: Receiver
  private let isAnnounced = Atomic<Bool>(false)
  private let hasEnded = Atomic<Bool>(false)
  private let announced = Latch()

  /// Creates a delivery that was not announced yet.
  package init(_ record: PostRecord, for receiver: Receiver) {
    (self.record, self.receiver) = (record, receiver)
  }

  /// Reports that the event waits, once.
  package func announce() {
    if isAnnounced.exchange(true, ordering: .acquiringAndReleasing) { return }
    record.queued(for: receiver)
    announced.open()
  }

  /// Waits until the delivery has been announced.
  func waitUntilAnnounced() async { await announced.wait() }

  /// Reports the end of the wait, once.
  ///
  /// - Parameter reception: What became of the event. A handler that was called has reported it.
  @usableFromInline
  override package func end(_ reception: Reception) {
    if hasEnded.exchange(true, ordering: .relaxed) { return }
    if !reception.isReached { announce() }
    record.missed(reception, by: receiver)
  }

  /// Reports that a consumer takes the event from a stream.
  @usableFromInline
  override package func take() {
    announce()
    if !hasEnded.exchange(true, ordering: .relaxed) { record.taken(by: receiver) }
  }
}
