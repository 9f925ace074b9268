public import Synchronization

extension ObserverList {
  /// Whether a post need look at nothing but the slots of one lane.
  @inlinable
  package final var isPlain: Bool { peculiarities.load(ordering: .acquiring) == 0 }

  /// Whether nobody observes.
  @inlinable
  package final var isEmpty: Bool { published.live.load(ordering: .acquiring) == 0 }

  /// Delivers to every observer of a plain list, in order.
  ///
  /// No lock is taken, nothing is retained or allocated.
  ///
  /// - Parameters:
  ///   - payload: The payload.
  ///   - failed: Told of every error a handler throws.
  /// - Returns: How many handlers were reached.
  /// - Complexity: O(*n*) in the number of observers.
  @inlinable
  package final func deliver<Payload: Sendable>(
    _ payload: Payload,
    failed: (any Error, AnyObserver) -> Void
  ) -> Int {
    guard let visit = domain.enter() else { return 0 }
    var tally = DeliveryTally()
    if let block = SlotBlock(address: published.sole.load(ordering: .sequentiallyConsistent)) {
      // The count is read once: what is added from now on lies beyond it.
      for index in 0..<block.count {
        ObjectAddress.borrow(block[index]) { (observer: Observer<Payload>) in
          tally.hand(to: observer, failed: failed) { try $0.receive(payload) }
        }
      }
    }
    domain.leave(visit)
    if tally.metLostOwner { sweepOwners() }
    return tally.reached
  }

  /// Delivers by priority and number, to those that were registered when the post began.
  ///
  /// - Parameters:
  ///   - payload: The payload.
  ///   - delivery: Where the event comes from.
  ///   - failed: Told of every error a handler throws.
  /// - Returns: How many handlers were reached.
  /// - Complexity: O(*n*) in the number of observers.
  package final func deliverInOrder<Payload: Sendable>(
    _ payload: Payload,
    _ delivery: borrowing Delivery,
    failed: (any Error, AnyObserver) -> Void
  ) -> Int {
    let newest = numbers.newest
    guard let visit = domain.enter() else { return 0 }
    var tally = DeliveryTally()
    var lanes = published.lanes
    while let lane = lanes.next() {
      for index in 0..<lane.block.count {
        ObjectAddress.borrow(lane.block[index]) { (observer: Observer<Payload>) in
          guard observer.number.load(ordering: .relaxed) <= newest else { return }
          tally.hand(to: observer, failed: failed) { try $0.receive(payload, delivery) }
        }
      }
    }
    domain.leave(visit)
    if tally.metLostOwner { sweepOwners() }
    return tally.reached
  }
}
