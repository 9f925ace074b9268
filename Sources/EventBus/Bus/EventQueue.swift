/// The queue of one isolation: events that are delivered there in a later turn.
///
/// The actor is kept by the turn that is on its way to it, and by nothing else here. So while events wait it
/// is not being destroyed.
final class EventQueue: Sendable {
  private let events = Locked(EnqueuedEvents())
  private let actor: WeakActor?

  init(_ isolation: (any Actor)?) { actor = isolation.map(WeakActor.init) }

  /// Adds an event and sees to it that it is delivered.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - coalescing: Which waiting events it takes the place of.
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

/// The events of one isolation that wait for a later turn, and the rules of coalescing.
///
/// A plain value. Positions are kept: a coalesced event stands where the first one it replaces stood.
struct EnqueuedEvents: Sendable {
  /// One event.
  struct Event: Sendable {
    /// The number of the name.
    let name: Int
    /// The sender's identity.
    let sender: SenderIdentity?
    /// Delivers the event on the isolation it is given.
    let deliver: @Sendable (_ isolation: (any Actor)?) -> Void
  }

  private var events: [Event] = []
  /// Whether somebody is on the way to deliver.
  private var isScheduled = false

  /// Adds an event: behind all others, or in the place of the first of those it coalesces with.
  ///
  /// - Returns: The events that were removed, to be released outside the lock, and whether a turn has to
  ///   be scheduled.
  /// - Complexity: O(1); O(*n*) in the number of waiting events when it coalesces.
  mutating func add(_ event: Event, _ coalescing: Coalescing) -> (
    [Event], mustSchedule: Bool
  ) {
    defer { isScheduled = true }
    guard let place = events.firstIndex(where: { matches($0, event, coalescing) }) else {
      events.append(event)
      return ([], !isScheduled)
    }
    var removed = [events[place]]
    events[place] = event
    let rest = events[(place + 1)...]
    let kept = rest.filter { waiting in
      let isMatch = matches(waiting, event, coalescing)
      if isMatch { removed.append(waiting) }
      return !isMatch
    }
    if kept.count < rest.count { events.replaceSubrange((place + 1)..., with: kept) }
    return (removed, false)
  }

  /// Takes out all events, so that what is enqueued while they are delivered waits for another turn.
  mutating func takeAll() -> [Event] {
    defer { events = [] }
    return events
  }

  /// Ends a turn.
  ///
  /// - Returns: Whether another turn is needed for what was enqueued meanwhile.
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

  /// Whether two events were sent by one object: two cannot have the same address in turn meanwhile.
  private func hasSameSender(_ waiting: Event, _ event: Event) -> Bool {
    waiting.sender != nil && waiting.sender?.id == event.sender?.id
  }
}
