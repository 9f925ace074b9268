/// An observer with conditions, an owner, and a sink for the events that meet the conditions.
///
/// The conditions are a sender, a predicate and a single call. The list checks the sender.
///
/// This class decides where and when the handler runs: ``receive(_:on:)`` for a post without conditions,
/// ``accept(_:_:isCounted:)`` for all others. A nonisolated handler runs on the poster's thread, during the post. One on an actor
/// runs during the post if the poster runs there and no earlier event waits, otherwise in a later turn of its mailbox.
/// An asynchronous one runs in the task of its queue. A stream is filled on the poster's thread. A predicate always
/// runs on the poster's thread. A replay has no isolation, so it queues calls on actors.
package final class GeneralObserver<Payload: Sendable>: Observer<Payload>,
  @unchecked Sendable  // Reason: constants.
{
  /// The destination of an event that meets the conditions.
  package enum Sink: Sendable {
    /// A synchronous handler: called by the poster, or on the actor of the observer's mailbox.
    ///
    /// The closure calls the handler, with its owner if there is one.
    case handler(@Sendable (Payload) throws -> Reception)
    /// An asynchronous handler, called by the task of its queue.
    case asyncHandler(AsyncCallQueue, AsyncCall)
    /// The buffer of a stream, which finishes as soon as the registration ends.
    case stream(StreamBuffer<Payload>, StreamBuffer<Payload>.Filling)
    /// A handler that receives the poster's actor and is called by the poster, whatever the actor.
    ///
    /// For the other libraries of the package, which may then call closures of that actor directly.
    case poster(@Sendable (Payload, (any Actor)?) -> Void)

    /// Calls an asynchronous handler from its actor, unless there is a refusal there: the registration may have
    /// ended during the hop.
    package typealias AsyncCall = @Sendable (Payload, _ refusal: Refusal) async throws -> Reception

    fileprivate var isStream: Bool { if case .stream = self { true } else { false } }

    /// The object that holds what waits for the handler.
    fileprivate var queue: (any Finishable)? {
      switch self {
      case .asyncHandler(let queue, _): queue
      case .stream(let buffer, _): buffer
      case .handler, .poster: nil
      }
    }
  }

  /// The gate that holds live events back during a replay.
  package let gate: ReplayGate?
  /// The filter; not optional, since binding an optional closure retains it.
  private let predicate: @Sendable (Payload) -> Bool
  private let hasPredicate: Bool
  private let hasOwner: Bool
  private let once: Bool
  /// Whether the posting thread calls the handler and loads its owner.
  private let isCalledOnPost: Bool
  /// Whether every event goes to the buffer of a stream.
  private let isPlainStream: Bool
  /// The address of the actor on which a poster calls the handler at once, without looking at conditions; an
  /// address that no actor has if there are conditions, or no such handler.
  private let directActor: UInt
  private let sink: Sink
  /// The synchronous handler, or the addition to a buffer: stored apart from the sink, since binding the
  /// closure of an enumeration retains it.
  private let handler: @Sendable (Payload) throws -> Reception
  private let ownRegistration: ObserverRegistration
  private let envelope: WaitingEvent<Payload>.Type
  private weak let owner: AnyObject?
  private let id: AnyHashable?

  /// Creates an observer.
  ///
  /// - Parameters:
  ///   - request: The parameters of the registration.
  ///   - predicate: The filter, which runs on the posting thread; the event is declined when it returns
  ///     `false`.
  ///   - owner: The owner, which is not retained.
  ///   - id: The owner's identifier for the registration, so that a later one with the same identifier
  ///     replaces it.
  ///   - registration: The registration, with the owner and the mailbox.
  ///   - gate: The gate that holds live events back during a replay.
  ///   - inbox: An object to finish as soon as the registration ends, if the sink has none.
  ///   - envelope: The class of waiting events, which the caller keeps: a lookup costs as much as an object.
  ///   - sink: The destination of the events.
  package init(
    _ request: ObserveRequest,
    where predicate: (@Sendable (Payload) -> Bool)? = nil,
    owner: AnyObject? = nil,
    id: AnyHashable? = nil,
    _ registration: ObserverRegistration,
    gate: ReplayGate? = nil,
    finishing inbox: (any Finishable)? = nil,
    envelope: WaitingEvent<Payload>.Type,
    _ sink: Sink
  ) {
    self.predicate = predicate ?? { _ in true }
    (hasPredicate, hasOwner, once) = (predicate != nil, owner != nil, request.once)
    (self.owner, self.id, self.envelope) = (owner, id, envelope)
    (ownRegistration, self.gate, self.sink) = (registration, gate, sink)
    let mailbox = registration.mailbox
    let isDirect = gate == nil && predicate == nil && !request.once
    isPlainStream = isDirect && sink.isStream
    var calledOn: Mailbox?
    switch sink {
    case .handler(let body):
      (handler, isCalledOnPost, calledOn) = (body, mailbox == nil, mailbox)
    case .stream(let buffer, let fill):
      (handler, isCalledOnPost) = ({ fill(buffer, $0, nil) ? .queued : .dropped }, false)
    case .asyncHandler: (handler, isCalledOnPost) = ({ _ in .declined }, false)
    case .poster: (handler, isCalledOnPost) = ({ _ in .declined }, true)
    }
    directActor = (isDirect ? calledOn?.address : nil) ?? .max
    super.init(at: request.site)
    registration.connect(self, countsCalls: true, queue: inbox ?? sink.queue)
  }

  @usableFromInline
  override package func receive(_ payload: Payload, on actor: UInt) throws -> Bool? {
    guard actor == directActor else {
      return isPlainStream ? try handler(payload).isReached : nil
    }
    guard ownRegistration.beginCall() else { return false }
    defer { ownRegistration.finish() }
    return try run(payload).isReached
  }

  override package func receive(_ payload: Payload, _ delivery: borrowing Delivery) throws
    -> Reception
  {
    if let gate {
      // Not announced as queued: the registration is about to take it, or to queue it.
      let (outcome, crowd) = gate.admit(delivery.number) {
        envelope.init(payload, delivery, for: order, ownRegistration)
      }
      if crowd > 0 { reportQueued(crowd, .none, at: delivery.site) }
      if let outcome { return outcome }
    }
    return try pass(payload, delivery)
  }

  /// Checks the conditions, and accepts an event that meets them.
  ///
  /// - Throws: The error of the handler, if it is called now.
  package func pass(_ payload: Payload, _ delivery: borrowing Delivery) throws -> Reception {
    // A handler on an actor loads its owner there, so the last reference is not released here.
    if isCalledOnPost, hasLostOwner {
      ownRegistration.lifetimeEnded()
      return .ownerLost
    }
    let isCall = isCalledOnPost || hasPredicate
    if isCall, !ownRegistration.beginCall() { return ownRegistration.refusalOfNewEvent }
    defer { if isCall { ownRegistration.finish() } }
    if hasPredicate {
      if !predicate(payload) { return .declined }
      // The predicate may have ended its own registration.
      if isCancelled { return ownRegistration.refusalOfNewEvent }
    }
    if once, claimsAtCall(delivery.record) ? ownRegistration.isSpent : !ownRegistration.claim() {
      return .spent
    }
    return try accept(payload, delivery, isCounted: isCall)
  }

  /// Whether the only call is claimed when it begins, since an interceptor may prevent it, and not as soon as
  /// an event has met the conditions.
  ///
  /// The two kinds of events meet only if the last interceptor is removed meanwhile. An event without one
  /// that a full buffer discards then holds the claim for a moment; an earlier event whose call begins in
  /// that moment is skipped as well.
  private func claimsAtCall(_ record: PostRecord?) -> Bool {
    record?.isIntercepted == true && !sink.isStream
  }

  /// Passes an event that has met the conditions to the sink.
  ///
  /// - Parameters:
  ///   - payload: The payload.
  ///   - delivery: The origin of the event.
  ///   - isCounted: Whether this counts as a call already.
  /// - Throws: The error of the handler, if it is called now.
  func accept(_ payload: Payload, _ delivery: borrowing Delivery, isCounted: Bool) throws
    -> Reception
  {
    switch sink {
    case .handler:
      guard let mailbox = ownRegistration.mailbox else { return try run(payload, delivery) }
      if mailbox.isHome(of: delivery.isolation), !mailbox.isBehind {
        if !isCounted, !ownRegistration.beginCall() { return ownRegistration.refusal }
        defer { if !isCounted { ownRegistration.finish() } }
        return try run(payload, delivery)
      }
      let queued = queuedDelivery(delivery)
      queued?.announce()
      let chain = RunningCall.eventChain
      let crowd = envelope.enqueue(
        payload,
        delivery,
        for: self,
        ownRegistration,
        queued,
        in: mailbox,
        chain
      )
      noteQueued(crowd, chain, at: delivery.site)
      return .queued
    case .asyncHandler(let queue, _):
      // A handler that posts to itself and waits would deadlock.
      let callers = delivery.record?.completion?.callers ?? []
      let queued = queuedDelivery(delivery)
      let chain = RunningCall.eventChain
      let event = envelope.init(
        payload,
        delivery,
        for: order,
        ownRegistration,
        queued,
        isAwaited: !callers.contains { $0.registration == ObjectIdentifier(ownRegistration) },
        chain
      )
      let (outcome, crowd) = queue.add(event, of: ObjectAddress.of(ownRegistration.list))
      noteQueued(crowd, chain, at: delivery.site)
      if outcome == .queued {
        queued?.announce()
      } else {
        event.settleElsewhere()
        if once, !claimsAtCall(delivery.record) { ownRegistration.returnClaim() }
      }
      return outcome
    case .stream:
      let queued = queuedDelivery(delivery)
      let outcome = try queued.map { add(payload, $0) } ?? handler(payload)
      if outcome == .queued { queued?.announce() }
      defer { endIfOnce() }
      return outcome == .dropped && isCancelled ? ownRegistration.refusal : outcome
    case .poster(let handler):
      let isolation = delivery.isolation
      func call() -> Reception {
        if isCancelled { return ownRegistration.refusal }
        endIfOnce()
        handler(payload, isolation)
        return .called
      }
      guard let record = delivery.followed else { return call() }
      let receiver = Receiver(self, on: isolation.map(ActorIdentity.init))
      return try record.call(receiver, unless: { refusal(of: record) }, call)
    }
  }

  /// Reports a queue that is long, or a chain of events that is, after an event was queued.
  @inline(__always)
  private func noteQueued(_ crowd: Int, _ chain: EventChain, at site: CallSite) {
    if crowd > 0 || chain.turns == EventChain.limit { reportQueued(crowd, chain, at: site) }
  }

  @inline(never)
  private func reportQueued(_ crowd: Int, _ chain: EventChain, at site: CallSite) {
    let list = ownRegistration.list
    if crowd > 0 {
      list.queueIsCrowded(crowd, of: ownRegistration.mailbox?.identity, registeredAt: self.site)
    }
    if chain.isFirstTooLong { list.chainIsLong(at: site) }
  }

  /// Adds a followed event to the buffer of a stream.
  private func add(_ payload: Payload, _ queued: QueuedDelivery) -> Reception {
    guard case .stream(let buffer, let fill) = sink else { return .declined }
    return fill(buffer, payload, queued) ? .queued : .dropped
  }

  /// The delivery of an event that is about to wait, if hooks follow its post.
  private func queuedDelivery(_ delivery: borrowing Delivery) -> QueuedDelivery? {
    guard let record = delivery.followed else { return nil }
    return QueuedDelivery(record, for: Receiver(self, on: ownRegistration.mailbox?.identity))
  }

  /// Calls the synchronous handler during a post.
  ///
  /// - Throws: The error of the handler.
  private func run(_ payload: Payload, _ delivery: borrowing Delivery) throws -> Reception {
    guard let record = delivery.followed else { return try run(payload) }
    let actor = ownRegistration.mailbox?.identity ?? delivery.isolation.map(ActorIdentity.init)
    return try run(payload, record, Receiver(self, on: actor))
  }

  /// Calls the synchronous handler for an event that has waited.
  ///
  /// - Throws: The error of the handler.
  package func run(_ payload: Payload, _ queued: QueuedDelivery?) throws -> Reception {
    guard let queued else { return try run(payload) }
    return try run(payload, queued.record, queued.receiver)
  }

  private func run(_ payload: Payload, _ record: PostRecord, _ receiver: Receiver) throws
    -> Reception
  {
    // Looked up where the handler runs, so that no beginning is reported without a call.
    if hasLostOwner {
      ownRegistration.lifetimeEnded()
      return .ownerLost
    }
    return try record.call(receiver, unless: { refusal(of: record) }) { try run(payload) }
  }

  /// Calls the synchronous handler, on its actor if it has one.
  ///
  /// - Returns: The outcome; a refusal if the registration has ended, possibly by a hook that surrounds the
  ///   call.
  /// - Throws: The error of the handler.
  @inline(__always)  // Each post at home would pay for the calls.
  private func run(_ payload: Payload) throws -> Reception {
    if isCancelled { return ownRegistration.refusal }
    endIfOnce()
    let reception = try handler(payload)
    if reception == .ownerLost { ownRegistration.lifetimeEnded() }
    return reception
  }

  /// Calls the asynchronous handler and waits for it.
  ///
  /// - Throws: The error of the handler.
  func runAsync(_ payload: Payload, _ queued: QueuedDelivery?) async throws -> Reception {
    guard case .asyncHandler(_, let body) = sink else { return .declined }
    guard let queued else { return try await runAsync(payload, body) { nil } }
    let record = queued.record
    return try await record.callAsync(queued.receiver, unless: { self.refusal(of: record) }) {
      refusal in
      try await runAsync(payload, body, unless: refusal)
    }
  }

  private func runAsync(
    _ payload: Payload,
    _ body: Sink.AsyncCall,
    unless refusal: @escaping Refusal
  ) async throws -> Reception {
    let outcome = try await body(payload) {
      if let reason = refusal() ?? (isCancelled ? ownRegistration.refusal : nil) { return reason }
      endIfOnce()
      return nil
    }
    if outcome == .ownerLost { ownRegistration.lifetimeEnded() }
    return outcome
  }

  /// Claims the only call, if an intercepted event has still to claim it.
  ///
  /// - Returns: The reason for not making the call: the registration has ended, or another event has claimed
  ///   the call.
  private func refusal(of record: PostRecord) -> Reception? {
    if isCancelled { return ownRegistration.refusal }
    return once && claimsAtCall(record) && !ownRegistration.claim() ? .spent : nil
  }

  /// Ends a single-call registration, just before the call.
  @inline(__always)
  private func endIfOnce() {
    if once { ownRegistration.endWithCall() }
  }

  override var hasLostOwner: Bool { hasOwner && owner == nil }
  override var baseRegistration: Registration? { ownRegistration }

  /// Returns whether the registration belongs to an object and, if an identifier is given, carries it.
  ///
  /// Loads no other object: an object at another address is not the owner.
  func belongs(to object: AnyObject, as id: AnyHashable?) -> Bool {
    if let id, self.id != id { return false }
    return ownRegistration.isOwned(by: object) && owner === object
  }
}
