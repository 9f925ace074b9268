/// The events of one isolation that wait for a later turn, and the rules of coalescing.
///
/// A plain value. Positions are kept: a coalesced event stands where the first one it replaces stood.
internal struct EnqueuedEvents: Sendable {
  /// One event.
  internal struct Event: Sendable {
    /// The number of the name.
    let name: Int
    /// The sender's identity; senders are not kept.
    let sender: ObjectIdentifier?
    /// The sender, while it lives.
    let reference: WeakSender
    /// Delivers the event on the isolation it is given.
    let deliver: @Sendable (_ isolation: (any Actor)?) -> Void
  }

  private var events: [Event] = []
  /// Whether somebody is on the way to deliver.
  private var isScheduled = false

  /// Adds an event, or puts it in the place of the one it coalesces with.
  ///
  /// - Returns: The event that was replaced, to be let go outside the lock, and whether somebody has to
  ///   be sent to deliver.
  /// - Complexity: O(1); O(*n*) in the number of waiting events when it coalesces.
  internal mutating func add(_ event: Event, _ coalescing: Coalescing) -> (
    Event?, mustSchedule: Bool
  ) {
    defer { isScheduled = true }
    if let place = place(of: event, coalescing) {
      let replaced = events[place]
      events[place] = event
      return (replaced, false)
    }
    events.append(event)
    return (nil, !isScheduled)
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

  private func place(of event: Event, _ coalescing: Coalescing) -> Int? {
    switch coalescing {
    case .none: nil
    case .name: events.firstIndex { $0.name == event.name }
    case .sender: events.firstIndex { hasSameSender($0, event) }
    case .nameAndSender:
      events.firstIndex {
        $0.name == event.name
          && ($0.sender == nil && event.sender == nil || hasSameSender($0, event))
      }
    }
  }

  /// Whether two events were sent by one object, and not by two that had the same address in turn.
  ///
  /// Only an object that is alive is loaded, and that is the one the caller holds.
  private func hasSameSender(_ waiting: Event, _ event: Event) -> Bool {
    waiting.sender != nil && waiting.sender == event.sender && waiting.reference.object != nil
  }
}
