internal import Synchronization

/// The observers of a shared property.
///
/// It calls them for the rounds that ``SharedObserved`` delivers, and holds what they share. It knows neither the
/// value nor the pending changes.
package final class SharedObservers<Value: Sendable>: ObserverList,
  @unchecked Sendable  // Reason: the state is locked or atomic.
{
  /// Returns whether two values are equal; `false` if values cannot be compared.
  let areEqual: @Sendable (Value, Value) -> Bool
  /// A Boolean value that indicates whether a registration or the end of a pause followed the newest change.
  ///
  /// It is set without a lock, so that a pause may end inside an update.
  let isBarred = Atomic<Bool>(false)
  private let merged = Atomic<Int>(0)
  /// The threads that are calling handlers outside any turn: on actors and during registrations.
  private let callers = Locked(Set<UInt>())
  private let callerCount = Atomic<Int>(0)
  private let mailboxes = ActorTable<Mailbox>()
  private let waiting = WaitingCount()
  private let hasWarned = Atomic<Bool>(false)
  let site: PropertySite

  init(areEqual: @escaping @Sendable (Value, Value) -> Bool, fileID: StaticString, line: UInt) {
    self.areEqual = areEqual
    site = (fileID, line)
    super.init(numbers: RegistrationCounter())
  }

  /// The number of merged changes, for ``SharedObservedValue/mergedCount``.
  var mergedCount: Int { merged.load(ordering: .relaxed) }

  /// Counts a merged change.
  func countMerged() { merged.wrappingAdd(1, ordering: .relaxed) }

  /// The origin of every round: the property itself.
  var delivery: Delivery { Delivery(at: CallSite(site.fileID, site.line)) }

  /// Adds an observer, whose inbox keeps the changes until it is opened.
  ///
  /// - Parameters:
  ///   - request: The parameters of the registration.
  ///   - owner: The owner, held weakly.
  ///   - body: Calls the handler.
  /// - Returns: The inbox.
  func add(
    _ request: SharedObserveRequest,
    owner: AnyObject?,
    _ body: @escaping @Sendable (Change<Value>) -> Reception
  ) -> SharedInbox<Value> {
    let mailbox = request.actor.map { actor in
      mailboxes.member(of: actor) { Mailbox(actor, waiting: waiting) }
    }
    let inbox = SharedInbox(of: self, owner: owner, on: mailbox)
    let observer = GeneralObserver<SharedCall<Value>>(
      ObserveRequest(at: CallSite(request.fileID, request.line)),
      where: { inbox.admits($0) },
      owner: owner,
      id: request.id,
      inbox.registration,
      finishing: inbox,
      envelope: WaitingCall<Value>.self,
      .handler { inbox.call($0, body) }
    )
    add(observer, priority: 0)
    if let carrier = owner as? any LifetimeOwner {
      inbox.registration.join(carrier.lifetime.members)
    }
    if let owner, let id = request.id {
      // The latest registration remains, even if two threads register with one identifier at once.
      endAll { $0.order < observer.order && isOwned($0, by: owner, as: id) }
    }
    return inbox
  }

  /// Returns whether an observer belongs to an owner and, if an identifier is given, carries it.
  func isOwned(_ observer: AnyObserver, by owner: AnyObject, as id: AnyHashable? = nil) -> Bool {
    (observer as? GeneralObserver<SharedCall<Value>>)?.belongs(to: owner, as: id) ?? false
  }

  override func queueIsCrowded(
    _ count: Int,
    of actor: ActorIdentity?,
    registeredAt handler: CallSite
  ) {
    printError(
      "EventBus: \(count) changes of the shared property at \(site.fileID):\(site.line) wait for the actor"
        + " \(actor.map { "\($0)" } ?? "of a handler"), the newest of them for the handler registered at"
        + " \(SourceSite(handler)). The actor is blocked, or slower than the code that sets the property."
    )
  }

  override func registrationResumed() { isBarred.store(true, ordering: .relaxed) }

  /// Calls the observers for a round.
  ///
  /// - Parameters:
  ///   - round: The round.
  ///   - isolation: The actor on which the caller runs; its handlers are called at once.
  func deliver(_ round: SharedRound<Value>, _ isolation: (any Actor)?) {
    var delivery = delivery
    if let isolation {
      delivery.isolation = isolation
      // What waits for the actor comes first.
      if !waiting.isZero { mailboxes.member(of: isolation)?.drain() }
    }
    let call: SharedCall<Value> = round
    _ = deliverInOrder(call, delivery, from: nil, wildcards: nil, event: { call })
  }

  /// Warns, once, about observers of this property and of others that seem to trigger each other in an endless cycle.
  func warnOnce() {
    if hasWarned.exchange(true, ordering: .relaxed) { return }
    printError(
      "EventBus: the property at \(site.fileID):\(site.line) was set at the end of a chain of more than 100 changes, "
        + "each made by an observer of the one before. Check whether observers trigger each other in an endless cycle."
    )
  }

  // MARK: Calls outside any turn

  /// Returns whether a thread is calling a handler outside any turn.
  func isCalling(on thread: UInt) -> Bool {
    guard callerCount.load(ordering: .relaxed) > 0 else { return false }
    return callers.withLock { $0.contains(thread) }
  }

  /// Makes a call outside any turn.
  ///
  /// - Parameters:
  ///   - chain: The chain of the round.
  ///   - body: The call.
  /// - Returns: The result of the call.
  func calling<Result>(_ chain: SettingChain, _ body: () -> Result) -> Result {
    let thread = currentThreadID()
    callerCount.wrappingAdd(1, ordering: .relaxed)
    let isOutermost = callers.withLock { $0.insert(thread).inserted }
    defer {
      if isOutermost { _ = callers.withLock { $0.remove(thread) } }
      callerCount.wrappingSubtract(1, ordering: .relaxed)
    }
    return chain.calling(body)
  }
}

/// The round for which an observer of a shared property is called; `nil` for the next one that waits in the inbox
/// of the observer.
typealias SharedCall<Value: Sendable> = SharedRound<Value>?

/// A call that waits for an actor, without the change: the inbox of the observer has it, and releases it as
/// soon as the registration ends.
private final class WaitingCall<Value: Sendable>: WaitingEvent<SharedCall<Value>>,
  @unchecked Sendable  // Reason: constant.
{
  override class func enqueue(
    _ call: SharedCall<Value>,
    _ delivery: borrowing Delivery,
    for observer: AnyObserver,
    _ registration: ObserverRegistration,
    _ queued: QueuedDelivery?,
    in mailbox: Mailbox,
    _ chain: EventChain
  ) -> Int {
    super.enqueue(nil, delivery, for: observer, registration, queued, in: mailbox, chain)
  }
}
