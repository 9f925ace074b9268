public import Synchronization

/// The concurrent observer list of a signal.
///
/// Posts walk the list without a lock. Changes take its only lock, update an ``ObserverRegistry``, and
/// retire the unlinked items after unlocking.
///
/// ```
/// list ──owns──► observer ──owns──► handler          token ──► list     (plain observers)
///                observer ──owns──► link ──► list    token ──► link     (the others)
/// ```
@usableFromInline
package class ObserverList: TokenTarget, @unchecked Sendable {  // Reason: locked.
  /// Set while the observers are in more than one lane.
  package static let split: UInt = 1
  /// Set while an observer depends on the origin of an event.
  package static let bound: UInt = 2
  /// Set while some observers are restricted to a sender.
  @inlinable package static var addressed: UInt { 4 }

  /// Set when payloads are recorded for later observers.
  package static let replayed: UInt = 8

  @usableFromInline
  let domain = ReclamationDomain()
  @usableFromInline
  let published = PublishedLanes()
  /// The flags above; not zero when a post must take the general path.
  @usableFromInline
  let specialCases = Atomic<UInt>(0)
  /// The published table of the observers that are restricted to a sender.
  let senders = Atomic<UInt>(0)
  let numbers: RegistrationCounter
  let registry = Locked(ObserverRegistry())
  /// The number of samples that ``probe(on:hasFound:asks:)`` has taken.
  let probes = Atomic<UInt>(0)
  /// The number of observers with an owner or a sender that may die without notice.
  private let watched = Atomic<Int>(0)

  /// Creates an empty list.
  ///
  /// - Parameter numbers: The counter that numbers the registrations, shared by the lists of one bus.
  package init(numbers: RegistrationCounter) { self.numbers = numbers }

  /// The number of observers.
  package var count: Int { registry.withLock { $0.count } }

  /// The number of slots in use, including emptied ones.
  package var slotCount: Int { registry.withLock { $0.slotCount } }

  /// The number of unlinked items that wait for running calls to end.
  package var waitingCount: Int { domain.waitingCount }

  /// The number of posts that have visited the list; one too many for a moment when a post restarts on the
  /// general path.
  package var postCount: UInt { domain.arrivals }

  /// The number of posts that have visited the list, if the caller is the only reader inside.
  package var postCountIfAlone: UInt? { domain.arrivalsIfAlone }

  /// Adds an observer behind all others of its priority.
  ///
  /// - Parameters:
  ///   - observer: The observer.
  ///   - priority: Its priority.
  ///   - sender: The only sender it observes, kept alive by the caller; `nil` for any.
  /// - Returns: `false` when the list is closed.
  /// - Complexity: Amortized O(1).
  @discardableResult
  package func add(
    _ observer: AnyObserver,
    priority: Int,
    for sender: AnyObject? = nil
  ) -> Bool {
    if watched.load(ordering: .relaxed) > 0 { probe() }
    let retirees: Retirees? = registry.withLock { registry in
      guard !registry.isClosed else { return nil }
      domain.prepare()
      // A post that finds the observer also finds this flag, and a post that reads only one lane was not
      // counted as a call of an observer in another.
      if observer.isBound { note(Self.bound, true) }
      if sender == nil, registry.splits(with: priority) { note(Self.split, true) }
      observer.number.store(numbers.next(), ordering: .relaxed)
      let retirees = registry.add(observer, priority: priority, for: sender, published, senders)
      noteShape(registry)
      return retirees
    }
    guard let retirees else { return false }
    domain.retire(retirees)
    return true
  }

  /// Removes an observer that only its token can remove.
  override package func conclude(_ handle: UInt) -> UInt { unlink(address: handle) }

  /// Removes the observer at an address, which only the caller has the right to remove.
  ///
  /// - Returns: The stamp to pass to ``waitUntilFree(_:)``.
  package func unlink(address: UInt) -> UInt {
    let retirees = registry.withLock { registry in
      let retirees = registry.remove(address, published, senders)
      noteShape(registry)
      return retirees
    }
    // If the list was closed first, nothing is unlinked here.
    return retirees.isEmpty ? domain.stamp : domain.retire(retirees)
  }

  override package func isActive(_ handle: UInt) -> Bool { registry.withLock { !$0.isClosed } }

  override package func watch(_ handle: UInt, by token: any Cancellable) -> Bool {
    let watcher = WeakCancellable(token)
    // While the lock is held, a token that has not ended still has its observer at the address.
    return registry.withLock { !token.hasEnded && $0.watch(handle, by: watcher) }
  }

  override package func changePauses(_ handle: UInt, by change: Int, unless hasEnded: () -> Bool) {
    // While the lock is held, an observer whose token has not ended cannot be unlinked.
    registry.withLock { registry in
      if !hasEnded() { registry.changePauses(handle, by: change) }
    }
  }

  override package func stopCalls(_ handle: UInt, unless hasEnded: () -> Bool) {
    registry.withLock { registry in
      if !hasEnded() { registry.stopCalls(handle) }
    }
  }

  override package func waitUntilFinished(_ handle: UInt) async { await waitUntilFree(handle) }

  /// Waits until no post can hold an unlinked observer.
  ///
  /// - Parameter stamp: The stamp that ``unlink(address:)`` returned; `nil` for an observer that another
  ///   thread is unlinking, or that is removed with all the others.
  package func waitUntilFree(_ stamp: UInt?) async {
    await domain.fence(stamped: stamp ?? domain.stamp).wait()
  }

  /// Removes everything, permanently.
  ///
  /// Tokens become inert. Links are disconnected first, so that a queued call cannot retain an observer
  /// that is being freed.
  package func close() {
    let watchers = registry.withLock { registry in
      published.forEach { observer, _ in observer.stopCalls() }
      for group in registry.senderGroups {
        group.published.forEach { observer, _ in observer.stopCalls() }
      }
      return registry.close()
    }
    var links: [ObserverLink] = []
    forEach { observer, _ in
      if let link = observer.link { links.append(link) }
    }
    for link in links { link.disconnect() }
    let (retirees, suspects) = registry.withLock { registry in
      let suspects = registry.takeSuspects()
      let retirees = registry.removeAll(published, senders)
      noteShape(registry)
      return (retirees, suspects)
    }
    domain.retire(retirees)
    withExtendedLifetime(suspects) {}
    for watcher in watchers { watcher.object?.cancel() }
  }

  /// Calls a closure with every observer, by priority and number, without a lock.
  package func forEach(_ body: (AnyObserver, _ priority: Int) -> Void) {
    guard let visit = domain.enter(isPost: false) else { return }
    published.forEach(body)
    for group in registry.withLock({ $0.senderGroups }) { group.published.forEach(body) }
    domain.leave(visit)
  }

  /// Makes all later posts record their payloads.
  package func noteReplay() { note(Self.replayed, true) }

  /// Reports an error from a handler whose poster could not receive it.
  package func handlerFailed(
    _ error: any Error,
    in observer: AnyObserver,
    payload: any Sendable,
    delivery: Delivery
  ) {}

  /// Called without a lock when the last pause of a registration with a link has ended.
  package func registrationResumed() {}

  /// Records whether there are observers.
  ///
  /// Called with the lock held, after any change.
  package func noteOccupied(_ isOccupied: Bool) {}

  /// Ends the registrations that satisfy a predicate, which runs without a lock held.
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
    note(Self.bound, registry.boundCount > 0)
    watched.store(registry.watched.count, ordering: .relaxed)
    noteOccupied(registry.count > 0)
  }

  private func note(_ flag: UInt, _ isThere: Bool) {
    let known = specialCases.load(ordering: .relaxed) & flag != 0
    if known == isThere { return }
    if isThere {
      specialCases.bitwiseOr(flag, ordering: .sequentiallyConsistent)
    } else {
      specialCases.bitwiseAnd(~flag, ordering: .sequentiallyConsistent)
    }
  }
}
