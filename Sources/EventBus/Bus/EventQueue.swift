/// The queue of events to be delivered in a later turn of one isolation.
///
/// Only the scheduled turn retains the actor. The actor is therefore not destroyed while events wait.
final class EventQueue: Sendable {
  struct Event: Sendable {
    /// The number of the event's name.
    let name: Int
    /// The identity of the sender.
    let sender: SenderIdentity?
    /// Delivers the event in the given isolation.
    let deliver: @Sendable (_ isolation: (any Actor)?) -> Void

    /// Returns whether this event, newly enqueued, replaces a waiting one.
    func replaces(_ waiting: Event, _ coalescing: Coalescing) -> Bool {
      switch coalescing {
      case .none: false
      case .name: waiting.name == name
      case .sender: hasSender(of: waiting)
      case .nameAndSender:
        waiting.name == name && (waiting.sender == nil && sender == nil || hasSender(of: waiting))
      }
    }

    /// Returns whether one object sent both events.
    ///
    /// Comparing identities is sufficient, because a ``SenderIdentity`` keeps the memory of its sender from
    /// being reused, unless that is an Objective-C object.
    private func hasSender(of other: Event) -> Bool {
      sender != nil && sender?.id == other.sender?.id
    }
  }

  private let lane = Locked(Lane<Event>())
  private let actor: WeakActor?

  init(_ isolation: (any Actor)?) { actor = isolation.map(WeakActor.init) }

  /// Adds an event at the end, or at the position of the first event that it replaces, and schedules a turn
  /// if necessary.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - coalescing: The waiting events that this event replaces.
  /// - Complexity: O(1); O(*n*) in the number of waiting events when it coalesces.
  func add(_ event: Event, _ coalescing: Coalescing) {
    let (replaced, mustSchedule) = lane.withLock { lane in
      var replaced: [Event] = []
      if coalescing != .none {
        replaced = lane.waiting.replace(by: event) { event.replaces($0, coalescing) }
      }
      if replaced.isEmpty { _ = lane.waiting.append(event) }
      return (replaced, lane.requestTurn())
    }
    withExtendedLifetime(replaced) {}
    if mustSchedule { schedule(on: actor?.actor) }
  }

  private func schedule(on isolation: (any Actor)?) {
    Task.detached { await self.turn(on: isolation) }
  }

  /// Delivers the events that wait now.
  ///
  /// Events enqueued during their delivery wait for another turn.
  private func turn(on isolation: isolated (any Actor)?) {
    var batch = BoundedQueue<Event>()
    lane.withLock { swap(&$0.waiting, &batch) }
    while let event = batch.popFirst() { event.deliver(isolation) }
    if lane.withLock({ $0.endTurn() }) { schedule(on: isolation) }
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
    var removed = [storage[first].take()].compactMap(\.self)
    storage[first] = element
    let rest = storage[(first + 1)...]
    let kept = rest.filter { waiting in
      guard let waiting, isMatch(waiting) else { return true }
      removed.append(waiting)
      return false
    }
    if kept.count < rest.count { storage.replaceSubrange((first + 1)..., with: kept) }
    return removed
  }
}
