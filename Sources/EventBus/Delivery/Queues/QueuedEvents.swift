internal import Synchronization

/// An event that waits for its handler, or a run of such events, as the queues see it.
///
/// A queue opens it, or discards it by releasing it; it does that under no lock.
package class QueuedEvents: @unchecked Sendable {  // Reason: constant; see the subclasses.
  /// The registration of the handler.
  package let registration: RecipientRegistration

  /// Creates an event for a registration.
  package init(for registration: RecipientRegistration) { self.registration = registration }

  /// The number of events that have not been opened.
  package var count: Int { 1 }

  /// Calls the synchronous handler for the next event, on its actor.
  ///
  /// - Returns: `false` when the owner had died.
  package func open() -> Bool { true }

  /// Calls the asynchronous handler and waits for it.
  ///
  /// - Parameter queues: The counts that identify the queues of the bus.
  func openAsync(in queues: WaitingCount) async {}
}
