internal import Synchronization

/// An event that waits for its observer, counted as an unfinished call of its post until it is released.
///
/// It does not retain the observer: cancelling the registration frees the handler at once. An event that is
/// released without having been opened was discarded, and is recorded so; do not release it under a lock.
package class Envelope: QueuedEvent, @unchecked Sendable {  // Reason: constants.
  /// The call that posted the event.
  ///
  /// The parts of the origin are stored one by one, and those that are no longer needed are left out: an
  /// envelope is freed on a different thread from the one that allocated it, and above 120 bytes, with its
  /// payload, the two threads contend for a lock of glibc's `malloc`.
  private let site: CallSite
  /// Whether what came of the event is recorded, or needs no record.
  private let isSettled = Atomic<Bool>(false)
  private let isAwaited: Bool
  private let sender: ObjectIdentifier?
  private let record: PostRecord?
  private let post: UInt
  /// The delivery, if hooks follow the post.
  package let queued: QueuedDelivery?
  /// The number of the observer.
  private let number: UInt

  /// Wraps an event.
  ///
  /// - Parameters:
  ///   - delivery: The origin of the event.
  ///   - number: The number of the observer.
  ///   - registration: The registration of the observer.
  ///   - queued: The delivery, if hooks follow the post.
  ///   - isAwaited: Whether a poster that waits for its handlers waits for this one.
  ///   - chain: The turns that have led to the event.
  package init(
    _ delivery: borrowing Delivery,
    for number: UInt,
    _ registration: ObserverRegistration,
    _ queued: QueuedDelivery?,
    isAwaited: Bool,
    _ chain: EventChain
  ) {
    (site, sender, record) = (delivery.site, delivery.sender, delivery.record)
    post = delivery.number
    (self.number, self.queued, self.isAwaited) = (number, queued, isAwaited)
    super.init(for: registration, chain)
    counter?.begin()
  }

  /// The origin of the event, without what is valid only while the post is running.
  package final var delivery: Delivery {
    var delivery = Delivery(at: site, from: sender, record: record)
    delivery.number = post
    return delivery
  }

  /// Counts this call; `nil` if the poster does not wait for it.
  final var counter: Completion? { isAwaited ? record?.completion : nil }

  deinit {
    if record == nil { return }
    if !isSettled.load(ordering: .relaxed) {
      settle(registration.isActive(0) ? .dropped : registration.refusal)
    }
    counter?.finish()
  }

  /// Prevents the event from being recorded as discarded: other code records what comes of it.
  final func settleElsewhere() { isSettled.store(true, ordering: .relaxed) }

  /// Records what came of the event, once.
  package final func settle(_ reception: Reception) {
    guard let record, !isSettled.exchange(true, ordering: .relaxed) else {
      return
    }
    record.completion?.settle(reception, at: number)
    queued?.end(reception)
  }

  /// Calls the synchronous handler, on its actor.
  ///
  /// - Returns: `false` when the owner had died.
  final func call<Payload: Sendable>(_ payload: Payload) -> Bool {
    let outcome = reception(of: payload)
    if outcome != nil { registration.finish() }
    let reception = outcome ?? registration.refusal
    settle(reception)
    return reception != .ownerLost
  }

  /// Makes the call in its own frame: the observer is released before the call counts as finished.
  ///
  /// - Returns: The outcome; `nil` when the registration had ended.
  private final func reception<Payload: Sendable>(of payload: Payload) -> Reception? {
    guard let known = registration.begin() else { return nil }
    defer { withExtendedLifetime(known) {} }
    return ObjectAddress.borrow(ObjectAddress.of(known)) { (observer: GeneralObserver<Payload>) in
      do {
        return try observer.run(payload, queued)
      } catch {
        report(error, in: observer, payload)
        return .failed
      }
    }
  }

  final func report(
    _ error: any Error,
    in observer: AnyObserver,
    _ payload: any Sendable
  ) {
    observer.registration?.list
      .handlerFailed(error, in: observer, payload: payload, delivery: delivery)
  }
}
