/// The events of one isolation that wait for a later turn, and the rules of coalescing.
///
/// A plain value. Positions are kept: a coalesced event stands where the first one it replaces stood.
internal struct EnqueuedEvents: Sendable {
  /// One event.
  internal struct Event: Sendable {
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
  internal mutating func add(_ event: Event, _ coalescing: Coalescing) -> (
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
  internal mutating func takeAll() -> [Event] {
    defer { events = [] }
    return events
  }

  /// Ends a turn.
  ///
  /// - Returns: Whether another turn is needed for what was enqueued meanwhile.
  internal mutating func endTurn() -> Bool {
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
