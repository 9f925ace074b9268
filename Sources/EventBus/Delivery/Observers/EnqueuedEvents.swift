/// Events that code has left for a later turn of its actor, of one name, one after another, as the mailbox sees them.
///
/// Many events of which nothing is known but the payload and the call, or one with a sender or something that hooks know
/// of.
package class EnqueuedEvents: @unchecked Sendable {  // Reason: constants; see the subclass.
  /// The observers of the events.
  package final let list: ObserverList
  /// The identity of the sender, if there is one.
  package final let sender: SenderIdentity?
  /// True if other events of the name may join these.
  package final let isOpen: Bool

  /// Creates an object without events.
  ///
  /// - Parameters:
  ///   - list: The observers of the events.
  ///   - sender: The identity of the sender.
  ///   - isOpen: Whether other events may join, of which nothing is known but the payload and the call.
  init(of list: ObserverList, from sender: SenderIdentity?, isOpen: Bool) {
    (self.list, self.sender, self.isOpen) = (list, sender, isOpen)
  }

  /// The string of the name, for reports.
  package var name: String { "" }

  /// The number of events; guarded by the lock of the mailbox until the turn takes them.
  package var count: Int { 0 }

  /// Delivers the first event, on the actor of the mailbox.
  ///
  /// - Parameters:
  ///   - isolation: The actor.
  ///   - notes: The notes of the thread, which record the chain of the event.
  /// - Returns: `false` when no event is left.
  package func deliverNext(on isolation: (any Actor)?, noting notes: ThreadNotes?) -> Bool { false }
}

/// Enqueued events, in order.
///
/// A plain value, for use behind the lock of a mailbox.
package struct EnqueuedQueue: Sendable {
  /// The events.
  package private(set) var all: [EnqueuedEvents] = []
  /// The number of events.
  package private(set) var count = 0
  private var alarm = CrowdAlarm()

  /// The address of the last events, if they are of a list and others may join; otherwise zero.
  package func addressOfOpen(_ list: ObserverList) -> UInt {
    guard let last = all.last, last.isOpen, last.list === list else { return 0 }
    return ObjectAddress.of(last)
  }

  /// Notes that an event has joined the last ones.
  package mutating func noteJoined() { count += 1 }

  /// Adds an event at the end, or at the position of the first event that it replaces.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - isReplaced: Returns whether the event replaces others; `nil` if it replaces none.
  /// - Returns: The replaced events. The caller releases them outside its lock.
  /// - Complexity: Amortized O(1); O(*n*) in the number of events when it replaces any.
  package mutating func add(
    _ event: EnqueuedEvents,
    replacing isReplaced: ((EnqueuedEvents) -> Bool)?
  ) -> [EnqueuedEvents] {
    count += event.count
    guard let isReplaced, let first = all.firstIndex(where: isReplaced) else {
      all.append(event)
      return []
    }
    let replaced = all.filter(isReplaced)
    all.removeAll(where: isReplaced)
    all.insert(event, at: first)
    count -= replaced.reduce(0) { $0 + $1.count }
    return replaced
  }

  /// Removes all events, and returns them in order.
  package mutating func takeAll() -> [EnqueuedEvents] {
    defer { (all, count) = ([], 0) }
    return all
  }

  /// Returns the number of events if it is to be reported, otherwise zero.
  package mutating func crowd() -> Int { alarm.isDue(count) ? count : 0 }
}
