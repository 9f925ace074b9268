internal import Synchronization

/// The registration of an observer that code other than its token may remove, with what is known of the observer
/// besides its handler.
///
/// Such an observer has an owner, a single call, or calls that wait in a queue. Its calls are counted, except
/// those of plain handlers with an owner.
package final class ObserverRegistration: RecipientRegistration,
  @unchecked Sendable  // Reason: locked, or set before the observer is published.
{
  private struct State: ~Copyable {
    /// Borrowed from the list, which releases the observer only after the registration has ended; then
    /// zero.
    var observer: UInt = 0
    /// Finishes with the registration; until then it may refer back to this registration.
    var queue: (any Finishable)?
  }

  /// The list that holds the observer.
  package let list: ObserverList
  /// The mailbox of the actor on which the handler runs.
  let mailbox: Mailbox?
  private let ownerID: ObjectIdentifier?
  private let ownerClass: AnyObject.Type?
  /// The address of the sender group, which the list retains while the observer is linked.
  private let group = Atomic<UInt>(0)
  /// The position in ``WatchedObservers``, guarded by the lock of the list.
  private let position = Atomic<UInt32>(0)
  /// Whether the calls are counted; set by ``connect(_:countsCalls:queue:)``.
  private var countsCalls = false
  /// Whether a queue may call the handler after the post; set with ``countsCalls``.
  private var callsLater = false
  private let isClaimed = Atomic<Bool>(false)
  /// The stamp that unlinking returned; until then a value that the list never returns.
  private let unlinkStamp = Atomic<UInt>(.max)
  private let state = Locked(State())

  /// Creates a registration without an observer.
  ///
  /// - Parameters:
  ///   - list: The list that will hold the observer.
  ///   - owner: The owner, which is not retained.
  ///   - mailbox: The mailbox of the actor on which the handler runs.
  package init(_ list: ObserverList, owner: AnyObject? = nil, on mailbox: Mailbox? = nil) {
    (self.list, self.mailbox) = (list, mailbox)
    ownerID = owner.map(ObjectIdentifier.init)
    ownerClass = owner.map { type(of: $0) }
  }

  /// Connects the observer, once, before it is added to the list.
  ///
  /// - Parameters:
  ///   - observer: The observer.
  ///   - countsCalls: Whether calls are counted.
  ///   - queue: The object that holds what waits for the handler, to finish as soon as the registration ends.
  func connect(_ observer: AnyObserver, countsCalls: Bool = false, queue: (any Finishable)? = nil) {
    self.countsCalls = countsCalls
    callsLater = mailbox != nil || queue != nil
    state.withLock { state in
      state.observer = observer.address
      if let queue { state.queue = queue }
    }
  }

  // MARK: The observer

  /// The group of the only sender that is observed, if there is one.
  var senderGroup: SenderGroup? {
    ObjectAddress.object(group.load(ordering: .acquiring), as: SenderGroup.self)
  }

  /// Stores the group of the only sender; called with the lock of the list held.
  func enter(_ group: SenderGroup) {
    self.group.store(ObjectAddress.of(group), ordering: .releasing)
  }

  /// The position in ``WatchedObservers``, guarded by the lock of the list.
  var watchedPosition: Int {
    get { Int(position.load(ordering: .relaxed)) }
    set { position.store(UInt32(newValue), ordering: .relaxed) }
  }

  /// A Boolean value that indicates whether the owner or the sender may die without notice.
  var isWatched: Bool { ownerID != nil || senderGroup != nil }

  /// The name of the owner's type, if there is an owner.
  package var ownerType: String? { ownerClass.map { "\($0)" } }

  /// Returns whether an object has the address of the owner.
  func isOwned(by object: AnyObject) -> Bool { ownerID == ObjectIdentifier(object) }

  /// The mailbox of the only actor that may load the owner and the sender; `nil` for any thread.
  var home: Mailbox? {
    // The `deinit` of an actor needs no particular thread; loading such owners anywhere saves a turn per
    // actor.
    guard let mailbox, let ownerID, mailbox.serves(ownerID) else { return mailbox }
    return group.load(ordering: .relaxed) == 0 ? nil : mailbox
  }

  /// The events that wait for the handler, and those discarded.
  var content: QueueContent {
    let queue = state.withLock { $0.queue }
    return queue?.content ?? QueueContent(waitingCount: waitingInMailbox)
  }

  /// Claims the only call of the handler.
  ///
  /// - Returns: `true` to the one caller that may make it.
  func claim() -> Bool { !isClaimed.exchange(true, ordering: .acquiringAndReleasing) }

  /// Takes back a claim whose event was discarded, which would keep waiting ones from being called.
  func returnClaim() { isClaimed.store(false, ordering: .releasing) }

  /// A Boolean value that indicates whether a post has used the only call of the handler.
  var isSpent: Bool { isClaimed.load(ordering: .acquiring) }

  /// The reason for not passing a new event to the handler of a registration that has ended.
  var refusalOfNewEvent: Reception { isSpent ? .spent : refusal }

  // MARK: The end

  /// The observer's address, or zero when the registration has ended.
  ///
  /// A visit that began before this read keeps the observer alive.
  package var observerAddress: UInt { state.withLock { $0.observer } }

  override func didEnd() {
    if let (observer, site) = takeObserver() {
      if callsLater, runningCount > 0 { list.noteEndInCall(of: self, registeredAt: site) }
      unlinkStamp.store(list.unlink(address: observer), ordering: .releasing)
    }
  }

  /// Marks the registration as ended while the list is being emptied.
  ///
  /// Another thread may have ended the registration and not yet removed the observer, which the list is about
  /// to release: whichever ends it, the address is gone before.
  package func disconnect() {
    let isFirst = markEnded()
    _ = takeObserver()
    guard isFirst else { return }
    leaveLifetime()?.object?.cancel()
  }

  override func didStop() {
    state.withLock { state in
      if state.observer != 0 { AnyObserver.borrow(state.observer) { $0.stopCalls() } }
    }
  }

  override func didChangePauses() {
    let isResumed = state.withLock { state in
      guard state.observer != 0 else { return false }
      let isPaused = isPaused
      AnyObserver.borrow(state.observer) { $0.setPaused(isPaused) }
      return !isPaused
    }
    if isResumed { list.registrationResumed() }
  }

  // MARK: Calls

  override package func begin() -> AnyObject? {
    guard beginCall() else { return nil }
    let observer = state.withLock { ObjectAddress.object($0.observer, as: AnyObserver.self) }
    if observer == nil { finish() }
    return observer
  }

  override package func waitUntilFinished(_ handle: UInt) async {
    // Another thread may be ending the registration: from here on no post begins a call.
    didStop()
    if countsCalls { return await super.waitUntilFinished(handle) }
    let known = unlinkStamp.load(ordering: .acquiring)
    await list.waitUntilFree(known == .max ? list.stamp : known)
  }

  /// Removes the observer from the registration, and discards what waits for it.
  ///
  /// - Returns: The address of the observer, for which no further call begins, and the call that registered it. A list
  ///   that is closed meanwhile may have released the observer: the address is only for ``ObserverList/unlink(address:)``.
  private func takeObserver() -> (address: UInt, site: CallSite)? {
    let (taken, queue) = state.withLock { state in
      let address = state.observer
      let site = AnyObserver.borrow(address) { observer in
        observer.stopCalls()
        return observer.site
      }
      state.observer = 0
      return (site.map { (address, $0) }, state.queue.take())
    }
    queue?.finish()
    if taken != nil { mailbox?.discardEvents(of: self) }
    return taken
  }
}

extension AnyObserver {
  /// The registration; `nil` for a plain observer.
  package final var registration: ObserverRegistration? {
    isIndirect ? baseRegistration as? ObserverRegistration : nil
  }

  /// A Boolean value that indicates whether the owner or the sender may die without notice.
  package final var isWatched: Bool { registration?.isWatched ?? false }

  /// A Boolean value that indicates whether the owner or the sender has died.
  ///
  /// Loads both: see ``hasLostOwner``.
  final var isOrphaned: Bool {
    hasLostOwner || registration?.senderGroup?.hasLostSender ?? false
  }

  /// The reason for not calling a handler that is paused or has ended.
  final var refusal: Reception {
    if !isCancelled { return .paused }
    return registration?.refusalOfNewEvent ?? .cancelled
  }
}

extension TokenIdentity {
  /// Returns whether this is the registration of an observer in a list.
  func identifies(_ observer: AnyObserver, of list: ObserverList) -> Bool {
    if let registration = observer.baseRegistration {
      return ObjectIdentifier(registration) == target
    }
    return ObjectIdentifier(list) == target && observer.address == handle
  }
}
