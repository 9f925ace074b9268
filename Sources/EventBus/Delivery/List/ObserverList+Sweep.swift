internal import Synchronization

/// Ends registrations whose owner or sender has died without notice.
///
/// Loading a weak reference owns the object for a moment, and may end up holding its last reference: the
/// object's `deinit` then runs on the loading thread. Owners and senders are therefore loaded only where
/// the handler runs. For a handler without an actor that is any thread that posts or registers. For other
/// handlers it is their actor: a registration elsewhere records a *suspect* in the list and requests a turn
/// from the actor's ``Mailbox``.
///
/// A post checks the owners it meets. A registration checks a sample, sized by ``SweepProbe``, and all
/// owners when many in the sample are dead.
extension ObserverList {
  /// The results of a probe, acted on after the visit has ended.
  private struct Findings {
    /// The registrations with a dead owner or sender.
    var dead: [ObserverLink] = []
    /// The registrations to check on other actors.
    var elsewhere: [(mailbox: Mailbox, link: ObserverLink)] = []
    /// The mailbox of the actor that runs the probe.
    let place: Mailbox?

    /// Checks an observer that a visit keeps alive.
    ///
    /// - Returns: `true` if its owner or its sender has died.
    mutating func look(at address: UInt) -> Bool {
      AnyObserver.borrow(address) { observer in
        guard let link = observer.link else { return false }
        if let home = observer.home, home !== place {
          // Most observers share one actor, which needs only one request.
          if elsewhere.last?.mailbox !== home { elsewhere.append((home, link)) }
          return false
        }
        guard observer.isOrphaned else { return false }
        dead.append(link)
        return true
      } ?? false
    }
  }

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
      let visit = domain.enter(isPost: false)
    else { return }
    let seed = probes.wrappingAdd(1, ordering: .relaxed).newValue
    var probe = SweepProbe(total: total, seed: seed)
    if hasFound { probe.foundDead() }
    var findings = Findings(place: mailbox)
    while let place = probe.next() {
      if findings.look(at: registry.withLock { $0.watched[place] }) { probe.foundDead() }
    }
    if probe.shouldSweep {
      let asked = findings.elsewhere
      for address in registry.withLock({ $0.watched.all }) { _ = findings.look(at: address) }
      // A turn on every actor would cost more than the finding is worth.
      if total > SweepProbe.smallList { findings.elsewhere = asked }
    }
    domain.leave(visit)
    for link in findings.dead { link.endByItself() }
    guard asks || !findings.dead.isEmpty else { return }
    for (mailbox, link) in findings.elsewhere { ask(mailbox, toLookAt: link) }
  }

  /// Checks a suspect in a requested turn, and continues with a sample.
  ///
  /// - Parameters:
  ///   - mailbox: The mailbox whose actor has its turn.
  ///   - actorIsGone: A Boolean value that indicates whether the actor has died, so that there is no turn.
  package final func lookAtSuspect(on mailbox: Mailbox, actorIsGone: Bool) {
    guard let suspect = registry.withLock({ $0.takeSuspect(on: mailbox) }),
      let visit = domain.enter(isPost: false)
    else { return }
    let isOrphaned = AnyObserver.borrow(suspect.observerAddress) { actorIsGone || $0.isOrphaned }
    domain.leave(visit)
    let hasFound = isOrphaned == true
    if hasFound { suspect.endByItself() }
    probe(on: actorIsGone ? nil : mailbox, hasFound: hasFound, asks: hasFound)
  }

  private func ask(_ mailbox: Mailbox, toLookAt link: ObserverLink) {
    let former = registry.withLock { $0.suspect(link, on: mailbox) }
    if former == nil { mailbox.requestLook(at: self) }
    withExtendedLifetime(former) {}
  }
}

/// A reference to a list that does not keep the list alive.
///
/// A weak reference would give the list a side table and make every later retain and release of it several
/// times slower; this object has the side table instead.
package final class ListProxy: Sendable {
  /// The list's address; zero without a list.
  private let address = Locked(UInt(0))

  /// A proxy without a list.
  package init() {}

  /// Sets the list that the proxy refers to.
  package func connect(_ list: ObserverList) {
    let new = ObjectAddress.of(list)
    address.withLock { $0 = new }
  }

  /// Clears the reference; the list is being destroyed.
  package func disconnect() { address.withLock { $0 = 0 } }

  /// Calls a closure with the list, if it is alive, under the lock that delays its destruction.
  ///
  /// - Parameter body: Reads or changes atomic state of the list, and nothing else.
  /// - Returns: The result of the closure; `nil` if the list is gone.
  package func with<Result: Sendable>(_ body: (ObserverList) -> Result) -> Result? {
    address.withLock { address in ObjectAddress.borrow(address, body) }
  }
}

/// Decides how many owners a registration checks to find out whether many have died.
///
/// The death of an ordinary object triggers no notification. A registration with such an owner therefore
/// checks a few positions spread evenly over the list. Every dead owner extends the sample; if the sample
/// keeps finding them, the whole list is swept. A probe checks at most ``firstLooks`` positions, and
/// ``looksPerFind`` more for each dead owner.
package struct SweepProbe {
  /// The number of positions that are always checked.
  package static let firstLooks = 8
  /// The number of additional checks for each dead owner.
  package static let looksPerFind = 8
  /// The largest number of positions that are all checked.
  package static let smallList = 24
  /// The number of checks after which a probe has found enough to sweep.
  package static let enoughLooks = 64

  private let total: UInt
  private let start: UInt
  private var looked: UInt = 0
  private var budget = firstLooks

  /// Begins a probe.
  ///
  /// - Parameters:
  ///   - total: The number of positions.
  ///   - seed: A number that differs from probe to probe.
  package init(total: Int, seed: UInt) {
    self.total = UInt(total)
    start = seed &* UInt(Self.firstLooks)
  }

  /// A Boolean value that indicates whether all positions should be checked.
  package var shouldSweep: Bool {
    total <= Self.smallList || looked >= min(total, UInt(Self.enoughLooks))
  }

  /// The next position to check, or `nil` when the probe is complete.
  package mutating func next() -> Int? {
    guard budget > 0, !shouldSweep else { return nil }
    // Multiples of the golden ratio are evenly distributed in any interval.
    let place = (start &+ looked) &* 0x9E37_79B9_7F4A_7C15
    looked += 1
    budget -= 1
    return Int(place.multipliedFullWidth(by: total).high)
  }

  /// Records a dead owner at the position returned last.
  package mutating func foundDead() { budget += Self.looksPerFind }
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
  package subscript(place: Int) -> UInt { place < addresses.count ? addresses[place] : 0 }

  /// Adds an observer.
  ///
  /// - Complexity: Amortized O(1).
  package mutating func insert(_ observer: AnyObserver) {
    observer.watchPlace = addresses.count
    addresses.append(observer.address)
  }

  /// Removes an observer, and moves the last one to its position.
  ///
  /// - Complexity: Amortized O(1).
  package mutating func remove(_ observer: AnyObserver) {
    let place = observer.watchPlace
    guard self[place] == observer.address, let last = addresses.popLast() else { return }
    if place < addresses.count {
      addresses[place] = last
      AnyObserver.borrow(last) { $0.watchPlace = place }
    }
    if addresses.capacity > max(Self.smallest, 4 * addresses.count) { shrink() }
  }

  private mutating func shrink() {
    var fewer: [UInt] = []
    fewer.reserveCapacity(2 * addresses.count)
    fewer += addresses
    addresses = fewer
  }
}
