internal import Synchronization

/// The events that wait for one handler on an actor, without their payload type, as the mailbox of the actor sees them.
package class WaitingEvents: @unchecked Sendable {  // Reason: see the members.
  /// The registration of the handler.
  package final let registration: ObserverRegistration
  /// Creates an object without events.
  package init(for registration: ObserverRegistration) { self.registration = registration }

  /// The number of events that have arrived since the actor last took them; guarded by the lock of the mailbox.
  package var arrivedCount: Int { 0 }

  /// The number of events that the actor has taken and not yet opened.
  var takenCount: Int { 0 }

  /// Gives the events that have arrived to the actor's turn, all former ones being open; called on the actor with the
  /// lock of the mailbox held.
  func take() {}

  /// Opens the first events that were taken, on the actor: calls the handler.
  ///
  /// None is opened if a nested call has opened them meanwhile.
  ///
  /// - Parameters:
  ///   - notes: The notes of the thread, which record the chains of the events.
  ///   - takesNext: Takes the next event out of the order, if it is for this handler and to be opened now. Nothing foreign
  ///     runs between that and the removal of its payload.
  /// - Returns: `false` when the owner of the last one had died.
  package func open(noting notes: ThreadNotes?, while takesNext: () -> Bool) -> Bool { true }

  /// Removes the events that have arrived; called with the lock of the mailbox held.
  package func removeArrived() -> Discarded? { nil }

  /// Removes the events that were taken, on the actor or after its death.
  func removeTaken() -> Discarded? { nil }
}

/// The events that wait for one handler on an actor.
///
/// Posting threads add events under the lock of the mailbox. The actor takes all of them at once under that lock, and
/// opens them without it.
package final class HandlerEvents<Payload: Sendable>: WaitingEvents,
  @unchecked Sendable  // Reason: guarded by the lock of the mailbox, or confined to the actor.
{
  // No other access can begin during one of these: they are instantaneous.
  @exclusivity(unchecked) private var arrived = QueuedEvents<Payload>()
  /// Separates the fields above, which posting threads write, from those below, which the actor
  /// writes.
  private let padding = CacheLine()
  @exclusivity(unchecked) private var opening = QueuedEvents<Payload>()
  /// The number of the events to open, for any thread.
  private let taken = Atomic<Int>(0)

  override package var arrivedCount: Int { unsafe arrived.count }  // Reason: the lock is held.

  /// Adds an event at the end, with the lock of the mailbox held.
  @inline(__always)
  package func append(_ payload: Payload, _ origin: EventOrigin) {
    unsafe arrived.append(payload, origin)  // Reason: the lock is held.
  }

  override func take() {
    if arrivedCount == 0 { return }
    assert(taken.load(ordering: .relaxed) == 0, "events would be lost")
    unsafe swap(&arrived, &opening)  // Reason: on the actor, with the lock held.
    noteTaken()
  }

  override var takenCount: Int { taken.load(ordering: .relaxed) }

  private func noteTaken() {
    taken.store(unsafe opening.count, ordering: .relaxed)  // Reason: on the actor.
  }

  override package func open(noting notes: ThreadNotes?, while takesNext: () -> Bool) -> Bool {
    let delivery = unsafe opening.nextOrigin?.delivery  // Reason: on the actor.
    var outcome: Reception?
    func open() {
      outcome = call(noting: notes) {
        let next = unsafe opening.nextOrigin  // Reason: on the actor.
        return next?.delivery === delivery && takesNext()
      }
      if let outcome { delivery?.settle(outcome) }
    }
    if let delivery { delivery.record.resume(open) } else { open() }
    return outcome != .ownerLost
  }

  /// Opens events in one call that is counted.
  ///
  /// - Returns: The outcome of the last one; `nil` if none was opened.
  private func call(noting notes: ThreadNotes?, while takesNext: () -> Bool) -> Reception? {
    let isCalled = registration.beginCall()
    let outcome = perform(isCalled: isCalled, noting: notes, while: takesNext)
    if isCalled { registration.finish() }
    return outcome
  }

  @inline(never)  // The sink is released before the call counts as finished.
  private func perform(
    isCalled: Bool,
    noting notes: ThreadNotes?,
    while takesNext: () -> Bool
  ) -> Reception? {
    // Before an event is taken: the end of the visit may free other sinks, whose `deinit` may post here.
    let sink = isCalled ? registration.sink(as: GeneralSink<Payload>.self) : nil
    var outcome: Reception?
    while takesNext(), let origin = unsafe opening.popOrigin() {  // Reason: both at once.
      let payload = unsafe opening.popPayload()  // Reason: as above.
      noteTaken()
      notes?.chain = origin.chain.next
      outcome = sink?.perform(payload, origin.post) ?? registration.refusal
      if !registration.isActive { break }
    }
    return outcome
  }

  override package func removeArrived() -> Discarded? {
    let removed = HandlerEvents(for: registration)
    unsafe swap(&arrived, &removed.opening)  // Reason: the lock is held.
    return Discarded(removed)
  }

  override func removeTaken() -> Discarded? {
    let removed = HandlerEvents(for: registration)
    unsafe swap(&opening, &removed.opening)  // Reason: no turn opens them.
    noteTaken()
    return Discarded(removed)
  }
}

/// The order of the events that wait for one actor, across its handlers.
///
/// Neighbours for one handler share an entry. The entries of a handler whose events were removed stay until they are
/// many. A plain value; the lock that guards ``WaitingEvents`` guards the order into which posting threads add.
package struct EventOrder: ~Copyable {
  private typealias Entry = (events: WaitingEvents, count: Int)
  private static let smallest = 32

  private var entries: [Entry] = []
  private var head = 0
  /// The number of events.
  package private(set) var count = 0
  /// The number of removed events in the entries.
  private var removedCount = 0
  /// The number of entries that removals have looked at, for tests of their complexity.
  package private(set) var stepCount = 0

  /// Creates an order of no events.
  package init() {}

  package var isEmpty: Bool { count == 0 }

  /// Adds an event at the end.
  ///
  /// - Complexity: Amortized O(1).
  package mutating func append(_ events: WaitingEvents) {
    count += 1
    if let last = entries.indices.last, entries[last].events === events {
      entries[last].count += 1
    } else {
      entries.append((events, 1))
    }
  }

  /// Notes that all events of a handler were removed.
  ///
  /// - Parameter removed: The number of its events.
  /// - Returns: Objects to release outside the lock.
  /// - Complexity: Amortized O(*n*) in the number of removed events.
  package mutating func remove(_ removed: Int) -> Discarded? {
    count -= removed
    removedCount += removed
    return removedCount > max(Self.smallest, count) ? closeGaps() : nil
  }

  /// Moves the order to an empty one, and lets each handler's events be taken.
  ///
  /// - Returns: Objects to release outside the lock.
  package mutating func take(into order: inout EventOrder) -> Discarded? {
    let gaps = removedCount > 0 ? closeGaps() : nil
    swap(&self, &order)
    for entry in order.entries { entry.events.take() }
    return gaps
  }

  private mutating func closeGaps() -> Discarded {
    let former = entries
    stepCount += former.count
    entries = former.filter { $0.events.arrivedCount > 0 }
    removedCount = 0
    return Discarded(former.map(\.events))
  }

  /// The object that holds the first event; `nil` if there is none.
  package var first: WaitingEvents? { head < entries.count ? entries[head].events : nil }

  /// Removes the first event.
  ///
  /// - Parameter events: The object that is to hold it.
  /// - Returns: `false` if it does not.
  /// - Complexity: Amortized O(1).
  package mutating func popFirst(of events: WaitingEvents) -> Bool {
    guard head < entries.count, entries[head].events === events else { return false }
    count -= 1
    entries[head].count -= 1
    if entries[head].count == 0 { head += 1 }
    if head == entries.count {
      entries.removeAll(keepingCapacity: entries.capacity <= 64)
      head = 0
    }
    return true
  }

  /// Removes all events, and returns the objects that held them, each once for every entry.
  mutating func removeAll() -> [WaitingEvents] {
    defer { self = EventOrder() }
    return entries[head...].map(\.events)
  }

  /// Stops the program if the entries hold other numbers of events than the order says, or too many are empty.
  package func _checkInvariants() {
    let total = entries[head...].reduce(0) { $0 + $1.count }
    assert(total == count + removedCount, "the count is wrong")
    assert(removedCount <= max(Self.smallest, count), "too many entries are empty")
    assert(entries[head...].allSatisfy { $0.count > 0 }, "an entry is empty")
  }
}
