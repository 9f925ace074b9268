/// An event that waits, with its payload.
package class WaitingEvent<Payload: Sendable>: Envelope,
  @unchecked Sendable  // Reason: constant.
{
  /// The payload.
  package final let payload: Payload

  /// Wraps an event.
  ///
  /// - Parameters:
  ///   - payload: The payload.
  ///   - delivery: The origin of the event.
  ///   - number: The number of the observer.
  ///   - registration: The registration of the observer.
  ///   - queued: The delivery, if hooks follow the post.
  ///   - isAwaited: Whether a poster that waits for its handlers waits for this one.
  ///   - chain: The turns that have led to the event.
  package required init(
    _ payload: Payload,
    _ delivery: borrowing Delivery,
    for number: UInt,
    _ registration: ObserverRegistration,
    _ queued: QueuedDelivery? = nil,
    isAwaited: Bool = true,
    _ chain: EventChain = .none
  ) {
    self.payload = payload
    super.init(delivery, for: number, registration, queued, isAwaited: isAwaited, chain)
  }

  /// Adds an event to a mailbox behind all others.
  ///
  /// A subclass whose payloads wait elsewhere adds events without them.
  ///
  /// - Parameters:
  ///   - payload: The payload.
  ///   - delivery: The origin of the event.
  ///   - observer: The observer.
  ///   - registration: The registration of the observer.
  ///   - queued: The delivery, if hooks follow the post.
  ///   - mailbox: The mailbox of the actor on which the handler runs.
  ///   - chain: The turns that have led to the event.
  /// - Returns: The number of events that wait, if it is to be reported, otherwise zero.
  package class func enqueue(
    _ payload: Payload,
    _ delivery: borrowing Delivery,
    for observer: AnyObserver,
    _ registration: ObserverRegistration,
    _ queued: QueuedDelivery?,
    in mailbox: Mailbox,
    _ chain: EventChain
  ) -> Int {
    let event = self.init(payload, delivery, for: observer.order, registration, queued, chain)
    let list = ObjectAddress.of(registration.list)
    return mailbox.enqueue(event, of: list, unless: observer.isCancelled)
  }

  override package func open() -> Bool {
    guard let queued else { return call(payload) }
    queued.announce()
    var isOwned = true
    queued.record.resume { isOwned = call(payload) }
    return isOwned
  }

  override func openAsync(in queues: WaitingCount) async {
    await queued?.waitUntilAnnounced()
    let outcome = await callAsync(in: queues)
    if outcome != nil { registration.finish() }
    settle(outcome ?? registration.refusal)
  }

  /// Makes the call in its own frame, like the synchronous one.
  ///
  /// - Returns: The outcome; `nil` when the registration had ended.
  private func callAsync(in queues: WaitingCount) async -> Reception? {
    guard let known = registration.begin() else { return nil }
    // An address keeps nothing alive.
    let typed = withExtendedLifetime(known) {
      ObjectAddress.object(ObjectAddress.of(known), as: GeneralObserver<Payload>.self)
    }
    guard let observer = typed else { return nil }
    var outcome = Reception.failed
    let callers = counter?.callers ?? []
    await RunningCall.run(registration, in: queues, callers: callers, chain.next) {
      do {
        outcome = try await observer.runAsync(payload, queued)
      } catch {
        report(error, in: observer, payload)
      }
    }
    return outcome
  }
}
