/// The queue of events to be delivered in a later turn of one isolation.
///
/// Only the scheduled turn retains the actor. The actor is therefore not destroyed while events wait.
final class EventQueue: Sendable {
  private let lane = Locked(Lane<EnqueuedEvents>())
  private let actor: WeakActor?
  private let counts: WaitingCount

  init(_ isolation: (any Actor)?, _ counts: WaitingCount) {
    actor = isolation.map(WeakActor.init)
    self.counts = counts
  }

  /// The labels and the numbers of the waiting events.
  var content: [(label: String, count: Int)] {
    lane.withLock { lane in lane.waiting.elements.map { ($0.label, $0.count) } }
  }

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
    let (replaced, mustSchedule) = lane.withLock { lane in
      var replaced: [EnqueuedEvents] = []
      // The lane keeps it.
      let last = lane.waiting.addressOfLast
      let joins = ObjectAddress.borrow(last) { (run: EnqueuedEvents) in run.admits(core, at: site) }
      if origin == nil, joins == true {
        // It is of this event, so its payloads have this type.
        ObjectAddress.borrow(last) { (run: EnqueuedRun<Payload>) in run.append(payload) }
      } else {
        let event = core.enqueuedRun.init(payload, core, name, at: site, origin)
        if coalescing != .none {
          replaced = lane.waiting.replace(by: event) { event.replaces($0, coalescing) }
        }
        if replaced.isEmpty { _ = lane.waiting.append(event) }
      }
      return (replaced, lane.requestTurn(countedBy: counts))
    }
    withExtendedLifetime(replaced) {}
    if mustSchedule { schedule(on: actor?.actor) }
  }

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
    var batch = BoundedQueue<EnqueuedEvents>()
    lane.withLock { swap(&$0.waiting, &batch) }
    while let events = batch.popFirst() {
      while events.deliverNext(on: isolation) {}
    }
    if lane.withLock({ $0.endTurn() }) { schedule(on: isolation) } else { counts.endTurn() }
  }
}

extension EventQueue: ActorMember {
  func serves(_ actor: any Actor) -> Bool { self.actor?.isSame(as: actor) ?? false }

  var isAbandoned: Bool { actor?.isGone ?? false }
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
