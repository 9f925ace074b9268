/// A run of events of one observer and one origin.
///
/// A burst of posts from one source site costs one object and one retain of the registration, where each event would
/// otherwise take both from one processor to another.
package final class WaitingRun<Payload: Sendable>: Envelope,
  @unchecked Sendable  // Reason: guarded by the lock of the mailbox, then confined to its actor.
{
  // No other access can begin during one of these.
  @exclusivity(unchecked) private var payloads: PayloadRun<Payload>

  /// Begins a run.
  ///
  /// - Parameters:
  ///   - payload: The payload of the first event.
  ///   - delivery: The origin of the events.
  ///   - number: The number of the observer.
  ///   - registration: The registration of the observer.
  ///   - chain: The turns that have led to the events.
  package init(
    _ payload: Payload,
    _ delivery: borrowing Delivery,
    for number: UInt,
    _ registration: ObserverRegistration,
    _ chain: EventChain
  ) {
    unsafe payloads = PayloadRun(payload)  // Reason: initialization.
    super.init(delivery, for: number, registration, nil, isAwaited: false, chain)
  }

  /// Adds an event to a run with room, under the lock of the mailbox.
  func append(_ payload: Payload) {
    unsafe payloads.append(payload)  // Reason: does not use the run.
  }

  override package var hasRoom: Bool { unsafe payloads.hasRoom }  // Reason: an instantaneous read.

  override package var count: Int { unsafe payloads.count }  // Reason: an instantaneous read.

  override package func open() -> Bool {
    call(unsafe payloads.removeFirst())  // Reason: instantaneous, before the call.
  }
}
