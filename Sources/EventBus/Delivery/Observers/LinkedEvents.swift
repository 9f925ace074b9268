/// Events that wait in the order of their arrival, from which those of one registration are removed without looking at
/// the others.
///
/// Every event has a number. A registration knows the number of its last event, and each event how far back the one
/// before it is; both refer to nothing once the events have been taken. A removed event leaves an empty slot. The slots
/// are numbered again, without the empty ones, when those are more than 32 and in the majority.
///
/// A plain value, for use behind the lock that guards these parts of the registrations, each of which has its events in
/// one such value only.
package struct LinkedEvents: ~Copyable {
  private static let smallest = 32

  private var slots: [AnyQueuedEvent?] = []
  /// The number of the event in the first slot.
  private var start: UInt64 = 1
  /// The number of slots that are not empty.
  package private(set) var count = 0
  /// The number of slots that removals have looked at, for tests of their complexity.
  package private(set) var stepCount = 0

  /// Creates a value without events.
  package init() {}

  /// A Boolean value that indicates whether no event waits.
  package var isEmpty: Bool { count == 0 }

  /// Adds an event at the end.
  ///
  /// - Complexity: Amortized O(1).
  package mutating func append(_ event: AnyQueuedEvent) {
    let number = start + UInt64(slots.count)
    let last = event.registration.lastEvent
    event.distance = last < start ? 0 : UInt32(clamping: number - last)
    event.registration.lastEvent = number
    slots.append(event)
    count += 1
  }

  /// Removes the events of a registration.
  ///
  /// - Returns: The events, newest first. The caller releases them outside its lock.
  /// - Complexity: O(*n*) in the number of the events that are removed, amortized.
  package mutating func removeAll(of registration: ObserverRegistration) -> [AnyQueuedEvent] {
    var removed: [AnyQueuedEvent] = []
    var number = registration.lastEvent
    while number >= start, let event = slots[Int(number - start)].take() {
      stepCount += 1
      removed.append(event)
      if event.distance == 0 { break }
      number -= UInt64(event.distance)
    }
    registration.lastEvent = 0
    count -= removed.count
    if slots.count - count > max(Self.smallest, count) { closeGaps() }
    return removed
  }

  /// Moves all events to an empty queue.
  ///
  /// - Complexity: O(1), or O(*n*) if events were removed.
  package mutating func moveAll(to queue: inout BoundedQueue<AnyQueuedEvent>) {
    if slots.count != count { closeGaps() }
    start += UInt64(slots.count)
    count = 0
    queue.adopt(&slots)
  }

  private mutating func closeGaps() {
    let former = slots
    start += UInt64(former.count)
    slots = []
    slots.reserveCapacity(count)
    count = 0
    stepCount += former.count
    for case let event? in former { append(event) }
  }

  /// Stops the program if the events of a registration cannot be found, or too many slots are empty.
  package func _checkInvariants() {
    assert(count == slots.count { $0 != nil }, "the count is wrong")
    assert(slots.count - count <= max(Self.smallest, count), "too many slots are empty")
    var last: [ObjectIdentifier: UInt64] = [:]
    for (index, event) in slots.enumerated() {
      guard let event else { continue }
      let number = start + UInt64(index)
      let known = last.updateValue(number, forKey: ObjectIdentifier(event.registration))
      assert(event.distance == (known.map { UInt32(number - $0) } ?? 0), "an event is not linked")
    }
    for case let event? in slots {
      let known = last[ObjectIdentifier(event.registration)]
      assert(known == event.registration.lastEvent, "a registration does not know its last event")
    }
  }
}
