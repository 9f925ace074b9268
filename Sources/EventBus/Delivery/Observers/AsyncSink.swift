/// An asynchronous handler, with the events that wait for it: one call at a time, first in, first out, by a task that
/// runs while events wait.
///
/// The task retains the sink only during a call, so cancelling frees an idle handler at once.
final class AsyncSink<Payload: Sendable>: GeneralSink<Payload>,
  @unchecked Sendable  // Reason: locked.
{
  /// Calls an asynchronous handler from its actor, unless there is a refusal there: the registration may have
  /// ended during the hop.
  typealias Call = @Sendable (Payload, _ refusal: Refusal) async throws -> Reception

  private struct State: ~Copyable {
    var lane: Lane<QueuedEvent<Payload>>
    var isClosed = false
    var dropped = 0
    var alarm = CrowdAlarm()
  }

  private let state: Locked<State>
  private let handler: Call

  /// Creates a sink without waiting events.
  ///
  /// - Parameters:
  ///   - registration: The registration.
  ///   - request: The parameters of the registration.
  ///   - conditions: The conditions that an event must meet.
  ///   - owner: The owner, which is not retained.
  ///   - mailbox: The mailbox of the actor on which the handler runs.
  ///   - limit: The number of events that wait at most.
  ///   - handler: Calls the handler.
  init(
    _ registration: ObserverRegistration,
    _ request: ObserveRequest,
    _ conditions: Conditions<Payload>?,
    owner: AnyObject?,
    on mailbox: Mailbox?,
    _ limit: BufferLimit,
    _ handler: @escaping Call
  ) {
    state = Locked(State(lane: Lane(limit)))
    self.handler = handler
    super.init(registration, request, conditions, owner: owner, on: mailbox)
  }

  override var isCalledByPoster: Bool { false }

  override var content: QueueContent? {
    state.withLock { state in
      QueueContent(waitingCount: state.lane.waiting.count, droppedCount: state.dropped)
    }
  }

  override func accept(_ payload: Payload, _ post: Post, isCounted: Bool) -> Reception {
    // A handler that posts to itself and waits would deadlock.
    let callers = post.record?.completion?.callers ?? []
    let isOwn = callers.contains { $0.registration == ObjectIdentifier(registration) }
    let delivery = delivery(of: post, isOwn ? .ownCall : .call)
    let origin = EventOrigin(post, delivery, RunningCall.eventChain)
    let (outcome, crowd) = add(QueuedEvent(payload: payload, origin: origin))
    noteQueued(crowd, origin.chain, at: post.site)
    if outcome == .queued {
      delivery?.announce()
    } else {
      delivery?.settleElsewhere()
      if once, !claimsAtCall(post.record) { registration.returnClaim() }
    }
    return outcome
  }

  /// Adds an event, and starts the calling task if there is none.
  ///
  /// - Returns: `queued`, or the reason for which this very event was discarded; and the number of events that wait,
  ///   if it is to be reported, otherwise zero.
  private func add(_ event: QueuedEvent<Payload>) -> (Reception, crowd: Int) {
    typealias Addition = (
      discarded: QueuedEvent<Payload>?, isOwn: Bool, mustStart: Bool, crowd: Int
    )
    let list = registration.list
    let addition = state.withLock { state -> Addition? in
      if state.isClosed { return nil }
      let discarded = state.lane.waiting.append(event)
      if discarded != nil { state.dropped += 1 }
      let isOwn = discarded != nil && state.lane.waiting.keepsOldest
      let count = state.lane.waiting.count
      let crowd = state.alarm.isDue(count) ? count : 0
      return (discarded, isOwn, state.lane.requestTurn(for: list), crowd)
    }
    guard let addition else { return (registration.refusal, 0) }
    if addition.mustStart {
      Task.detached { [registration] in
        while await Self.callNext(of: registration) {}
        registration.list.counts.endTurn()
      }
    }
    return (addition.isOwn ? .dropped : .queued, addition.crowd)
  }

  /// Makes the next call in a separate frame, which does not retain the sink any longer.
  ///
  /// - Returns: `false` if no event waits, or the registration has ended.
  private static func callNext(of registration: ObserverRegistration) async -> Bool {
    guard let event = registration.sink(as: Self.self)?.next() else { return false }
    let delivery = event.origin.delivery
    await delivery?.waitUntilAnnounced()
    let outcome = await call(event, registration)
    if outcome != nil { registration.finish() }
    delivery?.settle(outcome ?? registration.refusal)
    return true
  }

  /// Makes a call in a separate frame, so that the sink is released before the call counts as
  /// finished.
  ///
  /// - Returns: The outcome; `nil` when the registration had ended.
  private static func call(
    _ event: QueuedEvent<Payload>,
    _ registration: ObserverRegistration
  ) async -> Reception? {
    guard registration.beginCall() else { return nil }
    guard let sink = registration.sink(as: Self.self) else {
      registration.finish()
      return nil
    }
    var outcome = Reception.failed
    let origin = event.origin
    let callers = origin.delivery?.counter?.callers ?? []
    let counts = registration.list.counts
    await RunningCall.run(registration, in: counts, callers: callers, origin.chain.next) {
      do {
        outcome = try await sink.call(event)
      } catch {
        registration.list.handlerFailed(error, in: sink, payload: event.payload, origin.post)
      }
    }
    return outcome
  }

  private func next() -> QueuedEvent<Payload>? {
    state.withLock { state in
      let next = state.lane.waiting.popFirst()
      if next == nil { _ = state.lane.endTurn() }
      return next
    }
  }

  /// Calls the handler and waits for it.
  ///
  /// - Throws: The error of the handler.
  private func call(_ event: QueuedEvent<Payload>) async throws -> Reception {
    guard let delivery = event.origin.delivery else { return try await call(event.payload) { nil } }
    let record = delivery.record
    return try await record.callAsync(delivery.receiver, unless: { self.refusal(of: record) }) {
      refusal in
      try await call(event.payload, unless: refusal)
    }
  }

  private func call(_ payload: Payload, unless refusal: @escaping Refusal) async throws
    -> Reception
  {
    let outcome = try await handler(payload) {
      if let reason = refusal() { return reason }
      if !registration.isActive { return registration.refusal }
      endIfOnce()
      return nil
    }
    if outcome == .ownerLost { registration.endWithOwner() }
    return outcome
  }

  override func takeWaiting() -> Discarded? {
    let waiting = state.withLock { state in
      state.isClosed = true
      return state.lane.waiting.removeAll()
    }
    return waiting.isEmpty ? nil : Discarded(waiting)
  }
}
