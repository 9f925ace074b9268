public import Synchronization

/// The concurrent observer list of a signal.
///
/// Posts walk the list without a lock; those with a sender take it to find the observers of that sender, if there are
/// observers of senders. Changes take its only lock, and retire the items that they unlink
/// after unlocking.
///
/// ```
/// list ──owns──► observer ──owns──► handler                token ──► list            (plain observers)
///                observer ──owns──► registration ──► list  token ──► registration    (the others)
/// ```
@usableFromInline
package class ObserverList: TokenTarget, @unchecked Sendable {  // Reason: locked.
  /// The state behind the lock, besides the lists, which readers share.
  struct Registry: ~Copyable, Sendable {
    /// The number of observers.
    var count = 0
    /// The observers that are restricted to a sender.
    var senders = Senders()
    /// The observers whose owner or sender may die without notice.
    var watched = WatchedObservers()
    /// The registrations to check on an actor, keyed by the mailbox that was asked for a turn.
    var pendingChecks: [ObjectIdentifier: ObserverRegistration] = [:]
    /// The registrations that have ended during a counted call, and perhaps some whose call has ended since.
    var endedInCall: [EndedInCall] = []
    /// The number of these at which those whose call has ended are removed.
    var endedLimit = 8
    /// A Boolean value that indicates whether the list accepts no more observers.
    var isClosed = false
    /// The tokens to notify when the list drops their plain observers, keyed by the observer's address.
    var watchers: [UInt: WeakToken] = [:]
    /// The number of pauses of a plain observer, keyed by its address.
    var pauses: [UInt: Int] = [:]
  }

  /// A registration that has ended, and the call that made it.
  typealias EndedInCall = (registration: ObserverRegistration, site: CallSite)

  /// Set while the observers of any sender are in more than one priority list.
  package static let split: UInt = 1
  /// Set while some observers are restricted to a sender.
  @inlinable static var addressed: UInt { 4 }
  /// Set when payloads are recorded for later observers.
  package static let replayed: UInt = 8

  @usableFromInline
  let domain = ReclamationDomain()
  /// The observers of any sender.
  @usableFromInline
  let common = PriorityLists()
  /// The flags above; not zero when a post needs more than the block of ``PriorityLists/sole``.
  @usableFromInline
  let specialCases = Atomic<UInt>(0)
  let numbers: RegistrationCounter
  let registry = Locked(Registry())
  /// The number of samples that ``probe(on:hasFound:asks:)`` has taken.
  let probes = Atomic<UInt>(0)
  /// A Boolean value that indicates whether a registration has to look for dead owners.
  let isWorthProbing = Atomic<Bool>(false)

  /// Creates an empty list.
  ///
  /// - Parameter numbers: The counter that numbers the registrations, shared by the lists of one bus.
  package init(numbers: RegistrationCounter) { self.numbers = numbers }

  /// The number of observers.
  package var count: Int { registry.withLock { $0.count } }

  /// The number of slots in use by observers of any sender, including emptied ones.
  package var slotCount: Int { registry.withLock { _ in common.slotCount } }

  /// The number of unlinked items that wait for running calls to end.
  package var waitingCount: Int { domain.waitingCount }

  /// The stamp that an item unlinked now would get; zero if no reader is inside.
  package var stamp: UInt { domain.stamp }

  /// Adds an observer behind all others of its priority.
  ///
  /// - Parameters:
  ///   - observer: The observer.
  ///   - priority: Its priority.
  ///   - sender: The only sender it observes, kept alive by the caller; `nil` for any.
  /// - Returns: `false` when the list is closed.
  /// - Complexity: Amortized O(1).
  @discardableResult
  package final func add(
    _ observer: AnyObserver,
    priority: Int,
    for sender: AnyObject? = nil
  ) -> Bool {
    add(retained: ObjectAddress.retained(observer), priority: priority, for: sender)
  }

  /// Adds the observer at an address from ``ObjectAddress/retained(_:)``, and takes over that reference.
  @discardableResult
  package func add(
    retained address: UInt,
    priority: Int,
    for sender: AnyObject?
  ) -> Bool {
    if isWorthProbing.load(ordering: .relaxed) { probe() }
    let unlinked: UnlinkedItems? = registry.withLock { registry in
      guard !registry.isClosed else { return nil }
      domain.prepare()
      // A post that finds the observer also finds this flag.
      if sender == nil, common.splits(with: priority) { note(Self.split, true) }
      let unlinked = AnyObserver.borrow(address) { observer in
        observer.order = numbers.next()
        return link(observer, priority: priority, for: sender, &registry)
      }
      noteShape(registry)
      return unlinked
    }
    guard let unlinked else {
      ObjectAddress.release(address)
      return false
    }
    domain.retire(unlinked)
    return true
  }

  private func link(
    _ observer: AnyObserver,
    priority: Int,
    for sender: AnyObject?,
    _ registry: inout Registry
  ) -> UnlinkedItems {
    registry.count += 1
    defer { if observer.isWatched { registry.watched.insert(observer) } }
    guard let sender else { return common.append(retained: observer.address, priority: priority) }
    let known = registry.senders.group(at: ObjectAddress.of(sender))
    let group = known ?? SenderGroup(sender, birth: observer.order)
    if known == nil { registry.senders.insert(group) }
    observer.registration?.enter(group)
    return group.observers.append(retained: observer.address, priority: priority)
  }

  /// Removes an observer that only its token can remove.
  override package func end(_ handle: UInt) -> UInt { unlink(address: handle) }

  /// Removes the observer at an address, which only the caller has the right to remove.
  ///
  /// - Returns: The stamp to pass to ``waitUntilFree(_:)``.
  package func unlink(address: UInt) -> UInt {
    let unlinked = registry.withLock { registry in
      if registry.isClosed { return UnlinkedItems() }
      let unlinked = AnyObserver.borrow(address) { observer in
        if observer.isOnRecord {
          registry.watchers[address] = nil
          registry.pauses[address] = nil
        }
        return unlink(observer, &registry)
      }
      noteShape(registry)
      return unlinked ?? UnlinkedItems()
    }
    // If the list was closed first, nothing is unlinked here.
    return unlinked.isEmpty ? domain.stamp : domain.retire(unlinked)
  }

  private func unlink(_ observer: AnyObserver, _ registry: inout Registry) -> UnlinkedItems {
    registry.count -= 1
    if observer.isWatched { registry.watched.remove(observer) }
    observer.stopCalls()
    guard let group = observer.registration?.senderGroup else { return common.remove(observer) }
    var unlinked = group.observers.remove(observer)
    if group.observers.live.load(ordering: .relaxed) == 0 {
      unlinked.append(contentsOf: group.observers.removeAll())
      unlinked.append(contentsOf: registry.senders.remove(group))
    }
    return unlinked
  }

  override package func isActive(_ handle: UInt) -> Bool { registry.withLock { !$0.isClosed } }

  override package func watch(_ handle: UInt, by token: Token) -> Bool {
    let watcher = WeakToken(token)
    return registry.withLock { registry in
      // While the lock is held, a token that has not ended still has its observer at the address.
      guard !token.hasEnded, !registry.isClosed else { return false }
      registry.watchers[handle] = watcher
      AnyObserver.borrow(handle) { $0.putOnRecord() }
      return true
    }
  }

  override package func changePauses(_ handle: UInt, by change: Int, of token: Token?) {
    registry.withLock { registry in
      // While the lock is held, an observer whose token has not ended cannot be unlinked.
      guard token?.hasEnded == false, !registry.isClosed else { return }
      let count = (registry.pauses[handle] ?? 0) + change
      registry.pauses[handle] = count > 0 ? count : nil
      AnyObserver.borrow(handle) { observer in
        observer.putOnRecord()
        observer.setPaused(count > 0)
      }
    }
  }

  override package func stopCalls(_ handle: UInt, of token: Token) {
    registry.withLock { registry in
      if !token.hasEnded, !registry.isClosed { AnyObserver.borrow(handle) { $0.stopCalls() } }
    }
  }

  override package func waitUntilFinished(_ handle: UInt) async { await waitUntilFree(handle) }

  /// Waits until no post can hold an unlinked observer.
  ///
  /// - Parameter stamp: The stamp that ``unlink(address:)`` returned; ``stamp`` for an observer that
  ///   another thread is unlinking, or that is removed with all the others.
  /// - Returns: `false` when the waiting task was cancelled first.
  @discardableResult
  package func waitUntilFree(_ stamp: UInt) async -> Bool {
    await domain.latch(stamped: stamp).wait()
  }

  /// Removes everything, permanently.
  ///
  /// Tokens become inert. Registrations are disconnected first, so that a queued call cannot retain an observer
  /// that is being freed.
  package func close() {
    let watchers = registry.withLock { registry in
      common.forEach { observer, _ in observer.stopCalls() }
      for group in registry.senders.all {
        group.observers.forEach { observer, _ in observer.stopCalls() }
      }
      registry.isClosed = true
      defer { registry.watchers = [:] }
      return registry.watchers
    }
    for registration in registrations(where: { _ in true }) { registration.disconnect() }
    let (unlinked, pendingChecks) = registry.withLock { registry in
      let pendingChecks = (registry.pendingChecks, registry.endedInCall)
      var unlinked = common.removeAll()
      for group in registry.senders.all {
        unlinked.append(contentsOf: group.observers.removeAll())
        unlinked.append(contentsOf: registry.senders.remove(group))
      }
      registry = Registry(isClosed: true)
      noteShape(registry)
      return (unlinked, pendingChecks)
    }
    domain.retire(unlinked)
    withExtendedLifetime(pendingChecks) {}
    for watcher in watchers.values { watcher.object?.cancel() }
  }

  /// Calls a closure with every observer, by priority and number, without a lock.
  ///
  /// The observers of any sender come first.
  package func forEach(_ body: (AnyObserver, _ priority: Int) -> Void) {
    guard let visit = domain.enter() else { return }
    common.forEach(body)
    for group in registry.withLock({ $0.senders.all }) { group.observers.forEach(body) }
    domain.leave(visit)
  }

  /// Remembers a registration that ends during a counted call, for reports of what is running.
  ///
  /// - Complexity: Amortized O(1).
  func noteEndInCall(of registration: ObserverRegistration, registeredAt site: CallSite) {
    let others = registry.withLock { registry in
      var others: [EndedInCall] = []
      if registry.isClosed { return others }
      if registry.endedInCall.count >= registry.endedLimit {
        swap(&others, &registry.endedInCall)
        registry.endedInCall = others.filter { $0.registration.runningCount > 0 }
        registry.endedLimit = max(8, 2 * registry.endedInCall.count)
      }
      registry.endedInCall.append((registration, site))
      return others
    }
    // Released after unlocking.
    withExtendedLifetime(others) {}
  }

  /// The registrations that have ended, and whose calls are still running.
  var endedInCall: [EndedInCall] {
    registry.withLock { $0.endedInCall }.filter { $0.registration.runningCount > 0 }
  }

  /// Makes all later posts record their payloads.
  func noteReplay() { note(Self.replayed, true) }

  /// Called under no lock with an error that a handler has thrown; does nothing by itself.
  func handlerFailed(
    _ error: any Error,
    in observer: AnyObserver,
    payload: any Sendable,
    delivery: Delivery
  ) {}

  /// Called under no lock by a post inside many others on its thread.
  ///
  /// - Parameters:
  ///   - depth: The number of posts around it.
  ///   - site: The call that posts the event.
  /// - Returns: Whether this has been reported, so that no other list has to.
  func postsNest(_ depth: Int, at site: CallSite) -> Bool { false }

  /// Called under no lock when handlers of queues have caused each other's events in many turns.
  ///
  /// - Parameter site: The call that posts the newest event.
  func chainIsLong(at site: CallSite) {}

  /// Called under no lock when the queue of a handler has become longer than ever.
  ///
  /// - Parameters:
  ///   - count: The number of events that wait.
  ///   - actor: The actor that they wait for; `nil` for the task of an asynchronous handler.
  ///   - site: The call that registered the handler of the newest event.
  func queueIsCrowded(_ count: Int, of actor: ActorIdentity?, registeredAt site: CallSite) {}

  /// Called without a lock when the last pause of a registration that is not a plain observer's has ended.
  func registrationResumed() {}

  /// Records whether there are observers.
  ///
  /// Called with the lock held, after any change.
  func noteOccupied(_ isOccupied: Bool) {}

  /// Ends the registrations that satisfy a predicate, which runs without a lock held.
  ///
  /// - Complexity: O(*n*) in the number of observers.
  func endAll(where isMeant: (AnyObserver) -> Bool) {
    for registration in registrations(where: isMeant) { registration.endByItself() }
  }

  private func registrations(where isMeant: (AnyObserver) -> Bool) -> [ObserverRegistration] {
    var registrations: [ObserverRegistration] = []
    forEach { observer, _ in
      if isMeant(observer), let registration = observer.registration {
        registrations.append(registration)
      }
    }
    return registrations
  }

  private func noteShape(_ registry: borrowing Registry) {
    note(Self.split, common.isSplit)
    note(Self.addressed, !registry.senders.isEmpty)
    isWorthProbing.store(registry.isWorthProbing, ordering: .relaxed)
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

  /// Stops the program if a count, a flag or the order is wrong.
  ///
  /// Called while no other thread uses the list.
  package func _checkInvariants() {
    registry.withLock { registry in
      common._checkInvariants()
      registry.senders._checkInvariants()
      registry.watched._checkInvariants()
      var (count, watched) = (0, 0)
      var known: Set<UInt> = []
      func look(_ observer: AnyObserver, in group: SenderGroup?) {
        count += 1
        if observer.isOnRecord { known.insert(observer.address) }
        if observer.isWatched { watched += 1 }
        assert(observer.registration?.senderGroup === group, "an observer is in another group")
      }
      common.forEach { observer, _ in look(observer, in: nil) }
      for group in registry.senders.all {
        group.observers.forEach { observer, _ in look(observer, in: group) }
      }
      assert((registry.count, registry.watched.count) == (count, watched), "a count is wrong")
      assert(!registry.isClosed || count == 0, "a closed list has observers")
      assert(
        known.isSuperset(of: registry.watchers.keys) && known.isSuperset(of: registry.pauses.keys),
        "something is known of an observer that is not linked, or not on record"
      )
      let flags =
        (common.isSplit ? Self.split : 0) | (registry.senders.isEmpty ? 0 : Self.addressed)
      assert(
        specialCases.load(ordering: .relaxed) & ~Self.replayed == flags,
        "a flag of the special cases is wrong"
      )
    }
    domain._checkInvariants()
  }
}
