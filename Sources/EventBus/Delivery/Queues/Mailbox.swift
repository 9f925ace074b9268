public import Synchronization

/// An event that waits, counted as an unfinished call of its post until it is released.
package class Envelope: @unchecked Sendable {  // Reason: constant, like its subclasses.
  /// The origin of the event.
  package let delivery: Delivery

  /// Wraps an event.
  ///
  /// - Parameter delivery: The origin of the event; its completion waits for the envelope.
  package init(_ delivery: Delivery) {
    self.delivery = delivery
    delivery.completion?.begin()
  }

  deinit { delivery.completion?.finish() }

  /// Delivers the contents, on the mailbox's actor.
  ///
  /// - Returns: `false` when the receiver had died.
  package func open() -> Bool { true }

  /// Called instead of ``open()`` when the mailbox's actor has died.
  package func actorWasLost() {}
}

/// An event that waits, with its payload.
package class WaitingEvent<Payload: Sendable>: Envelope,
  @unchecked Sendable  // Reason: constant, like its subclass.
{
  /// The payload.
  package let payload: Payload

  /// Wraps an event.
  ///
  /// - Parameters:
  ///   - payload: The payload.
  ///   - delivery: The origin of the event; its completion waits for the envelope.
  package init(_ payload: Payload, _ delivery: Delivery) {
    self.payload = payload
    super.init(delivery)
  }
}

/// The events that wait for one actor, in posting order, across all observers of one bus on that actor.
///
/// A burst costs one hop: the first envelope schedules a task, and the others find it scheduled. The actor
/// is held weakly, so an actor may own observers without keeping itself alive. The queue is unbounded; a
/// snapshot of the bus reports the number of waiting events.
package final class Mailbox: Sendable {
  private struct State {
    var queue = BoundedQueue<Envelope>()
    /// The lists with a registration to check on the actor.
    var looks: [ObserverList] = []
    var isScheduled = false
  }

  /// The envelopes taken out of the queue at once, and being opened.
  ///
  /// Only code on the mailbox's actor accesses it, so a burst costs one lock instead of one per event.
  private final class Batch: @unchecked Sendable {  // Reason: confined to the mailbox's actor.
    var envelopes = BoundedQueue<Envelope>()
    /// The number of nested calls of ``Mailbox/drain()`` that are opening an envelope.
    var openings = 0
  }

  /// The maximum nesting depth of handlers of waiting events that post to their own actor.
  private static let deepest = 32

  private let state = Locked(State())
  private let batch = Batch()
  private let actor: WeakActor
  private let waiting: WaitingCount

  /// Creates the mailbox of an actor.
  ///
  /// - Parameters:
  ///   - actor: The actor.
  ///   - waiting: The count of waiting envelopes, shared with other mailboxes.
  package init(_ actor: any Actor, waiting: WaitingCount) {
    self.waiting = waiting
    self.actor = WeakActor(actor)
  }

  /// Returns whether code with this isolation runs on the mailbox's actor.
  package func isHome(of isolation: (any Actor)?) -> Bool {
    guard let isolation else { return false }
    return ObjectIdentifier(isolation) == actor.id
  }

  /// A Boolean value that indicates whether an event must be queued even on the actor, because ``drain()``
  /// left earlier events waiting.
  ///
  /// Read it on the mailbox's actor.
  package var isBehind: Bool {
    guard batch.openings >= Self.deepest else { return false }
    return !batch.envelopes.isEmpty || state.withLock { !$0.queue.isEmpty }
  }

  /// Adds an envelope behind all others and schedules the mailbox.
  package func enqueue(_ envelope: Envelope) {
    waiting.add(1)
    change { _ = $0.queue.append(envelope) }
  }

  /// Requests a turn of the actor in which a list may check owners and senders.
  package func requestLook(at list: ObserverList) { change { $0.looks.append(list) } }

  private func change(_ add: (inout State) -> Void) {
    let mustSchedule = state.withLock { state in
      add(&state)
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    if mustSchedule { schedule() }
  }

  /// Opens the envelopes that are waiting now, on the mailbox's actor.
  ///
  /// A post on the actor calls this first, so that it does not overtake earlier events. A nested call
  /// continues where the outer call stands, up to a maximum depth: otherwise waiting events whose handlers
  /// post would need as much stack as there are events.
  package func drain() {
    guard batch.openings < Self.deepest else { return }
    batch.openings += 1
    defer { batch.openings -= 1 }
    var remaining = batch.envelopes.count + state.withLock { $0.queue.count }
    while remaining > 0, let envelope = next() {
      waiting.add(-1)
      if !envelope.open() { waiting.lost.wrappingAdd(1, ordering: .relaxed) }
      remaining -= 1
    }
  }

  /// The number of nested calls that are opening envelopes; read it on the mailbox's actor.
  package var openings: Int { batch.openings }

  private func next() -> Envelope? {
    if let envelope = batch.envelopes.popFirst() { return envelope }
    state.withLock { swap(&$0.queue, &batch.envelopes) }
    return batch.envelopes.popFirst()
  }

  private func schedule() {
    if actor.isMain {
      Task.detached { @MainActor in self.drainAndRest() }
    } else {
      Task.detached { await self.visit() }
    }
  }

  private func visit() async {
    guard let actor = actor.actor else { return discard() }
    await drainAndRest(on: actor)
  }

  private func drainAndRest(on actor: isolated any Actor) { drainAndRest() }

  private func drainAndRest() {
    drain()
    look(actorIsGone: false)
    let isDone = batch.envelopes.isEmpty
    let mustSchedule = state.withLock { state in
      state.isScheduled = !isDone || !state.queue.isEmpty || !state.looks.isEmpty
      return state.isScheduled
    }
    // A new hop gives the actor's other work a turn in between.
    if mustSchedule { schedule() }
  }

  private func look(actorIsGone: Bool) {
    let looks = state.withLock { state in
      defer { state.looks = [] }
      return state.looks
    }
    for list in looks { list.checkOwners(on: self, actorIsGone: actorIsGone) }
  }

  private func discard() {
    // The actor is dead, so no code can be running on it.
    var dropped = batch.envelopes.removeAll()
    dropped += state.withLock { state in
      state.isScheduled = false
      return state.queue.removeAll()
    }
    waiting.add(-dropped.count)
    waiting.lost.wrappingAdd(dropped.count, ordering: .relaxed)
    for envelope in dropped { envelope.actorWasLost() }
    look(actorIsGone: true)
  }
}

extension Mailbox: ActorMember {
  package func serves(_ actor: any Actor) -> Bool { self.actor.isSame(as: actor) }

  package var isAbandoned: Bool { actor.isGone }
}

/// The number of envelopes that wait in the mailboxes of one bus.
@usableFromInline
package final class WaitingCount: Sendable {
  @usableFromInline
  let count = Atomic<Int>(0)
  /// The number of envelopes whose receiver had died.
  let lost = Atomic<Int>(0)

  /// A count of zero.
  package init() {}

  /// A Boolean value that indicates whether nothing is waiting.
  @inlinable
  package var isZero: Bool { count.load(ordering: .acquiring) == 0 }

  /// Changes the count.
  package func add(_ change: Int) { count.wrappingAdd(change, ordering: .sequentiallyConsistent) }
}
