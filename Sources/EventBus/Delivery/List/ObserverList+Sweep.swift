internal import Synchronization

/// How registrations end whose owner or sender died unnoticed.
///
/// To look at a weak reference is to own the object for a moment, and the last reference may be gone
/// when that moment ends: the object's `deinit` then runs where it was looked at. So an owner and a
/// sender are looked at where the handler runs. For a handler that belongs to no actor that is any
/// thread, the one that posts or registers. For the others it is their actor: a registration elsewhere
/// leaves a *suspect* with the list and asks the actor's ``Mailbox`` for a turn.
///
/// A post looks at the owners it meets. A registration looks at a sample, as ``SweepProbe`` says, and
/// at all when many of those are dead.
extension ObserverList {
  /// What was found, to be acted on once the visit has ended.
  private struct Findings {
    /// The registrations of the dead.
    var dead: [ObserverLink] = []
    /// Registrations to be looked at on other actors.
    var elsewhere: [(mailbox: Mailbox, link: ObserverLink)] = []
    /// The actor on which this looks.
    let place: Mailbox?

    /// Looks at an observer that is kept by a visit.
    ///
    /// - Returns: Whether its owner or its sender has died.
    mutating func look(at address: UInt) -> Bool {
      AnyObserver.borrow(address) { observer in
        guard let link = observer.link else { return false }
        if let home = observer.home, home !== place {
          // Most live on one actor, which is to be asked once.
          if elsewhere.last?.mailbox !== home { elsewhere.append((home, link)) }
          return false
        }
        guard observer.isOrphaned else { return false }
        dead.append(link)
        return true
      } ?? false
    }
  }

  /// Looks at some of the owners and senders and, when many of them are dead, at all.
  ///
  /// - Parameters:
  ///   - mailbox: The mailbox of the actor this runs on.
  ///   - hasFound: Whether a dead one was found just before.
  ///   - asks: Whether to ask other actors for a turn even if no dead one is found here. A turn that was
  ///     asked for does not, or two actors could keep each other awake.
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
      // A turn for every actor there is would cost more than what was found is worth.
      if total > SweepProbe.smallList { findings.elsewhere = asked }
    }
    domain.leave(visit)
    for link in findings.dead { link.endByItself() }
    guard asks || !findings.dead.isEmpty else { return }
    for (mailbox, link) in findings.elsewhere { ask(mailbox, toLookAt: link) }
  }

  /// Looks at a suspect, and further from there, in the turn that was asked for.
  ///
  /// - Parameters:
  ///   - mailbox: The mailbox whose actor has its turn.
  ///   - actorIsGone: Whether there is no turn, because the actor has died.
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

/// A way to a list that does not keep it, for those who may have to find it some day.
///
/// A weak reference to the list itself would give it a side table and make every later retain and release
/// of it several times dearer; this object has the side table instead.
package final class ListProxy: Sendable {
  private struct State {
    /// The list's address until it dies.
    var address: UInt = 0
  }

  private let state = Locked(State())

  /// Creates a proxy that leads nowhere yet.
  package init() {}

  /// Leads to a list from now on.
  package func connect(_ list: ObserverList) {
    let address = ObjectAddress.of(list)
    state.withLock { $0.address = address }
  }

  /// Leads nowhere any more: the list is being destroyed.
  package func disconnect() { state.withLock { $0.address = 0 } }

  /// Calls a closure with the list, if it lives, under the lock that keeps it from dying meanwhile.
  ///
  /// - Parameter body: Looks at atomic state of the list or changes it, and nothing else.
  /// - Returns: What the closure returns.
  package func with<Result: Sendable>(_ body: (ObserverList) -> Result) -> Result? {
    state.withLock { state in ObjectAddress.borrow(state.address, body) }
  }
}

/// Decides how many owners a registration looks at, to find out whether many have died.
///
/// Nobody tells when an ordinary object dies, so a registration with such an owner looks at a few places
/// spread evenly over the list. Every dead one it finds lets it look at more; where it keeps finding
/// them, the whole list is swept. The work is at most ``firstLooks`` looks a registration and
/// ``looksPerFind`` for each dead owner found.
package struct SweepProbe {
  /// How many places are looked at in any case.
  package static let firstLooks = 8
  /// How many more for each dead owner.
  package static let looksPerFind = 8
  /// Up to this many places all are looked at.
  package static let smallList = 24
  /// A probe that got this far has found enough to sweep.
  package static let enoughLooks = 64

  private let total: UInt
  private let start: UInt
  private var looked: UInt = 0
  private var budget = firstLooks

  /// Begins a probe.
  ///
  /// - Parameters:
  ///   - total: How many places there are.
  ///   - seed: Another number for every probe.
  package init(total: Int, seed: UInt) {
    self.total = UInt(total)
    start = seed &* UInt(Self.firstLooks)
  }

  /// Whether all places should be looked at.
  package var shouldSweep: Bool {
    total <= Self.smallList || looked >= min(total, UInt(Self.enoughLooks))
  }

  /// The next place to look at, or `nil` when enough is known.
  package mutating func next() -> Int? {
    guard budget > 0, !shouldSweep else { return nil }
    // Multiples of the golden ratio fall evenly into any interval.
    let place = (start &+ looked) &* 0x9E37_79B9_7F4A_7C15
    looked += 1
    budget -= 1
    return Int(place.multipliedFullWidth(by: total).high)
  }

  /// Takes note of a dead owner at the place just looked at.
  package mutating func foundDead() { budget += Self.looksPerFind }
}

/// The observers of one list whose owner or sender may die unnoticed, in no order.
///
/// A plain value behind the list's lock; it keeps nothing. An observer knows its place, so that it is
/// removed in O(1).
package struct WatchedObservers: Sendable {
  private static let smallest = 32
  private var addresses: [UInt] = []

  /// Creates an empty collection.
  package init() {}

  /// How many observers there are.
  package var count: Int { addresses.count }

  /// The addresses of all.
  package var all: [UInt] { addresses }

  /// The address of the observer at a place, or zero beyond the last.
  package subscript(place: Int) -> UInt { place < addresses.count ? addresses[place] : 0 }

  /// Adds an observer.
  ///
  /// - Complexity: Amortized O(1).
  package mutating func insert(_ observer: AnyObserver) {
    observer.watchPlace = addresses.count
    addresses.append(observer.address)
  }

  /// Removes an observer; the last one takes its place.
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
