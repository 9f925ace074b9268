public import Synchronization

/// The concurrent observer list: what a signal is made of.
///
/// Posting walks it without a lock; changes take its one lock, change the value ``ObserverRegistry`` and
/// hand what they unlinked to the reclamation, outside the lock.
///
/// ```
/// list ──owns──► observer ──owns──► handler          token ──► list     (plain observers)
///                observer ──owns──► link ──► list    token ──► link     (the others)
/// ```
@usableFromInline
package class ObserverList: TokenTarget, @unchecked Sendable {  // Reason: locked.
  /// Set while the observers are in more than one lane.
  package static let split: UInt = 1
  /// Set once an observer needs to know where an event comes from.
  package static let bound: UInt = 2
  /// Set while there are observers that named a sender.
  @inlinable package static var addressed: UInt { 4 }

  /// Set when payloads are kept for observers that come later.
  package static let replayed: UInt = 8

  @usableFromInline
  internal let domain = ReclamationDomain()
  @usableFromInline
  internal let published = PublishedLanes()
  /// Not zero when a post must take the general path.
  @usableFromInline
  internal let peculiarities = Atomic<UInt>(0)
  /// What readers see of the observers that named a sender.
  internal let senders = Atomic<UInt>(0)
  internal let numbers: RegistrationCounter
  private let registry = Locked(ObserverRegistry())
  private let probes = Atomic<UInt>(0)
  /// How many observers have an owner that dies without telling.
  private let untold = Atomic<Int>(0)

  /// Creates an empty list.
  ///
  /// - Parameter numbers: Numbers the registrations, shared by the lists of one bus.
  package init(numbers: RegistrationCounter) { self.numbers = numbers }

  /// How many observers there are.
  package var count: Int {
    registry.withLock { published.live.load(ordering: .relaxed) + $0.addressedCount }
  }

  /// How many slots are in use, emptied ones included.
  package var slotCount: Int { registry.withLock { $0.slotCount } }

  /// How many unlinked things wait for running calls to end.
  package var waitingCount: Int { domain.waitingCount }

  /// How many posts have walked the list.
  package var walkCount: UInt { domain.arrivals }

  /// Adds an observer behind all others of its priority.
  ///
  /// - Parameters:
  ///   - observer: The observer.
  ///   - priority: Its priority.
  ///   - sender: The sender it is for, held by the caller; `nil` for any.
  ///   - isBound: Whether its calls depend on where an event comes from.
  /// - Returns: `false` when the list is closed.
  /// - Complexity: Amortized O(1).
  @discardableResult
  package func add(
    _ observer: AnyObserver,
    priority: Int,
    for sender: AnyObject? = nil,
    isBound: Bool = false
  ) -> Bool {
    if untold.load(ordering: .relaxed) > 0 { probeOwners() }
    if sender != nil { probeSenders() }
    let retirees: Retirees? = registry.withLock { registry in
      guard !registry.isClosed else { return nil }
      domain.prepare()
      if isBound { note(Self.bound, true) }
      observer.number.store(numbers.next(), ordering: .relaxed)
      let retirees = registry.add(
        observer,
        priority: priority,
        for: sender,
        published,
        senders,
        walks: domain.arrivals
      )
      noteShape(registry)
      return retirees
    }
    guard let retirees else { return false }
    domain.retire(retirees)
    return true
  }

  /// Removes an observer that only its token can remove.
  override package func end(_ handle: UInt) { unlink(address: handle) }

  /// Removes the observer at an address, which the caller alone has the right to remove.
  package func unlink(address: UInt) {
    let retirees = registry.withLock { registry in
      let retirees = registry.remove(address, published, senders)
      noteShape(registry)
      return retirees
    }
    domain.retire(retirees)
  }

  override package func isActive(_ handle: UInt) -> Bool { registry.withLock { !$0.isClosed } }

  override package func watch(_ handle: UInt, by token: any Cancellable) -> Bool {
    let watcher = WeakCancellable(token)
    return registry.withLock { $0.watch(handle, by: watcher) }
  }

  override package func changePauses(_ handle: UInt, by change: Int, unless hasEnded: () -> Bool) {
    // A token that has not ended under this lock cannot be unlinked before it is released.
    registry.withLock { registry in
      if !hasEnded() { registry.changePauses(handle, by: change, walks: domain.arrivals) }
    }
  }

  /// Waits until the calls that are running now have ended.
  override package func finished(_ handle: UInt) async {
    let latch = Latch()
    var marker = Retirees()
    marker.append(Passing(latch).retired())
    domain.retire(marker)
    await latch.wait()
  }

  /// Removes everything, for good.
  ///
  /// Tokens become inert. Links are disconnected first, so that a queued call cannot take up an observer
  /// that is being freed.
  package func close() {
    let watchers = registry.withLock { $0.close() }
    var links: [ObserverLink] = []
    forEach { observer, _ in
      if let link = observer.link { links.append(link) }
    }
    for link in links { link.disconnect() }
    domain.retire(registry.withLock { $0.removeAll(published, senders) })
    for watcher in watchers { watcher.object?.cancel() }
  }

  /// Calls a closure with every observer, by priority and number, without a lock.
  package func forEach(_ body: (AnyObserver, _ priority: Int) -> Void) {
    guard let visit = domain.enter(isPost: false) else { return }
    published.forEach(body)
    for group in registry.withLock({ $0.senderGroups }) { group.published.forEach(body) }
    domain.leave(visit)
  }

  /// Removes the observers whose owners have died.
  @usableFromInline
  package func sweepOwners() {
    endAll { $0.needsSweeping && $0.hasLostOwner }
  }

  /// Takes note that posts must be recorded from now on.
  package func noteReplay() { note(Self.replayed, true) }

  /// How often plain observers were called, as of now.
  package func deliveries() -> DeliveryLedger {
    registry.withLock { registry in
      var ledger = registry.ledger
      ledger.walks = domain.arrivals
      return ledger
    }
  }

  /// Takes note that a post left a plain observer out.
  package func noteMissed(_ observer: AnyObserver) {
    guard observer.deliveredCount == nil else { return }
    let address = observer.address
    registry.withLock { $0.missedOne(address) }
  }

  /// Told of an error that a handler threw where its poster could not see it.
  package func handlerFailed(
    _ error: any Error,
    in observer: AnyObserver,
    payload: any Sendable,
    delivery: Delivery
  ) {}

  /// Looks at a few owners and, when many of them are dead, at all.
  private func probeOwners() {
    let slots = registry.withLock { $0.slotCount }
    guard slots >= 8 else { return }
    let seed = probes.wrappingAdd(1, ordering: .relaxed).newValue
    var probe = SweepProbe(total: slots, seed: seed)
    guard let visit = domain.enter(isPost: false) else { return }
    while let place = probe.next() {
      if published.hasLostOwner(at: place) { probe.foundDead() }
    }
    domain.leave(visit)
    if probe.shouldSweep { sweepOwners() }
  }

  /// Ends the registrations for senders that have died, when there would be too many groups.
  private func probeSenders() {
    guard registry.withLock({ $0.isFullOfSenders(senders) }) else { return }
    endAll { $0.senderGroup?.hasLostSender ?? false }
  }

  /// Ends the registrations that satisfy a predicate, which is asked under no lock.
  ///
  /// - Complexity: O(*n*) in the number of observers.
  package func endAll(where isMeant: (AnyObserver) -> Bool) {
    var links: [ObserverLink] = []
    forEach { observer, _ in
      if isMeant(observer), let link = observer.link { links.append(link) }
    }
    for link in links { link.endByItself() }
  }

  private func noteShape(_ registry: borrowing ObserverRegistry) {
    note(Self.split, registry.isSplit)
    note(Self.addressed, registry.addressedCount > 0)
    untold.store(registry.untold, ordering: .relaxed)
  }

  private func note(_ peculiarity: UInt, _ isThere: Bool) {
    let known = peculiarities.load(ordering: .relaxed) & peculiarity != 0
    if known == isThere { return }
    if isThere {
      peculiarities.bitwiseOr(peculiarity, ordering: .sequentiallyConsistent)
    } else {
      peculiarities.bitwiseAnd(~peculiarity, ordering: .sequentiallyConsistent)
    }
  }
}
