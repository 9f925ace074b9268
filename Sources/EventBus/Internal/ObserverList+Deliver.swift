public import Synchronization

extension ObserverList {
  /// Whether a post need look at nothing but the slots of one lane.
  @inlinable
  package final var isPlain: Bool { peculiarities.load(ordering: .acquiring) == 0 }

  /// Whether nobody observes.
  @inlinable
  package final var isEmpty: Bool { published.live.load(ordering: .acquiring) == 0 }

  /// Delivers to every observer of a plain list, in order, without a lock, a retain or an allocation.
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
    let visit = domain.enter()
    guard visit != 0 else { return 0 }
    var reached = 0
    var ownersLost = false
    if let block = SlotBlock(address: published.sole.load(ordering: .sequentiallyConsistent)) {
      // The count is read once: what is added from now on lies beyond it.
      for index in 0..<block.count {
        guard let address = unsafe UnsafeRawPointer(bitPattern: block[index]) else { continue }  // Reason: from a slot.
        unsafe Unmanaged<Observer<Payload>>.fromOpaque(address)._withUnsafeGuaranteedRef {
          observer in  // Reason: announced.
          guard observer.isReceptive else { return }
          do {
            let reception = try observer.receive(payload)
            reached &+= reception.reached
            if reception == .ownerLost { ownersLost = true }
          } catch {
            reached &+= 1
            failed(error, observer)
          }
        }
      }
    }
    domain.leave(visit)
    if ownersLost { sweepOwners() }
    return reached
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
    let visit = domain.enter()
    guard visit != 0 else { return 0 }
    var reached = 0
    var ownersLost = false
    var lanes = published.lanes
    while let lane = lanes.next() {
      for index in 0..<lane.block.count {
        guard let address = unsafe UnsafeRawPointer(bitPattern: lane.block[index]) else { continue }  // Reason: from a slot.
        unsafe Unmanaged<Observer<Payload>>.fromOpaque(address)._withUnsafeGuaranteedRef {
          observer in  // Reason: announced.
          guard observer.isReceptive, observer.number.load(ordering: .relaxed) <= newest else {
            return
          }
          do {
            let reception = try observer.receive(payload, delivery)
            reached &+= reception.reached
            if reception == .ownerLost { ownersLost = true }
          } catch {
            reached &+= 1
            failed(error, observer)
          }
        }
      }
    }
    domain.leave(visit)
    if ownersLost { sweepOwners() }
    return reached
  }
}
