internal import Synchronization

/// An event that waits for its handler, as the queues see it.
///
/// A queue opens it, or discards it by releasing it; it does that under no lock.
package class QueuedEvent: @unchecked Sendable {  // Reason: see the members.
  /// The registration of the handler.
  package let registration: RecipientRegistration
  /// See ``distance``.
  private let storedDistance = Atomic<UInt32>(0)
  /// The turns that have led to the event.
  package let chain: EventChain

  /// Creates an event for a registration.
  package init(for registration: RecipientRegistration, _ chain: EventChain = .none) {
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

  /// Calls the asynchronous handler and waits for it.
  ///
  /// - Parameter queues: The counts that identify the queues of the bus.
  func openAsync(in queues: WaitingCount) async {}
}
