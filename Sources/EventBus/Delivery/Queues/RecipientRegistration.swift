internal import Synchronization

/// A registration whose events may wait in the mailbox of an actor, as its queues see it.
package class RecipientRegistration: Registration, @unchecked Sendable {  // Reason: atomics.
  /// The number of its events that were ever taken out of its actor's mailbox; wraps, changed there only.
  private let dequeued = Atomic<UInt32>(0)
  /// The number of its events that were ever added to its actor's mailbox; wraps, changed under the lock of
  /// the mailbox.
  private let enqueued = Atomic<UInt32>(0)
  /// The number of the last event in ``LinkedEvents``; guarded by the lock of the mailbox.
  private let last = Atomic<UInt64>(0)
  private let lostOwner = Atomic<Bool>(false)
  private let hasUsedCall = Atomic<Bool>(false)

  /// A Boolean value that indicates whether the registration ended, or is about to end, with its owner.
  final var hasLostOwner: Bool { lostOwner.load(ordering: .acquiring) }

  /// The reason for not calling the handler of a registration that has ended.
  package final var refusal: Reception {
    if hasUsedCall.load(ordering: .acquiring) { return .spent }
    return hasLostOwner ? .ownerLost : .cancelled
  }

  /// Ends a registration whose only call begins.
  final func endWithCall() {
    if !hasEnded { hasUsedCall.store(true, ordering: .releasing) }
    endByItself()
  }

  /// Ends the registration without its token.
  ///
  /// - Parameter hasLostOwner: Whether the reason is the death of the owner.
  package final func endByItself(hasLostOwner: Bool) {
    if hasLostOwner { lostOwner.store(true, ordering: .releasing) }
    endByItself()
  }

  override package final func stopCalls() {
    lostOwner.store(true, ordering: .releasing)
    super.stopCalls()
  }

  override package final func lifetimeEnded() { endByItself(hasLostOwner: true) }

  /// Begins a call from a queue.
  ///
  /// - Returns: The observer, or `nil` when the registration has ended. Balance it with ``finish()``.
  package func begin() -> AnyObject? { nil }

  /// Records that an event waits in the mailbox of the handler's actor; called under its lock.
  final func noteEnqueued() {
    enqueued.store(enqueued.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
  }

  /// Records that an event no longer waits in the mailbox; called on its actor, or once that is dead and the
  /// registration ends, where the count no longer matters.
  final func noteDequeued() {
    dequeued.store(dequeued.load(ordering: .relaxed) &+ 1, ordering: .releasing)
  }

  /// The number of the last event in ``LinkedEvents``; guarded by the lock of the mailbox.
  final var lastEvent: UInt64 {
    get { last.load(ordering: .relaxed) }
    set { last.store(newValue, ordering: .relaxed) }
  }

  /// The number of events that wait in the mailbox of the handler's actor.
  final var waitingInMailbox: Int {
    // Read first: an event that is seen as taken is then also seen as added.
    let taken = dequeued.load(ordering: .acquiring)
    return Int(enqueued.load(ordering: .relaxed) &- taken)
  }
}
