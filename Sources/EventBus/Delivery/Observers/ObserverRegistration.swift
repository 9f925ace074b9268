internal import Synchronization

/// An object that finishes as soon as a registration ends.
package protocol Finishable: AnyObject, Sendable {
  /// Finishes the object. Further calls do nothing.
  func finish()
}

/// The registration of an observer that code other than its token may remove.
///
/// Such an observer has an owner, a single call, or calls that wait in a queue. Its calls are counted, except
/// those of plain handlers with an owner; the calls of posters on the handler's actor are counted by the actor
/// alone, apart from the others.
package final class ObserverRegistration: Registration,
  @unchecked Sendable  // Reason: locked.
{
  private struct State {
    /// Borrowed from the list, which releases the observer only after the registration has ended; then
    /// zero.
    var observer: UInt = 0
    var countsCalls = false
    /// The mailbox of the only actor on which the handler is called.
    var mailbox: Mailbox?
    /// Opens when no poster is making a call on the handler's actor.
    var noCallOnActor: Latch?
    /// Finishes with the registration; until then it may refer back to this registration.
    var dependent: (any Finishable)?
  }

  /// The list that holds the observer.
  package let list: ObserverList
  /// The stamp that unlinking returned; until then a value that the list never returns.
  private let unlinkStamp = Atomic<UInt>(.max)
  private let state = Locked(State())
  private let lostOwner = Atomic<Bool>(false)
  private let hasUsedCall = Atomic<Bool>(false)
  /// The number of its events that were ever taken out of its actor's mailbox; wraps, changed there only.
  ///
  /// It and ``enqueued`` lie where they take no space.
  private let dequeued = Atomic<UInt32>(0)
  /// The number of calls that posters are making on the handler's actor; changed only there.
  private let callsOnActor = Atomic<Int>(0)
  /// Set once a task waits for the end of these calls.
  private let isAwaited = Atomic<Bool>(false)
  /// The number of its events that were ever added to its actor's mailbox; wraps, changed under the lock of
  /// the mailbox.
  private let enqueued = Atomic<UInt32>(0)

  /// Creates a registration without an observer.
  ///
  /// - Parameter list: The list that will hold the observer.
  package init(_ list: ObserverList) { self.list = list }

  /// A Boolean value that indicates whether the registration ended, or is about to end, with its owner.
  package var hasLostOwner: Bool { lostOwner.load(ordering: .acquiring) }

  /// The reason for not calling the handler of a registration that has ended.
  package var refusal: Reception {
    if hasUsedCall.load(ordering: .acquiring) { return .spent }
    return hasLostOwner ? .ownerLost : .cancelled
  }

  /// Ends a registration whose only call begins.
  package func endWithCall() {
    if !hasEnded { hasUsedCall.store(true, ordering: .releasing) }
    endByItself()
  }

  /// Ends the registration because its owner has died.
  package func endWithOwner() { endByItself(hasLostOwner: true) }

  /// Ends the registration without its token, possibly because its owner has died.
  package func endByItself(hasLostOwner: Bool) {
    if hasLostOwner { lostOwner.store(true, ordering: .releasing) }
    endByItself()
  }

  override package func stopCalls() {
    lostOwner.store(true, ordering: .releasing)
    super.stopCalls()
  }

  override package func lifetimeEnded() { endWithOwner() }

  /// Connects the observer, once, before it is added to the list.
  ///
  /// - Parameters:
  ///   - observer: The observer.
  ///   - dependent: An object to finish as soon as the registration ends, if the observer has none.
  package func connect(_ observer: AnyObserver, finishing dependent: (any Finishable)? = nil) {
    let connected = State(
      observer: observer.address,
      countsCalls: observer.countsCalls,
      mailbox: observer.callingMailbox,
      dependent: dependent ?? observer.dependent
    )
    state.withLock { $0 = connected }
  }

  /// The observer's address, or zero when the registration has ended.
  ///
  /// A visit that began before this read keeps the observer alive.
  package var observerAddress: UInt { state.withLock { $0.observer } }

  override package func didEnd() {
    if let observer = takeObserver() {
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

  override package func didStop() {
    state.withLock { state in
      if state.observer != 0 { AnyObserver.borrow(state.observer) { $0.stopCalls() } }
    }
  }

  override package func didChangePauses() {
    let isResumed = state.withLock { state in
      guard state.observer != 0 else { return false }
      let isPaused = isPaused
      AnyObserver.borrow(state.observer) { $0.setPaused(isPaused) }
      return !isPaused
    }
    if isResumed { list.registrationResumed() }
  }

  /// Records that an event waits in the mailbox of the handler's actor; called under its lock.
  package func noteEnqueued() {
    enqueued.store(enqueued.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
  }

  /// Records that an event no longer waits in the mailbox; called on its actor, or once that is dead and the
  /// registration ends, where the count no longer matters.
  package func noteDequeued() {
    dequeued.store(dequeued.load(ordering: .relaxed) &+ 1, ordering: .releasing)
  }

  /// The number of events that wait in the mailbox of the handler's actor.
  package var waitingInMailbox: Int {
    // Read first: an event that is seen as taken is then also seen as added.
    let taken = dequeued.load(ordering: .acquiring)
    return Int(enqueued.load(ordering: .relaxed) &- taken)
  }

  /// Begins a call from a queue.
  ///
  /// - Returns: The observer, or `nil` when the registration has ended. Balance it with ``finish()``. The
  ///   caller knows its class, since an observer and its queue entries belong together; as a generic result it
  ///   would be looked up at each call.
  package func begin() -> AnyObserver? {
    guard beginCall() else { return nil }
    let observer = state.withLock { ObjectAddress.object($0.observer, as: AnyObserver.self) }
    if observer == nil { finish() }
    return observer
  }

  /// Begins a call that a poster makes on the handler's actor.
  ///
  /// The calls are counted by the actor alone, so only the beginning of a call takes a locked instruction.
  /// The caller reads ``AnyObserver/isCancelledInOrder`` afterwards, and does not call the handler if it is
  /// set; balance the call with ``finishCallOnActor()`` in any case.
  package func beginCallOnActor() {
    let calls = callsOnActor.load(ordering: .relaxed) &+ 1
    callsOnActor.store(calls, ordering: .sequentiallyConsistent)
  }

  /// Ends a call that a poster made on the handler's actor.
  package func finishCallOnActor() {
    let calls = callsOnActor.load(ordering: .relaxed) &- 1
    callsOnActor.store(calls, ordering: .releasing)
    if calls == 0, isAwaited.load(ordering: .relaxed) {
      state.withLock { $0.noCallOnActor.take() }?.open()
    }
  }

  override package func waitUntilFinished(_ handle: UInt) async {
    // Another thread may be ending the registration: from here on no post begins a call.
    didStop()
    let known = unlinkStamp.load(ordering: .acquiring)
    let stamp = known == .max ? list.stamp : known
    let (countsCalls, mailbox) = state.withLock { ($0.countsCalls, $0.mailbox) }
    guard countsCalls else { return await list.waitUntilFree(stamp) }
    if let mailbox { await waitForCalls(on: mailbox, ofPostsBefore: stamp) }
    await super.waitUntilFinished(handle)
  }

  private var isCallingOnActor: Bool {
    callsOnActor.load(ordering: .sequentiallyConsistent) != 0
  }

  /// Waits until no poster is making a call on the handler's actor.
  ///
  /// The observer is marked as cancelled. So a call that is not in the count now either has ended or will
  /// not be made, and zero ends the wait at once.
  ///
  /// Otherwise the end of the last call opens the latch. It stores the count and then reads ``isAwaited``
  /// without a locked instruction, so it may miss a waiter that still reads the former count. The store
  /// becomes visible soon; the waiter therefore reads the count again after other tasks have run. Without
  /// any such luck the wait still ends with a turn of the actor in which there are no calls, or when all
  /// posts have left that may hold the observer.
  private func waitForCalls(on mailbox: Mailbox, ofPostsBefore stamp: UInt) async {
    guard isCallingOnActor else { return }
    let noCall = state.withLock { state in
      let noCall = state.noCallOnActor ?? Latch()
      state.noCallOnActor = noCall
      return noCall
    }
    isAwaited.store(true, ordering: .sequentiallyConsistent)
    for _ in 0..<3 {
      guard isCallingOnActor else { return }
      await Task.yield()
    }
    let posts = Task.detached { [list] in
      await list.waitUntilFree(stamp)
      noCall.open()
    }
    // The turn may come much later than the end of the wait.
    Task.detached { [weak self] in
      await mailbox.inTurn { [weak self] in if self?.isCallingOnActor != true { noCall.open() } }
    }
    await noCall.wait()
    posts.cancel()
  }

  /// Removes the observer from the registration, and discards what waits for it.
  ///
  /// - Returns: The address of the observer, for which no further call begins.
  private func takeObserver() -> UInt? {
    let (address, mailbox, dependent) = state.withLock { state in
      let address = state.observer
      if address != 0 { AnyObserver.borrow(address) { $0.stopCalls() } }
      state.observer = 0
      return (address, state.mailbox, state.dependent.take())
    }
    dependent?.finish()
    if address == 0 { return nil }
    mailbox?.discardEvents(of: self)
    return address
  }
}

extension AnyObserver {
  /// The reason for not calling a handler that is paused or has ended.
  package final var refusal: Reception {
    if !isCancelled { return .paused }
    return isSpent ? .spent : link?.refusal ?? .cancelled
  }
}
