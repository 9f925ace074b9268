/// Events with the type of their payloads.
final class EnqueuedRun<Payload: Sendable>: EnqueuedEvents,
  @unchecked Sendable  // Reason: guarded by the lock of the queue, then confined to its turn.
{
  // No other access can begin during one of these.
  @exclusivity(unchecked) private var payloads: PayloadRun<Payload>
  private let core: SignalCore<Payload>
  private let site: CallSite

  /// Begins a run, or wraps an event with an origin, which no other joins.
  ///
  /// - Parameters:
  ///   - payload: The payload of the first event.
  ///   - core: The observers.
  ///   - name: The number of the name.
  ///   - site: The source site of the calls.
  ///   - origin: The origin of an event by itself.
  ///   - chain: The turns that have led to the events.
  required init(
    _ payload: Payload,
    _ core: SignalCore<Payload>,
    _ name: Int,
    at site: CallSite,
    _ origin: Origin?,
    _ chain: EventChain
  ) {
    unsafe payloads = PayloadRun(payload)  // Reason: initialization.
    (self.core, self.site) = (core, site)
    super.init(name: name, origin: origin, chain)
  }

  override var label: String { core.name }

  override var count: Int { unsafe payloads.count }  // Reason: an instantaneous read.

  override func admits(_ core: ObserverList, at site: CallSite, _ chain: EventChain) -> Bool {
    let hasRoom = unsafe payloads.hasRoom  // Reason: an instantaneous read.
    return hasRoom && origin == nil && self.chain == chain && self.core === core
      && self.site.isSame(as: site)
  }

  /// Adds an event to a run that admits it, under the lock of the queue.
  func append(_ payload: Payload) {
    unsafe payloads.append(payload)  // Reason: does not use the run.
  }

  override func deliverNext(on isolation: (any Actor)?) -> Bool {
    let payload = unsafe payloads.removeFirst()  // Reason: instantaneous, before the post.
    // The bus may have been released, and its observers with it. A weak reference would cost more than the
    // rest of the event.
    if !core.busState.isReleased { deliver(payload, on: isolation) }
    return unsafe payloads.count > 0  // Reason: an instantaneous read.
  }

  private func deliver(_ payload: Payload, on isolation: (any Actor)?) {
    guard let origin else {
      _ = core.send(payload, from: nil, excluding: nil, at: site, on: isolation)
      return
    }
    var delivery = Delivery(at: site, from: origin.sender?.id, on: isolation)
    delivery.waitedFrom = origin.sender
    func post() { core.sendInOrder(payload, from: nil, delivery, enqueued: origin.followed) }
    if origin.isFromHook { RunningHook.deliver(post) } else { post() }
  }
}

extension EventQueue {
  /// Adds an event at the end, or at the position of the first event that it replaces, and schedules a turn if
  /// necessary.
  ///
  /// An event without an origin joins the last run if nothing but the payload differs.
  ///
  /// - Parameters:
  ///   - payload: The payload.
  ///   - core: The observers of the event.
  ///   - name: The number of the event's name.
  ///   - site: The call that enqueues the event.
  ///   - origin: The origin of an event by itself.
  ///   - coalescing: The waiting events that an event with an origin replaces.
  /// - Complexity: Amortized O(1); O(*n*) in the number of waiting events when it coalesces.
  func add<Payload>(
    _ payload: Payload,
    of core: SignalCore<Payload>,
    _ name: Int,
    at site: CallSite,
    _ origin: EnqueuedEvents.Origin? = nil,
    _ coalescing: Coalescing = .none
  ) {
    let chain = RunningCall.eventChain
    let crowd = add(of: ObjectAddress.of(core)) { state in
      var replaced: [EnqueuedEvents] = []
      // The queue keeps it.
      let last = state.waiting.addressOfLast
      let joins = ObjectAddress.borrow(last) { (run: EnqueuedEvents) in
        run.admits(core, at: site, chain)
      }
      if origin == nil, joins == true {
        // It is of this event, so its payloads have this type.
        ObjectAddress.borrow(last) { (run: EnqueuedRun<Payload>) in run.append(payload) }
      } else {
        let event = core.enqueuedRun.init(payload, core, name, at: site, origin, chain)
        if coalescing != .none {
          replaced = state.waiting.replace(by: event) { event.replaces($0, coalescing) }
        }
        if replaced.isEmpty { _ = state.waiting.append(event) }
      }
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
