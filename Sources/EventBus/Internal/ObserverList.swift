public import Synchronization

/// The concurrent observer list: what a signal is made of.
///
/// Posting walks it without a lock; changes take its one lock, change the value ``ObserverLanes`` and
/// hand what they unlinked to the reclamation, outside the lock.
///
/// ```
/// list ──owns──► observer ──owns──► handler          token ──► list     (plain observers)
///                observer ──owns──► link ──► list    token ──► link     (the others)
/// ```
@usableFromInline
package class ObserverList: TokenTarget, @unchecked Sendable {  // Reason: locked.
  private struct Registry {
    var lanes = ObserverLanes()
    var isClosed = false
    /// Observers whose owner dies without telling.
    var untold = 0
    var watchers: [UInt: WeakCancellable] = [:]
  }

  /// Set while the observers are in more than one lane.
  package static let split: UInt = 1
  /// Set once an observer has been bound to an actor.
  package static let bound: UInt = 2

  @usableFromInline
  internal let domain = ReclamationDomain()
  @usableFromInline
  internal let published = PublishedLanes()
  /// Not zero when a post must take the general path.
  @usableFromInline
  internal let peculiarities = Atomic<UInt>(0)
  private let registry = Locked(Registry())
  internal let numbers: RegistrationCounter
  private let probes = Atomic<UInt>(0)

  /// Creates an empty list.
  ///
  /// - Parameter numbers: Numbers the registrations, shared by the lists of one bus.
  package init(numbers: RegistrationCounter) { self.numbers = numbers }

  /// How many observers there are.
  package var count: Int { published.live.load(ordering: .sequentiallyConsistent) }

  /// How many slots are in use, emptied ones included.
  package var slotCount: Int { registry.withLock { $0.lanes.slotCount } }

  /// How many unlinked things wait for running calls to end.
  package var waitingCount: Int { domain.waitingCount }

  /// How many posts have walked the list.
  package var walkCount: UInt { domain.arrivals }

  /// Adds an observer behind all others of its priority.
  ///
  /// - Parameters:
  ///   - observer: The observer.
  ///   - priority: Its priority.
  ///   - isBound: Whether its calls depend on the poster's isolation.
  /// - Returns: `false` when the list is closed.
  /// - Complexity: Amortized O(1).
  @discardableResult
  package func add(_ observer: AnyObserver, priority: Int, isBound: Bool = false) -> Bool {
    let isUntold = observer.needsSweeping
    if isUntold { probeOwners() }
    let retirees: Retirees? = registry.withLock { registry in
      guard !registry.isClosed else { return nil }
      domain.prepare()
      if isBound { peculiarities.bitwiseOr(Self.bound, ordering: .sequentiallyConsistent) }
      if isUntold { registry.untold += 1 }
      observer.number.store(numbers.next(), ordering: .relaxed)
      let retirees = registry.lanes.append(observer, priority: priority, to: published)
      noteSplit(registry.lanes)
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
      registry.isClosed ? Retirees() : remove(address, from: &registry)
    }
    domain.retire(retirees)
  }

  override package func isActive(_ handle: UInt) -> Bool { registry.withLock { !$0.isClosed } }

  override package func watch(_ handle: UInt, by token: any Cancellable) -> Bool {
    let reference = WeakCancellable(token)
    return registry.withLock { registry in
      guard !registry.isClosed else { return false }
      registry.watchers[handle] = reference
      return true
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
    let watchers = registry.withLock { registry in
      registry.isClosed = true
      let watchers = Array(registry.watchers.values)
      registry.watchers = [:]
      return watchers
    }
    var links: [ObserverLink] = []
    forEach { observer in
      if let link = observer.link { links.append(link) }
    }
    for link in links { link.disconnect() }
    domain.retire(registry.withLock { $0.lanes.removeAll(from: published) })
    for watcher in watchers { watcher.object?.cancel() }
  }

  /// Calls a closure with every observer, by priority and number, without a lock.
  package func forEach(_ body: (AnyObserver) -> Void) {
    guard let visit = domain.enter() else { return }
    published.forEach(body)
    domain.leave(visit)
  }

  /// Removes the observers whose owners have died.
  @usableFromInline
  package func sweepOwners() {
    var links: [ObserverLink] = []
    forEach { observer in
      if observer.needsSweeping, observer.hasLostOwner, let link = observer.link {
        links.append(link)
      }
    }
    for link in links { link.endByItself() }
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
    let (untold, slots) = registry.withLock { ($0.untold, $0.lanes.slotCount) }
    guard untold > 0, slots >= 8 else { return }
    let seed = probes.wrappingAdd(1, ordering: .relaxed).newValue
    var probe = SweepProbe(total: slots, seed: seed)
    guard let visit = domain.enter() else { return }
    while let place = probe.next() {
      if published.hasLostOwner(at: place) { probe.foundDead() }
    }
    domain.leave(visit)
    if probe.shouldSweep { sweepOwners() }
  }

  private func remove(_ address: UInt, from registry: inout Registry) -> Retirees {
    if !registry.watchers.isEmpty { registry.watchers[address] = nil }
    let retirees = AnyObserver.borrow(address) { observer in
      if observer.needsSweeping { registry.untold -= 1 }
      observer.flags.bitwiseOr(AnyObserver.cancelled, ordering: .sequentiallyConsistent)
      return registry.lanes.remove(observer, from: published)
    }
    noteSplit(registry.lanes)
    return retirees ?? Retirees()
  }

  private func noteSplit(_ lanes: borrowing ObserverLanes) {
    if lanes.isSplit {
      peculiarities.bitwiseOr(Self.split, ordering: .sequentiallyConsistent)
    } else {
      peculiarities.bitwiseAnd(~Self.split, ordering: .sequentiallyConsistent)
    }
  }
}
