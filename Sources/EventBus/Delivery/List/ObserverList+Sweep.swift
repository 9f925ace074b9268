internal import Synchronization

/// Ends registrations whose owner or sender has died without notice.
///
/// Loading a weak reference owns the object for a moment, and may end up holding its last reference: the
/// object's `deinit` then runs on the loading thread. Owners and senders are therefore loaded only where
/// the handler runs. For a handler without an actor that is any thread that posts or registers. For other
/// handlers it is their actor: code that runs elsewhere records a registration *to check* in the list and
/// requests a turn from the actor's ``Mailbox``.
///
/// A post checks the owners it meets. A registration checks a sample, sized by ``SweepProbe``, and all
/// owners when many in the sample are dead.
extension ObserverList {
  /// Checks a sample of the owners and senders, or all of them when many in the sample are dead.
  ///
  /// - Parameters:
  ///   - mailbox: The mailbox of the actor that runs the probe.
  ///   - hasFound: A Boolean value that indicates whether a dead owner was found just before.
  ///   - asks: A Boolean value that indicates whether to request turns from other actors even if nothing
  ///     dead is found here. A requested turn passes `false`; otherwise two actors could keep each other
  ///     awake.
  final func probe(on mailbox: Mailbox? = nil, hasFound: Bool = false, asks: Bool = true) {
    guard let total = registry.withLock({ $0.watchedCountWorthProbing }),
      let visit = domain.enter()
    else { return }
    var dead: [(link: ObserverRegistration, hasLostOwner: Bool)] = []
    var elsewhere: [(mailbox: Mailbox, link: ObserverRegistration)] = []
    /// Returns whether the owner or sender of an observer, which the visit keeps alive, is dead; `nil` if there
    /// is no such observer, or if another actor has to check it.
    func isOrphaned(_ address: UInt) -> Bool? {
      let answer: Bool?? = AnyObserver.borrow(address) { observer in
        if let home = observer.home, home !== mailbox {
          // Most observers share one actor, which needs only one request.
          if elsewhere.last?.mailbox !== home, let link = observer.link {
            elsewhere.append((home, link))
          }
          return nil
        }
        guard observer.isOrphaned, let link = observer.link else { return false }
        dead.append((link, observer.hasLostOwner))
        return true
      }
      return answer ?? nil
    }
    let seed = probes.wrappingAdd(1, ordering: .relaxed).newValue
    var probe = SweepProbe(total: total, seed: seed)
    if hasFound { probe.record(isDead: true) }
    var sample: (addresses: SIMD8<UInt>, count: Int)
    repeat {
      sample = registry.withLock { $0.watched.sample(&probe) }
      for index in 0..<sample.count {
        probe.record(isDead: isOrphaned(sample.addresses[index]))
      }
    } while sample.count > 0
    if probe.shouldSweep {
      let found = elsewhere
      for address in registry.withLock({ $0.watched.all }) { _ = isOrphaned(address) }
      // A turn on every actor would cost more than the finding is worth.
      if total > SweepProbe.smallList { elsewhere = found }
    }
    domain.leave(visit)
    for (link, hasLostOwner) in dead { link.endByItself(hasLostOwner: hasLostOwner) }
    guard asks || !dead.isEmpty else { return }
    for (mailbox, link) in elsewhere { requestCheck(of: link, on: mailbox) }
  }

  /// Checks a registration in a requested turn, and continues with a sample.
  ///
  /// - Parameters:
  ///   - mailbox: The mailbox whose actor has its turn.
  ///   - actorIsGone: A Boolean value that indicates whether the actor has died, so that there is no turn.
  package final func checkOwners(on mailbox: Mailbox, actorIsGone: Bool) {
    let id = ObjectIdentifier(mailbox)
    guard let link = registry.withLock({ $0.pendingChecks.removeValue(forKey: id) }),
      let visit = domain.enter()
    else { return }
    let (hasFound, hasLostOwner) =
      AnyObserver.borrow(link.observerAddress) { observer in
        (actorIsGone || observer.isOrphaned, actorIsGone || observer.hasLostOwner)
      } ?? (false, false)
    domain.leave(visit)
    if hasFound { link.endByItself(hasLostOwner: hasLostOwner) }
    probe(on: actorIsGone ? nil : mailbox, hasFound: hasFound, asks: hasFound)
  }

  private func requestCheck(of link: ObserverRegistration, on mailbox: Mailbox) {
    let id = ObjectIdentifier(mailbox)
    let former = registry.withLock { $0.pendingChecks.updateValue(link, forKey: id) }
    // If there was one, a turn has been requested already.
    if former == nil { mailbox.requestCheck(of: self) }
    withExtendedLifetime(former) {}
  }
}

extension ObserverList.Registry {
  /// The number of watched observers, or `nil` if there are too few for a probe.
  ///
  /// Too few means that one more observer stays within the bound, at most max(8, 2 × living), even if all
  /// watched owners are dead.
  fileprivate var watchedCountWorthProbing: Int? {
    count >= 8 && 2 * watched.count > count + 1 ? watched.count : nil
  }
}

/// The observers of one list whose owner or sender may die without notice, in no order.
///
/// A plain value, guarded by the list's lock; it retains nothing. An observer stores its own position, so
/// its removal is O(1).
package struct WatchedObservers: Sendable {
  private static let smallest = 32
  private var addresses: [UInt] = []

  /// An empty collection.
  package init() {}

  /// The number of observers.
  package var count: Int { addresses.count }

  /// The addresses of all observers.
  package var all: [UInt] { addresses }

  /// The address of the observer at a position, or zero beyond the last.
  package subscript(position: Int) -> UInt {
    position < addresses.count ? addresses[position] : 0
  }

  /// Returns the addresses of the observers at the next positions of a probe, zero beyond the last observer.
  ///
  /// Eight at a time, so that a probe takes the list's lock once or twice.
  ///
  /// - Returns: The addresses and their number, which is zero when the probe is complete.
  package func sample(_ probe: inout SweepProbe) -> (addresses: SIMD8<UInt>, count: Int) {
    var (addresses, count) = (SIMD8<UInt>.zero, 0)
    while count < addresses.scalarCount, let position = probe.next() {
      addresses[count] = self[position]
      count += 1
    }
    return (addresses, count)
  }

  /// Adds an observer.
  ///
  /// - Complexity: Amortized O(1).
  package mutating func insert(_ observer: AnyObserver) {
    observer.watchedPosition = addresses.count
    addresses.append(observer.address)
  }

  /// Removes an observer, and moves the last one to its position.
  ///
  /// - Complexity: Amortized O(1).
  package mutating func remove(_ observer: AnyObserver) {
    let position = observer.watchedPosition
    guard self[position] == observer.address, let last = addresses.popLast() else { return }
    if position < addresses.count {
      addresses[position] = last
      AnyObserver.borrow(last) { $0.watchedPosition = position }
    }
    if addresses.capacity > max(Self.smallest, 4 * addresses.count) {
      // A copy without the spare capacity.
      addresses = addresses.map(\.self)
    }
  }

  /// Stops the program if an observer has another position, or too much capacity remains.
  package func _checkInvariants() {
    for position in addresses.indices {
      AnyObserver.borrow(addresses[position]) { observer in
        assert(observer.watchedPosition == position, "an observer has another position")
      }
    }
    assert(
      addresses.capacity <= max(Self.smallest, 4 * addresses.count),
      "too much capacity for so few observers"
    )
  }
}
