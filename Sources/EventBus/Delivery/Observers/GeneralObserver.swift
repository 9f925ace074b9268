internal import Synchronization

/// An observer with conditions, an owner, and a sink for the events that meet the conditions.
///
/// The conditions are a sender, a predicate and a single call. The list checks the sender.
package final class GeneralObserver<Payload: Sendable>: Observer<Payload>,
  @unchecked Sendable  // Reason: constants and atomics.
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
  }

  /// The gate that holds live events back during a replay.
  package let gate: ReplayGate?
  /// The filter; not optional, since binding an optional closure retains it.
  private let predicate: @Sendable (Payload) -> Bool
  private let hasPredicate: Bool
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
  private let registration: ObserverRegistration
  /// The mailbox of the actor on which the handler runs.
  private let mailbox: Mailbox?
  private let envelope: WaitingEvent<Payload>.Type
  private weak let owner: AnyObject?
  private let ownerID: ObjectIdentifier?
  private let ownerClass: AnyObject.Type?
  private let id: AnyHashable?
  private let isClaimed = Atomic<Bool>(false)
  /// The address of the sender group, which the list retains while this observer is linked.
  private let group = Atomic<UInt>(0)
  private let place = Atomic<UInt32>(0)

  /// Creates an observer.
  ///
  /// - Parameters:
  ///   - request: The parameters of the registration.
  ///   - predicate: The filter, which runs on the posting thread; the event is declined when it returns
  ///     `false`.
  ///   - owner: The owner, which is not retained.
  ///   - id: The owner's identifier for the registration, so that a later one with the same identifier
  ///     replaces it.
  ///   - link: The link that ends the registration.
  ///   - gate: The gate that holds live events back during a replay.
  ///   - mailbox: The mailbox of the actor on which the handler runs.
  ///   - envelope: The class of waiting events, which the caller keeps: a lookup costs as much as an object.
  ///   - sink: The destination of the events.
  package init(
    _ request: ObserveRequest,
    where predicate: (@Sendable (Payload) -> Bool)? = nil,
    owner: AnyObject? = nil,
    id: AnyHashable? = nil,
    link: ObserverRegistration,
    gate: ReplayGate? = nil,
    mailbox: Mailbox? = nil,
    envelope: WaitingEvent<Payload>.Type,
    _ sink: Sink
  ) {
    self.predicate = predicate ?? { _ in true }
    (hasPredicate, once) = (predicate != nil, request.once)
    (self.owner, self.id, self.envelope) = (owner, id, envelope)
    ownerID = owner.map(ObjectIdentifier.init)
    ownerClass = owner.map { type(of: $0) }
    (registration, self.gate, self.mailbox, self.sink) = (link, gate, mailbox, sink)
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
  }

  @usableFromInline
  override package func receive(_ payload: Payload, on actor: UInt) throws -> Int? {
    guard actor == directActor else {
      return isPlainStream ? try handler(payload).reached : nil
    }
    registration.beginCallOnActor()
    defer { registration.finishCallOnActor() }
    return try run(payload).reached
  }

  override package func receive(_ payload: Payload, _ delivery: borrowing Delivery) throws
    -> Reception
  {
    if let gate {
      // Not announced as queued: the registration is about to take it, or to queue it.
      let outcome = gate.admit(delivery.number) {
        envelope.init(payload, delivery, for: order, registration)
      }
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
      registration.endWithOwner()
      return .ownerLost
    }
    let isCall = isCalledOnPost || hasPredicate
    if isCall, !registration.beginCall() { return isSpent ? .spent : registration.refusal }
    defer { if isCall { registration.finish() } }
    if hasPredicate {
      if !predicate(payload) { return .declined }
      // The predicate may have ended its own registration.
      if isCancelled { return isSpent ? .spent : registration.refusal }
    }
    if once, claimsAtCall(delivery.record) ? isSpent : !claim() { return .spent }
    return try accept(payload, delivery)
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

  /// Claims the only call.
  ///
  /// - Returns: `true` to the one caller that may make it.
  private func claim() -> Bool { !isClaimed.exchange(true, ordering: .acquiringAndReleasing) }

  /// Passes an event that has met the conditions to the sink.
  ///
  /// - Throws: The error of the handler, if it is called now.
  package func accept(_ payload: Payload, _ delivery: borrowing Delivery) throws -> Reception {
    switch sink {
    case .handler:
      guard let mailbox else { return try run(payload, delivery) }
      if mailbox.isHome(of: delivery.isolation), !mailbox.isBehind {
        if isCancelled { return registration.refusal }
        registration.beginCallOnActor()
        defer { registration.finishCallOnActor() }
        return try run(payload, delivery)
      }
      let queued = queuedDelivery(delivery)
      queued?.announce()
      envelope.enqueue(payload, delivery, for: self, registration, queued, in: mailbox)
      return .queued
    case .asyncHandler(let queue, _):
      // A handler that posts to itself and waits would deadlock.
      let callers = delivery.record?.completion?.callers ?? []
      let queued = queuedDelivery(delivery)
      let event = envelope.init(
        payload,
        delivery,
        for: order,
        registration,
        queued,
        isAwaited: !callers.contains { $0.registration == ObjectIdentifier(registration) }
      )
      let outcome = queue.add(event)
      if outcome == .queued {
        queued?.announce()
      } else {
        event.settleElsewhere()
        // The claim of a discarded event would keep waiting ones from being called.
        if once, !claimsAtCall(delivery.record) { isClaimed.store(false, ordering: .releasing) }
      }
      return outcome
    case .stream:
      let queued = queuedDelivery(delivery)
      let outcome = try queued.map { add(payload, $0) } ?? handler(payload)
      if outcome == .queued { queued?.announce() }
      defer { endIfOnce() }
      return outcome == .dropped && isCancelled ? registration.refusal : outcome
    case .poster(let handler):
      let isolation = delivery.isolation
      func call() -> Reception {
        if isCancelled { return registration.refusal }
        endIfOnce()
        handler(payload, isolation)
        return .called
      }
      guard let record = delivery.followed else { return call() }
      let receiver = Receiver(self, on: isolation.map(ActorIdentity.init))
      return try record.call(receiver, unless: { refusal(of: record) }, call)
    }
  }

  /// Adds a followed event to the buffer of a stream.
  private func add(_ payload: Payload, _ queued: QueuedDelivery) -> Reception {
    guard case .stream(let buffer, let fill) = sink else { return .declined }
    return fill(buffer, payload, queued) ? .queued : .dropped
  }

  /// The delivery of an event that is about to wait, if hooks follow its post.
  private func queuedDelivery(_ delivery: borrowing Delivery) -> QueuedDelivery? {
    guard let record = delivery.followed else { return nil }
    return QueuedDelivery(record, for: Receiver(self, on: mailbox?.identity))
  }

  /// Calls the synchronous handler during a post.
  ///
  /// - Throws: The error of the handler.
  private func run(_ payload: Payload, _ delivery: borrowing Delivery) throws -> Reception {
    guard let record = delivery.followed else { return try run(payload) }
    let actor = mailbox?.identity ?? delivery.isolation.map(ActorIdentity.init)
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
      registration.endWithOwner()
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
    // After a call on the actor was counted: a fence waits for the call, or the call is not made.
    if isCancelledInOrder { return registration.refusal }
    endIfOnce()
    let reception = try handler(payload)
    if reception == .ownerLost { registration.endWithOwner() }
    return reception
  }

  /// Calls the asynchronous handler and waits for it.
  ///
  /// - Throws: The error of the handler.
  package func runAsync(_ payload: Payload, _ queued: QueuedDelivery?) async throws -> Reception {
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
      if let reason = refusal() ?? (isCancelled ? registration.refusal : nil) { return reason }
      endIfOnce()
      return nil
    }
    if outcome == .ownerLost { registration.endWithOwner() }
    return outcome
  }

  /// Claims the only call, if an intercepted event has still to claim it.
  ///
  /// - Returns: The reason for not making the call: the registration has ended, or another event has claimed
  ///   the call.
  private func refusal(of record: PostRecord) -> Reception? {
    if isCancelled { return registration.refusal }
    return once && claimsAtCall(record) && !claim() ? .spent : nil
  }

  /// Ends a single-call registration, just before the call.
  @inline(__always)
  private func endIfOnce() {
    if once { registration.endWithCall() }
  }

  override package var senderGroup: SenderGroup? {
    ObjectAddress.object(group.load(ordering: .acquiring), as: SenderGroup.self)
  }

  override package func join(_ group: SenderGroup) {
    self.group.store(ObjectAddress.of(group), ordering: .releasing)
  }

  override package var hasOwner: Bool { ownerID != nil }
  override package var hasLostOwner: Bool { hasOwner && owner == nil }
  override package var ownerType: String? { ownerClass.map { "\($0)" } }

  /// Loads no other object: an object at another address is not the owner.
  override package func belongs(to object: AnyObject, as id: AnyHashable?) -> Bool {
    if let id, self.id != id { return false }
    return ownerID == ObjectIdentifier(object) && owner === object
  }

  override package var home: Mailbox? {
    // The `deinit` of an actor needs no particular thread; loading such owners anywhere saves a turn per
    // actor.
    guard let mailbox, let ownerID, mailbox.serves(ownerID) else { return mailbox }
    return group.load(ordering: .relaxed) == 0 ? nil : mailbox
  }

  override package var watchedPosition: Int {
    get { Int(place.load(ordering: .relaxed)) }
    set { place.store(UInt32(newValue), ordering: .relaxed) }
  }

  override package var link: ObserverRegistration? { registration }
  override package var isSpent: Bool { isClaimed.load(ordering: .acquiring) }
  override package var countsCalls: Bool { true }
  override package var isStream: Bool { sink.isStream }
  override package var callingMailbox: Mailbox? { if case .handler = sink { mailbox } else { nil } }

  override package var dependent: (any Finishable)? {
    switch sink {
    case .asyncHandler(let queue, _): queue
    case .stream(let buffer, _): buffer
    case .handler, .poster: nil
    }
  }

  override package var waitingCount: Int {
    switch sink {
    case .asyncHandler(let queue, _): queue.waitingCount
    case .stream(let buffer, _): buffer.waitingCount
    case .handler: registration.waitingInMailbox
    case .poster: 0
    }
  }

  override package var droppedCount: UInt {
    switch sink {
    case .asyncHandler(let queue, _): queue.droppedCount
    case .stream(let buffer, _): UInt(buffer.dropped)
    case .handler, .poster: 0
    }
  }
}
