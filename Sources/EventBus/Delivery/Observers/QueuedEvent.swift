internal import Synchronization

/// An event that waits for its handler, without its payload type, as the mailbox of an actor sees it.
///
/// A mailbox opens it, or discards it by releasing it; it does that under no lock.
package class AnyQueuedEvent: @unchecked Sendable {  // Reason: see the members.
  /// The registration of the handler.
  package final let registration: ObserverRegistration
  private final let storedDistance = Atomic<UInt32>(0)
  /// The turns that have led to the event.
  package final let chain: EventChain

  /// Creates an event for a registration.
  package init(for registration: ObserverRegistration, _ chain: EventChain = .none) {
    (self.registration, self.chain) = (registration, chain)
  }

  /// How far back the former event of the registration is in ``LinkedEvents``, or zero; guarded by the lock there.
  final var distance: UInt32 {
    get { storedDistance.load(ordering: .relaxed) }
    set { storedDistance.store(newValue, ordering: .relaxed) }
  }

  /// Calls the synchronous handler, on its actor.
  ///
  /// - Returns: `false` when the owner had died.
  package func open() -> Bool { true }
}

/// An event that waits for its handler: for the actor, for the end of the call before, or for the end of a replay.
///
/// It is counted as an unfinished call of its post until it is released. It does not retain the handler: cancelling the
/// registration frees that at once. An event that is released without having been opened was discarded, and is recorded
/// so; do not release it under a lock.
package final class QueuedEvent<Payload: Sendable>: AnyQueuedEvent,
  @unchecked Sendable  // Reason: constants and an atomic.
{
  /// The payload.
  package let payload: Payload
  /// The call that posted the event.
  ///
  /// The parts of the origin are stored one by one, and those that are no longer needed are left out: an
  /// event is freed on a different thread from the one that allocated it, and above 120 bytes, with its
  /// payload, the two threads contend for a lock of glibc's `malloc`.
  private let site: CallSite
  /// Whether what came of the event is recorded, or needs no record.
  private let isSettled = Atomic<Bool>(false)
  private let isAwaited: Bool
  private let sender: ObjectIdentifier?
  private let record: PostRecord?
  private let postNumber: UInt
  /// The delivery, if hooks follow the post.
  let queued: QueuedDelivery?
  /// The number of the sink.
  private let number: UInt

  /// Creates an event.
  ///
  /// - Parameters:
  ///   - payload: The payload.
  ///   - post: The origin of the event.
  ///   - sink: The sink of the handler.
  ///   - queued: The delivery, if hooks follow the post.
  ///   - isAwaited: Whether a poster that waits for its handlers waits for this one.
  ///   - chain: The turns that have led to the event.
  init(
    _ payload: Payload,
    _ post: Post,
    for sink: AnySink,
    _ queued: QueuedDelivery? = nil,
    isAwaited: Bool = true,
    _ chain: EventChain = .none
  ) {
    (self.payload, site, sender) = (payload, post.site, post.sender)
    (record, postNumber, number) = (post.record, post.number, sink.number)
    (self.queued, self.isAwaited) = (queued, isAwaited)
    super.init(for: sink.registration, chain)
    counter?.begin()
  }

  deinit {
    if record == nil { return }
    if !isSettled.load(ordering: .relaxed) {
      settle(registration.isActive ? .dropped : registration.refusal)
    }
    counter?.finish()
  }

  /// The origin of the event, without what is valid only while the post is running; this event keeps alive what the
  /// origin refers to.
  package var post: Post {
    Post(at: site, senderID: sender, record: record, number: postNumber)
  }

  /// Counts this call; `nil` if the poster does not wait for it.
  var counter: Completion? { isAwaited ? record?.completion : nil }

  /// Prevents the event from being recorded as discarded: other code records what comes of it.
  func settleElsewhere() { isSettled.store(true, ordering: .relaxed) }

  /// Records what came of the event, once.
  package func settle(_ reception: Reception) {
    guard let record, !isSettled.exchange(true, ordering: .relaxed) else { return }
    record.completion?.settle(reception, at: number)
    queued?.end(reception)
  }

  override package func open() -> Bool {
    guard let queued else { return call() }
    queued.announce()
    var isOwned = true
    queued.record.resume { isOwned = call() }
    return isOwned
  }

  private func call() -> Bool {
    let outcome = reception()
    if outcome != nil { registration.finish() }
    let reception = outcome ?? registration.refusal
    settle(reception)
    return reception != .ownerLost
  }

  /// Makes the call in its own frame: the sink is released before the call counts as finished.
  ///
  /// - Returns: The outcome; `nil` when the registration had ended.
  private func reception() -> Reception? {
    guard registration.beginCall() else { return nil }
    guard let sink = registration.sink(as: GeneralSink<Payload>.self) else {
      registration.finish()
      return nil
    }
    return sink.perform(payload, post)
  }
}
