/// The queue of events to be delivered in a later turn of one isolation.
///
/// Only the scheduled turn retains the actor. The actor is therefore not destroyed while events wait.
final class EventQueue: Sendable {
  /// What waits for the next turn.
  struct State: Sendable {
    fileprivate var lane = Lane<EnqueuedEvent>()
    var alarm = CrowdAlarm()

    var waiting: BoundedQueue<EnqueuedEvent> {
      get { lane.waiting }
      _modify { yield &lane.waiting }
    }
  }

  private let state = Locked(State())
  private let actor: WeakActor?
  private let counts: WaitingCount

  init(_ isolation: (any Actor)?, _ counts: WaitingCount) {
    actor = isolation.map(WeakActor.init)
    self.counts = counts
  }

  /// The labels of the waiting events.
  var labels: [String] { state.withLock { state in state.waiting.elements.map(\.label) } }

  /// Adds an event to what waits, under the lock, and schedules a turn if necessary.
  ///
  /// - Parameters:
  ///   - list: The address of the list of observers of the event.
  ///   - body: Adds the event, and returns those that it replaces.
  /// - Returns: The number of events that wait, if it is to be reported, otherwise zero.
  func add(of list: UInt, _ body: (inout State) -> [EnqueuedEvent]) -> Int {
    let (replaced, mustSchedule, crowd) = state.withLock { state in
      let replaced = body(&state)
      let count = state.waiting.count
      let crowd = state.alarm.isDue(count) ? count : 0
      return (replaced, state.lane.requestTurn(countedBy: counts, for: list), crowd)
    }
    withExtendedLifetime(replaced) {}
    if mustSchedule { schedule(on: actor?.actor) }
    return crowd
  }

  /// The actor of the queue, if there is one.
  var actorIdentity: ActorIdentity? { actor?.actor.map(ActorIdentity.init) }

  private func schedule(on isolation: (any Actor)?) {
    if actor?.isMain == true {
      // Begins there, without a visit to another thread.
      Task.detached { @MainActor in self.turn(on: MainActor.shared) }
    } else {
      Task.detached { await self.turn(on: isolation) }
    }
  }

  /// Delivers the events that wait now.
  ///
  /// Events enqueued during their delivery wait for another turn.
  private func turn(on isolation: isolated (any Actor)?) {
    var batch = BoundedQueue<EnqueuedEvent>()
    state.withLock { swap(&$0.waiting, &batch) }
    let notes = ThreadNotes.current
    let outer = notes?.chain ?? .none
    while let event = batch.popFirst() {
      notes?.chain = event.chain.next
      event.deliver(on: isolation)
    }
    notes?.chain = outer
    if state.withLock({ $0.lane.endTurn() }) { schedule(on: isolation) } else { counts.endTurn() }
  }
}

extension EventQueue: ActorMember {
  func serves(_ actor: any Actor) -> Bool { self.actor?.isSame(as: actor) ?? false }

  var isAbandoned: Bool { actor?.isGone ?? false }
}

/// An event that waits in an ``EventQueue``.
class EnqueuedEvent: @unchecked Sendable {  // Reason: constants.
  /// What is known of few events: those with a sender, those that coalesce, those that hooks follow, and those that a
  /// hook enqueued.
  struct Origin: Sendable {
    /// Information for hooks about an event between its `enqueue` and its delivery.
    struct Followed: Sendable {
      /// The number of the post whose handler enqueued the event.
      let cause: Int?
      /// The values that interceptors captured.
      let interceptions: [Interception]
    }

    /// The identity of the sender.
    let sender: SenderIdentity?
    /// Information for hooks.
    let followed: Followed?
    /// Whether a hook of the bus enqueued the event.
    let isFromHook: Bool
  }

  /// The number of the name.
  let name: Int
  /// The origin; `nil` for an event that is delivered like a post made at the time of its delivery.
  let origin: Origin?
  /// The turns that have led to the event.
  let chain: EventChain

  init(name: Int, origin: Origin?, _ chain: EventChain) {
    (self.name, self.origin, self.chain) = (name, origin, chain)
  }

  /// The string of the event's name, for reports.
  var label: String { "" }

  /// Delivers the event, on the actor of the queue.
  func deliver(on isolation: (any Actor)?) {}

  /// Returns whether this event, newly enqueued, replaces waiting ones.
  func replaces(_ waiting: EnqueuedEvent, _ coalescing: Coalescing) -> Bool {
    switch coalescing {
    case .none: false
    case .name: waiting.name == name
    case .nameAndSender:
      waiting.name == name
        && (waiting.origin?.sender == nil && origin?.sender == nil || hasSender(of: waiting))
    }
  }

  /// Returns whether one object sent both events.
  ///
  /// Comparing identities is sufficient, because a ``SenderIdentity`` keeps the memory of its sender from
  /// being reused, unless that is an Objective-C object.
  private func hasSender(of other: EnqueuedEvent) -> Bool {
    guard let sender = origin?.sender else { return false }
    return sender.id == other.origin?.sender?.id
  }
}

/// An event with the type of its payload.
final class TypedEnqueuedEvent<Payload: Sendable>: EnqueuedEvent,
  @unchecked Sendable  // Reason: constants.
{
  private let payload: Payload
  private let core: SignalCore<Payload>
  private let site: CallSite

  /// Wraps an event.
  ///
  /// - Parameters:
  ///   - payload: The payload.
  ///   - core: The observers.
  ///   - name: The number of the name.
  ///   - site: The call that enqueues the event.
  ///   - origin: What else is known of it.
  ///   - chain: The turns that have led to the event.
  required init(
    _ payload: Payload,
    _ core: SignalCore<Payload>,
    _ name: Int,
    at site: CallSite,
    _ origin: Origin?,
    _ chain: EventChain
  ) {
    (self.payload, self.core, self.site) = (payload, core, site)
    super.init(name: name, origin: origin, chain)
  }

  override var label: String { core.name }

  override func deliver(on isolation: (any Actor)?) {
    // The bus may have been released, and its observers with it. A weak reference would cost more than the
    // rest of the event.
    if core.busState.isReleased { return }
    guard let origin else {
      _ = core.send(payload, from: nil, excluding: nil, at: site, on: isolation)
      return
    }
    let post = Post(at: site, senderID: origin.sender?.id, origin.sender, on: isolation)
    if let isolation, !core.busState.waiting.isZero {
      core.busState.drainMailbox(of: isolation)
    }
    func send() { core.sendInOrder(payload, from: nil, post, enqueued: origin.followed) }
    if origin.isFromHook { RunningHook.deliver(send) } else { send() }
  }
}

extension EventQueue {
  /// Adds an event at the end, or at the position of the first event that it replaces, and schedules a turn if
  /// necessary.
  ///
  /// - Parameters:
  ///   - payload: The payload.
  ///   - core: The observers of the event.
  ///   - name: The number of the event's name.
  ///   - site: The call that enqueues the event.
  ///   - origin: What else is known of the event.
  ///   - coalescing: The waiting events that an event with an origin replaces.
  /// - Complexity: Amortized O(1); O(*n*) in the number of waiting events when it coalesces.
  func add<Payload>(
    _ payload: Payload,
    of core: SignalCore<Payload>,
    _ name: Int,
    at site: CallSite,
    _ origin: EnqueuedEvent.Origin? = nil,
    _ coalescing: Coalescing = .none
  ) {
    let chain = RunningCall.eventChain
    let event = core.enqueuedEvent.init(payload, core, name, at: site, origin, chain)
    let crowd = add(of: ObjectAddress.of(core)) { state in
      var replaced: [EnqueuedEvent] = []
      if coalescing != .none {
        replaced = state.waiting.replace(by: event) { event.replaces($0, coalescing) }
      }
      if replaced.isEmpty { _ = state.waiting.append(event) }
      return replaced
    }
    if crowd > 0 { core.enqueuedIsCrowded(crowd, of: actorIdentity, at: site) }
    if chain.isFirstTooLong { core.chainIsLong(at: site) }
  }
}

extension BoundedQueue {
  /// Replaces the first element that matches, and removes the others.
  ///
  /// - Returns: The removed elements; none if no element matches. The caller releases them outside its lock.
  /// - Complexity: O(*n*) in the number of elements.
  fileprivate mutating func replace(by element: Element, where isMatch: (Element) -> Bool)
    -> [Element]
  {
    guard let first = storage[head...].firstIndex(where: { $0.map(isMatch) ?? false })
    else { return [] }
    let position = first - head
    let removed = removeAll(where: isMatch)
    storage.insert(element, at: head + position)
    return removed
  }
}
