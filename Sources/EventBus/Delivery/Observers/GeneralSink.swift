internal import Synchronization

/// A sink with conditions, an owner, an actor or only one call; the subclasses say how the handler is called, or where
/// events wait.
///
/// Every event takes the same path: gate → predicate → claim of the only call → ``accept(_:_:isCounted:)`` → here, or in
/// a turn of the actor's mailbox, ``perform(_:_:)`` → ``call(_:)``.
///
/// A nonisolated handler runs on the posting thread, during the post. One on an actor runs during the post if the
/// caller runs there and no earlier event waits, otherwise in a later turn of its mailbox. A predicate always runs on
/// the posting thread. A replay has no isolation, so it queues calls on actors.
package class GeneralSink<Payload: Sendable>: Sink<Payload>,
  @unchecked Sendable  // Reason: constants.
{
  /// The conditions that an event must meet to reach the handler; `nil` if there are none.
  package final let conditions: Conditions<Payload>?
  private final let ownMailbox: Mailbox?
  /// The events that wait for the actor; created for the first one, with the payload type of this sink.
  ///
  /// Without that type: it would be looked up at each use.
  private final let waitingEvents = LazyReference<WaitingEvents>()
  /// The owner, loaded only where the handler runs.
  package weak let owner: AnyObject?
  private final let classOfOwner: AnyClass?
  /// True if the actor of the mailbox is the owner.
  private final let isOwnedByActor: Bool
  /// Whether the registration ends with its first call.
  package final let once: Bool
  /// True if each look at an event is counted as a call, even if it declines the event.
  private final let countsLooks: Bool
  /// True if an event may be declined.
  private final let isConditional: Bool

  /// Creates a sink.
  ///
  /// - Parameters:
  ///   - registration: The registration.
  ///   - request: The parameters of the registration.
  ///   - conditions: The conditions that an event must meet.
  ///   - owner: The owner, which is not retained.
  ///   - mailbox: The mailbox of the actor on which the handler runs.
  ///   - declines: Whether ``accept(_:_:isCounted:)`` declines some events.
  init(
    _ registration: ObserverRegistration,
    _ request: ObserveRequest,
    _ conditions: Conditions<Payload>?,
    owner: AnyObject? = nil,
    on mailbox: Mailbox? = nil,
    declines: Bool = false
  ) {
    (self.conditions, self.owner, ownMailbox) = (conditions, owner, mailbox)
    once = request.once
    countsLooks = declines || conditions?.hasPredicate ?? false
    isConditional = declines || once || conditions != nil
    classOfOwner = owner.map { type(of: $0) }
    isOwnedByActor = owner.map { mailbox?.serves(ObjectIdentifier($0)) ?? false } ?? false
    super.init(registration, priority: request.priority)
    if !areCallsCounted { registration.countsNoCalls() }
  }

  // MARK: What differs between kinds

  /// Calls the handler, on its actor if it has one.
  func call(_ payload: Payload) throws -> Reception { .declined }

  /// True if the posting code calls the handler and loads its owner.
  var isCalledByPoster: Bool { ownMailbox == nil }

  /// True if an interceptor may prevent the call.
  var isIntercepted: Bool { true }

  /// The payload that waits for the actor, where ``call(_:)`` receives it.
  func kept(_ payload: Payload) -> Payload { payload }

  /// Passes an event that has met the conditions on: to the handler, or to a queue.
  ///
  /// - Parameters:
  ///   - payload: The payload.
  ///   - post: The origin of the event.
  ///   - isCounted: Whether this counts as a call already.
  /// - Returns: The outcome.
  @inline(__always)
  package func accept(_ payload: Payload, _ post: Post, isCounted: Bool) -> Reception {
    let isBound = ownMailbox != nil
    if isBound, !isAtHome(post) { return leaveInMailbox(payload, post) }
    let counts = isBound && !isCounted
    if counts, !registration.beginCall() { return registration.refusal }
    let outcome = perform(payload, post)
    if counts { registration.finish() }
    return outcome
  }

  /// Returns whether the caller runs on the handler's actor, and no earlier event is left waiting for it.
  @inline(__always)
  private final func isAtHome(_ post: Post) -> Bool {
    // Borrowed: binding the mailbox would retain it.
    ObjectAddress.borrow(ObjectAddress.of(ownMailbox)) { (mailbox: Mailbox) in
      mailbox.address == post.actorAddress && !mailbox.isBehind
    } ?? true
  }

  // MARK: The way of an event

  override package func receive(_ payload: Payload, _ post: Post) -> Reception {
    take(payload, post)
  }

  /// Receives an event: the whole path.
  ///
  /// The final classes of the usual handlers repeat ``receive(_:_:)``, so that the compiler knows all functions on
  /// that path, and the post makes one virtual call instead of three.
  @inline(__always)
  final func take(_ payload: Payload, _ post: Post) -> Reception {
    guard isConditional else { return accept(payload, post, isCounted: false) }
    if let gate = conditions?.gate {
      // Not announced as queued: the registration is about to take it, or to queue it.
      let (outcome, crowd) = gate.admit(post.number) {
        QueuedEvent(payload: payload, origin: EventOrigin(post, delivery(of: post)))
      }
      if crowd > 0 { reportQueued(crowd, .none, at: post.site) }
      if let outcome { return outcome }
    }
    return pass(payload, post)
  }

  /// Checks the conditions, and accepts an event that meets them.
  package final func pass(_ payload: Payload, _ post: Post) -> Reception {
    guard isConditional else { return accept(payload, post, isCounted: false) }
    let isCalledByPoster = isCalledByPoster
    if isCalledByPoster, hasLostOwner {
      registration.endWithOwner()
      return .ownerLost
    }
    let isCall = isCalledByPoster || countsLooks
    if isCall, !registration.beginCall() { return registration.refusal }
    defer { if isCall { registration.finish() } }
    if let conditions, conditions.hasPredicate {
      if !conditions.predicate(payload) { return .declined }
      // The predicate may have ended its own registration.
      if !registration.isActive { return registration.refusal }
    }
    if once {
      let isTaken =
        claimsAtCall(post.record) ? registration.isClaimed : !registration.claimOnlyCall()
      if isTaken { return .spent }
    }
    return accept(payload, post, isCounted: isCall)
  }

  /// Makes the call, on the handler's actor if it has one.
  @inline(__always)  // Each post at home would pay for the call.
  package final func perform(_ payload: Payload, _ post: Post) -> Reception {
    let outcome = calling(payload, post) {
      endIfOnce()
      return try call(payload)
    }
    if outcome == .ownerLost { registration.endWithOwner() }
    return outcome
  }

  /// Ends a single-call registration, just before the call.
  @inline(__always)
  final func endIfOnce() {
    if once { registration.endWithCall() }
  }

  @inline(never)
  private final func leaveInMailbox(_ payload: Payload, _ post: Post) -> Reception {
    guard let mailbox = ownMailbox else { return .declined }
    let (payload, delivery) = (kept(payload), delivery(of: post))
    delivery?.announce()
    let origin = EventOrigin(post, delivery, RunningCall.eventChain)
    let events = waitingEvents.object ?? makeWaitingEvents()
    let crowd = mailbox.post(to: events) {
      ObjectAddress.borrow(ObjectAddress.of(events)) { (events: HandlerEvents<Payload>) in
        events.append(payload, origin)
      } ?? ()
    }
    noteQueued(crowd, origin.chain, at: post.site)
    return .queued
  }

  @inline(never)
  private final func makeWaitingEvents() -> WaitingEvents {
    waitingEvents.object { HandlerEvents<Payload>(for: registration) }
  }

  /// Returns what reports on an event that is about to wait; `nil` if neither hooks nor a waiting caller follow it.
  @inline(__always)
  final func delivery(of post: Post, _ kind: QueuedDelivery.Kind = .call) -> QueuedDelivery? {
    post.record.map { delivery(in: $0, kind) }
  }

  @inline(never)
  final func delivery(in record: PostRecord, _ kind: QueuedDelivery.Kind) -> QueuedDelivery {
    QueuedDelivery(record, for: registration, Receiver(self, on: ownMailbox?.identity), kind)
  }

  /// Reports a queue that is long, or a chain of events that is, after an event was queued.
  @inline(__always)
  final func noteQueued(_ crowd: Int, _ chain: EventChain, at site: CallSite) {
    if crowd > 0 || chain.turns == EventChain.limit { reportQueued(crowd, chain, at: site) }
  }

  @inline(never)
  private final func reportQueued(_ crowd: Int, _ chain: EventChain, at site: CallSite) {
    let list = registration.list
    if crowd > 0 {
      list.queueIsCrowded(crowd, of: ownMailbox?.identity, registeredAt: registration.site)
    }
    if chain.isFirstTooLong { list.chainIsLong(at: site) }
  }

  // MARK: Conditions

  /// True if each call, and each look at a condition, is counted.
  ///
  /// A call that nothing can decline, and without an actor, is not: its fence is the reclamation, as for a plain handler.
  private final var areCallsCounted: Bool { isConditional || !isCalledByPoster }

  /// Whether the only call is claimed when it begins, since an interceptor may prevent it, and not as soon as
  /// an event has met the conditions.
  ///
  /// The two kinds of events meet only if the last interceptor is removed meanwhile. An event without one
  /// that a full buffer discards then holds the claim for a moment; an earlier event whose call begins in
  /// that moment is skipped as well.
  final func claimsAtCall(_ record: PostRecord?) -> Bool {
    record?.isIntercepted == true && isIntercepted
  }

  override final func refusal(of record: PostRecord) -> Reception? {
    if !registration.isActive { return registration.refusal }
    guard once, claimsAtCall(record) else { return nil }
    return registration.claimOnlyCall() ? nil : .spent
  }

  // MARK: What the list asks

  override final var mailbox: Mailbox? { ownMailbox }

  override final var home: Mailbox? {
    // The `deinit` of an actor needs no particular thread; loading such owners anywhere saves a turn per
    // actor.
    isOwnedByActor && group == nil ? nil : ownMailbox
  }

  override final var ownerClass: AnyClass? { classOfOwner }

  override final var hasLostOwner: Bool { classOfOwner != nil && owner == nil }

  override final var isSurelyOfUse: Bool {
    home == nil && group == nil && (classOfOwner == nil || owner != nil)
  }

  override final var group: SenderGroup? { conditions?.group }

  override final func enter(_ group: SenderGroup) {
    assert(conditions != nil, "a sender is a condition")
    conditions?.group = group
  }

  override final var isCalledLater: Bool { !isCalledByPoster }

  override package var content: QueueContent? {
    guard let ownMailbox else { return nil }
    return QueueContent(
      waitingCount: waitingEvents.object.map { ownMailbox.waitingCount(of: $0) } ?? 0
    )
  }

  override package func takeWaiting() -> Discarded? {
    guard let ownMailbox, let events = waitingEvents.object else { return nil }
    return ownMailbox.remove(events)
  }
}

/// The conditions that an event must meet to reach a handler: a sender, a predicate, the end of a replay.
///
/// Most sinks have none. The list checks the sender.
package final class Conditions<Payload: Sendable>:
  @unchecked Sendable  // Reason: constants, and a group that is set before publication.
{
  /// The observers of the only sender.
  fileprivate(set) var group: SenderGroup?
  /// The filter; not optional, since binding an optional closure retains it.
  fileprivate let predicate: @Sendable (Payload) -> Bool
  fileprivate let hasPredicate: Bool
  /// The gate that holds live events back during a replay.
  package let gate: ReplayGate?

  /// Creates conditions, of which there must be at least one; the sender is set later.
  ///
  /// - Parameters:
  ///   - predicate: The filter, which runs on the posting thread; the event is declined when it returns `false`.
  ///   - isReplaying: Whether the observer receives recorded events first.
  required package init(where predicate: (@Sendable (Payload) -> Bool)?, isReplaying: Bool) {
    self.predicate = predicate ?? { _ in true }
    hasPredicate = predicate != nil
    gate = isReplaying ? ReplayGate() : nil
  }
}

/// A closure, with conditions, an owner, an actor or only one call.
///
/// It does not know the type of the owner, so that there is one class for each payload, which ``SignalCore`` stores.
package final class HandlerSink<Payload: Sendable>: GeneralSink<Payload>,
  @unchecked Sendable  // Reason: constant.
{
  private let handler: @Sendable (AnyObject, Payload) throws -> Void

  /// Creates a sink.
  ///
  /// - Parameters:
  ///   - registration: The registration.
  ///   - request: The parameters of the registration.
  ///   - conditions: The conditions that an event must meet.
  ///   - owner: The owner, which is not retained.
  ///   - mailbox: The mailbox of the actor on which the handler runs.
  ///   - handler: The closure. It receives the owner, or, without one, an object that it ignores.
  package required init(
    _ registration: ObserverRegistration,
    _ request: ObserveRequest,
    _ conditions: Conditions<Payload>?,
    owner: AnyObject? = nil,
    on mailbox: Mailbox?,
    _ handler: @escaping @Sendable (AnyObject, Payload) throws -> Void
  ) {
    self.handler = handler
    super.init(registration, request, conditions, owner: owner, on: mailbox)
  }

  override package func receive(_ payload: Payload, _ post: Post) -> Reception {
    take(payload, post)
  }

  override func call(_ payload: Payload) throws -> Reception {
    guard let owner = ownerClass == nil ? registration : owner else { return .ownerLost }
    try handler(owner, payload)
    return .called
  }
}

/// A handler that receives the caller's actor and is called by the posting code, whatever the
/// actor.
///
/// For the other libraries of the package, which may then call closures of that actor directly.
final class PosterSink<Payload: Sendable>: GeneralSink<Payload>,
  @unchecked Sendable  // Reason: constant.
{
  private let handler: @Sendable (Payload, (any Actor)?) -> Void

  init(
    _ registration: ObserverRegistration,
    _ request: ObserveRequest,
    _ handler: @escaping @Sendable (Payload, (any Actor)?) -> Void
  ) {
    self.handler = handler
    super.init(registration, request, nil)
  }

  override func accept(_ payload: Payload, _ post: Post, isCounted: Bool) -> Reception {
    let isolation = post.isolation
    return calling(payload, post) {
      endIfOnce()
      handler(payload, isolation)
      return .called
    }
  }
}
