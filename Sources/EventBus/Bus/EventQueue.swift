/// The queue of events to be delivered in a later turn of one isolation.
///
/// Only the scheduled turn retains the actor. The actor is therefore not destroyed while events wait.
final class EventQueue: Sendable {
  private let events = Locked(EnqueuedEvents())
  private let actor: WeakActor?

  init(_ isolation: (any Actor)?) { actor = isolation.map(WeakActor.init) }

  /// Adds an event and schedules a turn if necessary.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - coalescing: The waiting events that this event replaces.
  func add(_ event: EnqueuedEvents.Event, _ coalescing: Coalescing) {
    let (removed, mustSchedule) = events.withLock { $0.add(event, coalescing) }
    withExtendedLifetime(removed) {}
    if mustSchedule { schedule(on: actor?.actor) }
  }

  private func schedule(on isolation: (any Actor)?) {
    if let isolation {
      Task.detached { await self.turn(on: isolation) }
    } else {
      Task.detached { self.deliver(on: nil) }
    }
  }

  private func turn(on actor: isolated any Actor) { deliver(on: actor) }

  private func deliver(on isolation: (any Actor)?) {
    for event in events.withLock({ $0.takeAll() }) { event.deliver(isolation) }
    if events.withLock({ $0.endTurn() }) { schedule(on: isolation) }
  }
}

extension EventQueue: ActorMember {
  func serves(_ actor: any Actor) -> Bool { self.actor?.isSame(as: actor) ?? false }

  var isAbandoned: Bool { actor?.isGone ?? false }
}

/// The events that wait for a later turn of one isolation, with the rules of coalescing.
///
/// Coalescing keeps the order: an event takes the position of the first event that it replaces.
struct EnqueuedEvents: Sendable {
  struct Event: Sendable {
    /// The number of the event's name.
    let name: Int
    /// The identity of the sender.
    let sender: SenderIdentity?
    /// Delivers the event in the given isolation.
    let deliver: @Sendable (_ isolation: (any Actor)?) -> Void
  }

  private var events: [Event] = []
  /// Whether a turn is scheduled or running.
  private var isScheduled = false

  /// Adds an event at the end, or at the position of the first event that it replaces.
  ///
  /// - Returns: The removed events, to be released outside the lock, and whether to schedule a turn.
  /// - Complexity: O(1); O(*n*) in the number of waiting events when it coalesces.
  mutating func add(_ event: Event, _ coalescing: Coalescing) -> (
    [Event], mustSchedule: Bool
  ) {
    defer { isScheduled = true }
    guard let first = events.firstIndex(where: { matches($0, event, coalescing) }) else {
      events.append(event)
      return ([], !isScheduled)
    }
    var removed = [events[first]]
    events[first] = event
    let rest = events[(first + 1)...]
    let kept = rest.filter { waiting in
      let isMatch = matches(waiting, event, coalescing)
      if isMatch { removed.append(waiting) }
      return !isMatch
    }
    if kept.count < rest.count { events.replaceSubrange((first + 1)..., with: kept) }
    return (removed, false)
  }

  /// Removes and returns all events, so that events enqueued during their delivery wait for another turn.
  mutating func takeAll() -> [Event] {
    defer { events = [] }
    return events
  }

  /// Ends a turn.
  ///
  /// - Returns: Whether another turn is needed for events that were enqueued meanwhile.
  mutating func endTurn() -> Bool {
    isScheduled = !events.isEmpty
    return isScheduled
  }

  private func matches(_ waiting: Event, _ event: Event, _ coalescing: Coalescing) -> Bool {
    switch coalescing {
    case .none: false
    case .name: waiting.name == event.name
    case .sender: hasSameSender(waiting, event)
    case .nameAndSender:
      waiting.name == event.name
        && (waiting.sender == nil && event.sender == nil || hasSameSender(waiting, event))
    }
  }

  /// Returns whether one object sent both events.
  ///
  /// Comparing identities is sufficient, because a ``SenderIdentity`` keeps the memory of its sender from
  /// being reused.
  private func hasSameSender(_ waiting: Event, _ event: Event) -> Bool {
    waiting.sender != nil && waiting.sender?.id == event.sender?.id
  }
}
