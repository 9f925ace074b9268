public import Synchronization

/// The concurrent observer list of a signal.
///
/// Posts walk its blocks of sinks without a lock; those with a sender take it to find the observers of that sender, if
/// there are observers of senders. Changes take its only lock, and retire the items that they unlink after unlocking.
@usableFromInline
package class ObserverList: @unchecked Sendable {  // Reason: locked.
  /// The state behind the lock.
  struct Registry: ~Copyable, Sendable {
    /// The sinks of observers of any sender.
    var common = SlotBlock()
    /// The observers that are restricted to a sender.
    var senders = Senders()
    /// The number of observers.
    var count = 0
    /// The observers whose owner or sender may die without notice.
    var watched = WatchedObservers()
    /// The registrations to check on an actor, keyed by the mailbox that was asked for a turn.
    var pendingChecks: [ObjectIdentifier: ObserverRegistration] = [:]
    /// The registrations that have ended during a counted call, and perhaps some whose call has ended since.
    var endedInCall: [ObserverRegistration] = []
    /// The number of these at which those whose call has ended are removed.
    var endedLimit = 8
    /// True if the list accepts no more observers.
    var isClosed = false

    /// True if there are enough watched observers for a probe.
    ///
    /// Otherwise one more observer stays within the bound, at most max(8, 2 × living), even if all watched
    /// owners are dead.
    var isWorthProbing: Bool { count >= 8 && 2 * watched.count > count + 1 }

    /// Remembers a registration that ends during a counted call, for reports of what is running.
    ///
    /// - Returns: Some whose call may have ended since, to be released outside the lock.
    /// - Complexity: Amortized O(1).
    fileprivate mutating func noteEndInCall(of registration: ObserverRegistration)
      -> [ObserverRegistration]
    {
      var former: [ObserverRegistration] = []
      if isClosed { return former }
      if endedInCall.count >= endedLimit {
        swap(&former, &endedInCall)
        endedInCall = former.filter { $0.runningCount > 0 }
        endedLimit = max(8, 2 * endedInCall.count)
      }
      endedInCall.append(registration)
      return former
    }
  }

  /// Set in ``cases`` while some observers are restricted to a sender.
  @inlinable static var addressed: UInt { 1 }
  /// Set when payloads are recorded for later observers.
  static var replayed: UInt { 2 }

  @usableFromInline
  let domain = ReclamationDomain()
  /// The address of the block of the observers of any sender; zero before the first one.
  @usableFromInline
  let block = Atomic<UInt>(0)
  /// The number of observers of any sender.
  @usableFromInline
  let live = Atomic<Int>(0)
  /// The flags above; not zero when a post may need more than that block.
  @usableFromInline
  let cases = Atomic<UInt>(0)
  let counts: ListCounts
  let registry = Locked(Registry())
  /// The number of samples that ``probe(on:hasFound:asks:)`` has taken.
  let probes = Atomic<UInt>(0)
  /// True if a registration has to look for dead owners.
  let isWorthProbing = Atomic<Bool>(false)

  /// Creates an empty list.
  ///
  /// - Parameter counts: The counts that the lists of one bus share.
  package init(counts: ListCounts) { self.counts = counts }

  deinit {
    // A list that is not closed is owned by its observers.
    registry.withLock { $0.common.deallocate() }
  }

  /// The number of observers.
  package final var count: Int { registry.withLock { $0.count } }

  /// The number of slots in use by observers of any sender, including emptied ones.
  package final var slotCount: Int { registry.withLock { $0.common.slotCount } }

  /// The number of unlinked items that wait for running calls to end.
  package final var waitingCount: Int { domain.waitingCount }

  /// The stamp that an item unlinked now would get; zero if no reader is inside.
  package final var stamp: UInt { domain.stamp }

  // MARK: Changes

  /// Adds a sink behind all others of its priority; ends its registration if the list is closed.
  ///
  /// - Parameters:
  ///   - sink: The sink.
  ///   - sender: The only sender it observes, kept alive by the caller; `nil` for any.
  /// - Returns: `false` if the list is closed.
  /// - Complexity: Amortized O(1); O(*n*) in the number of observers if some have a lower priority.
  @discardableResult
  package final func add(_ sink: AnySink, for sender: AnyObject? = nil) -> Bool {
    if isWorthProbing.load(ordering: .relaxed) { probe() }
    sink.registration.connect(sink)
    let unlinked: UnlinkedItems? = registry.withLock { registry in
      if registry.isClosed { return nil }
      domain.prepare()
      sink.number = counts.nextRegistration()
      var unlinked = UnlinkedItems()
      link(sink, for: sender, &registry, &unlinked)
      noteShape(registry)
      return unlinked
    }
    guard let unlinked else {
      sink.registration.end()
      return false
    }
    domain.retire(unlinked)
    return true
  }

  private final func link(
    _ sink: AnySink,
    for sender: AnyObject?,
    _ registry: inout Registry,
    _ unlinked: inout UnlinkedItems
  ) {
    _ = ObjectAddress.retained(sink)
    registry.count += 1
    if let sender {
      let known = registry.senders.group(at: ObjectAddress.of(sender))
      let group = known ?? SenderGroup(sender, birth: sink.number)
      if known == nil { registry.senders.insert(group) }
      sink.enter(group)
      // A post that finds the observer also finds this flag.
      note(Self.addressed, true)
      group.slots.insert(sink, &unlinked)
    } else {
      // Before the publication: a post that reads zero began before any post could find the observer.
      live.store(registry.common.live + 1, ordering: .sequentiallyConsistent)
      registry.common.insert(sink, &unlinked)
      publish(registry.common)
    }
    if sink.isWatched { registry.watched.insert(sink) }
  }

  /// Unlinks the sink of a registration that has ended.
  ///
  /// - Returns: The stamp to pass to ``waitUntilFree(_:)``.
  final func unlink(_ registration: ObserverRegistration) -> UInt {
    var unlinked = UnlinkedItems()
    var formerInCall: [ObserverRegistration] = []
    defer { withExtendedLifetime(formerInCall) {} }
    let address = registry.withLock { registry in
      let address = registration.takeAddress()
      _ = ObjectAddress.borrow(address) { (sink: AnySink) in
        sink.setClosed(true)
        if registration.runningCount > 0, sink.isCalledLater {
          formerInCall = registry.noteEndInCall(of: registration)
        }
        // Zero if the list was closed before the sink could be linked.
        if sink.number != 0 { unlink(sink, &registry, &unlinked) }
      }
      return address
    }
    // Alive until it is retired; a sink that was not linked is kept by the caller.
    let waiting = ObjectAddress.borrow(address) { (sink: AnySink) in
      sink.takeWaiting()
    }
    defer { withExtendedLifetime(waiting) {} }
    return unlinked.isEmpty ? domain.stamp : domain.retire(unlinked)
  }

  private final func unlink(
    _ sink: AnySink,
    _ registry: inout Registry,
    _ unlinked: inout UnlinkedItems
  ) {
    registry.count -= 1
    if sink.isWatched { registry.watched.remove(sink) }
    if let group = sink.group {
      group.slots.remove(sink, &unlinked)
      if group.slots.live == 0 { registry.senders.remove(group, &unlinked) }
    } else {
      registry.common.remove(sink, &unlinked)
      publish(registry.common)
      // A post that still reads the former count looks for an observer in vain.
      live.store(registry.common.live, ordering: .releasing)
    }
    noteShape(registry)
  }

  private final func publish(_ slots: SlotBlock) {
    let address = slots.block?.address ?? 0
    if block.load(ordering: .relaxed) != address {
      block.store(address, ordering: .sequentiallyConsistent)
    }
  }

  /// Copies whether calls may begin from a registration to its sink, where posts look.
  final func copyState(of registration: ObserverRegistration) {
    registry.withLock { _ in
      _ = ObjectAddress.borrow(registration.sinkAddress) { (sink: AnySink) in
        sink.setClosed(!registration.isOpen)
      }
    }
  }

  /// Removes everything, permanently.
  ///
  /// Every registration ends. No handler of a later one is called when the first one ends.
  package final func close() {
    let pendingChecks = registry.withLock { registry in
      registry.isClosed = true
      defer { (registry.pendingChecks, registry.endedInCall) = ([:], []) }
      return (registry.pendingChecks, registry.endedInCall)
    }
    let registrations = registrations { _ in true }
    for registration in registrations { registration.stopCalls(as: .keeper) }
    for registration in registrations { registration.end() }
    withExtendedLifetime(pendingChecks) {}
  }

  // MARK: Questions

  /// Waits until no post can hold an unlinked sink.
  ///
  /// - Parameter stamp: The stamp that ``unlink(_:)`` returned.
  /// - Returns: `false` when the waiting task was cancelled first.
  @discardableResult
  package final func waitUntilFree(_ stamp: UInt) async -> Bool {
    await domain.latch(stamped: stamp).wait()
  }

  /// Calls a closure with every sink, without a lock.
  ///
  /// The observers of any sender come first, and each group is in the order of delivery.
  package final func forEach(_ body: (AnySink) -> Void) {
    guard let visit = domain.enter() else { return }
    let blocks = registry.withLock { registry in
      [registry.common.block] + registry.senders.all.map(\.slots.block)
    }
    for block in blocks { block?.forEachSink(body) }
    domain.leave(visit)
  }

  private final func registrations(where isMeant: (AnySink) -> Bool) -> [ObserverRegistration] {
    var registrations: [ObserverRegistration] = []
    forEach { if isMeant($0) { registrations.append($0.registration) } }
    return registrations
  }

  /// Ends the registrations that satisfy a predicate, which runs without a lock held.
  ///
  /// - Complexity: O(*n*) in the number of observers.
  final func endAll(where isMeant: (AnySink) -> Bool) {
    for registration in registrations(where: isMeant) { registration.end() }
  }

  /// The registrations that have ended, and whose calls are still running.
  final var endedInCall: [ObserverRegistration] {
    registry.withLock { $0.endedInCall }.filter { $0.runningCount > 0 }
  }

  // MARK: What differs between kinds

  /// Called, with no lock held, for an error that a handler has thrown; does nothing by itself.
  func handlerFailed(
    _ error: any Error,
    in sink: AnySink,
    payload: any Sendable,
    _ post: Post
  ) {}

  /// Called, with no lock held, by a post inside many others on its thread.
  ///
  /// - Parameters:
  ///   - depth: The number of posts around it.
  ///   - site: The call that posts the event.
  /// - Returns: Whether this has been reported, so that no other list must.
  func postsNest(_ depth: Int, at site: CallSite) -> Bool { false }

  /// Called, with no lock held, when handlers of queues have caused each other's events in many turns.
  ///
  /// - Parameter site: The call that posts the newest event.
  func chainIsLong(at site: CallSite) {}

  /// Called, with no lock held, when the queue of a handler has become longer than ever.
  ///
  /// - Parameters:
  ///   - count: The number of events that wait.
  ///   - actor: The actor that they wait for; `nil` for the task of an asynchronous handler.
  ///   - site: The call that registered the handler of the newest event.
  func queueIsCrowded(_ count: Int, of actor: ActorIdentity?, registeredAt site: CallSite) {}

  /// Records whether there are observers.
  ///
  /// Called with the lock held, after any change.
  func noteOccupied(_ isOccupied: Bool) {}

  // MARK: Flags

  /// Makes all later posts record their payloads.
  final func noteReplay() { note(Self.replayed, true) }

  private final func noteShape(_ registry: borrowing Registry) {
    note(Self.addressed, !registry.senders.isEmpty)
    isWorthProbing.store(registry.isWorthProbing, ordering: .relaxed)
    noteOccupied(registry.count > 0)
  }

  private final func note(_ flag: UInt, _ isThere: Bool) {
    let known = cases.load(ordering: .relaxed) & flag != 0
    if known == isThere { return }
    if isThere {
      cases.bitwiseOr(flag, ordering: .sequentiallyConsistent)
    } else {
      cases.bitwiseAnd(~flag, ordering: .sequentiallyConsistent)
    }
  }

  /// Stops the program if a count, a flag or the order is wrong.
  ///
  /// Called while no other thread uses the list.
  package final func _checkInvariants() {
    registry.withLock { registry in
      registry.common._checkInvariants()
      registry.senders._checkInvariants()
      registry.watched._checkInvariants()
      var (count, watched) = (0, 0)
      func look(_ sink: AnySink, in group: SenderGroup?) {
        count += 1
        if sink.isWatched { watched += 1 }
        assert(sink.group === group, "an observer is in another group")
        assert(sink.isClosed == !sink.registration.isOpen, "a post sees another state")
        assert(sink.registration.sinkAddress == sink.address, "a registration has another sink")
      }
      registry.common.block?.forEachSink { look($0, in: nil) }
      for group in registry.senders.all {
        group.slots.block?.forEachSink { look($0, in: group) }
      }
      assert((registry.count, registry.watched.count) == (count, watched), "a count is wrong")
      assert(!registry.isClosed || count == 0, "a closed list has observers")
      assert(live.load(ordering: .relaxed) == registry.common.live, "the published count is wrong")
      assert(
        block.load(ordering: .relaxed) == registry.common.block?.address ?? 0,
        "posts read another block"
      )
      assert(
        cases.load(ordering: .relaxed) & ~Self.replayed
          == (registry.senders.isEmpty ? 0 : Self.addressed),
        "a flag of the special cases is wrong"
      )
    }
    domain._checkInvariants()
  }
}
