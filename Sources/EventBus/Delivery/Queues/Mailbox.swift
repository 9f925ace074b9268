public import Synchronization

/// Something that waits in a mailbox.
package class Envelope: @unchecked Sendable {  // Reason: no state; subclasses are constant.
  /// Delivers the contents, on the mailbox's actor.
  ///
  /// - Returns: `false` when the receiver had died.
  package func open() -> Bool { true }

  /// Told, instead of ``open()``, that the mailbox's actor has died.
  package func actorWasLost() {}
}

/// The events that wait for one actor, in the order they were posted, across all observers of one bus
/// that live on it.
///
/// A burst costs one hop: the first envelope schedules a task, the others find it scheduled. The actor
/// is held weakly, so that an actor may observe for itself without keeping itself alive. The queue is
/// unbounded; a snapshot of the bus tells how much waits.
package final class Mailbox: Sendable {
  private struct State {
    var queue = BoundedQueue<Envelope>()
    /// Lists with a registration to be looked at on the actor.
    var looks: [ObserverList] = []
    var isScheduled = false
  }

  /// What was taken out of the queue in one go and is being opened.
  ///
  /// Only code on the mailbox's actor touches it, so that a burst costs one lock and not one an event.
  private final class Batch: @unchecked Sendable {  // Reason: confined to the mailbox's actor.
    var envelopes = BoundedQueue<Envelope>()
    /// How many calls of ``Mailbox/drain()`` are opening an envelope, one inside the other.
    var openings = 0
  }

  /// How deeply handlers of waiting events may nest by posting to their own actor.
  private static let deepest = 32

  private let state = Locked(State())
  private let batch = Batch()
  private let actor: WeakActor
  private let waiting: WaitingCount

  /// Creates the mailbox of an actor.
  ///
  /// - Parameters:
  ///   - actor: The actor.
  ///   - waiting: Counts what waits, together with other mailboxes.
  package init(_ actor: any Actor, waiting: WaitingCount) {
    self.waiting = waiting
    self.actor = WeakActor(actor)
  }

  /// Whether code with this isolation runs on the mailbox's actor.
  package func isHome(of isolation: (any Actor)?) -> Bool {
    guard let isolation else { return false }
    return ObjectIdentifier(isolation) == actor.id
  }

  /// Whether an event must be queued even on the actor, because ``drain()`` left others waiting.
  ///
  /// To be asked on the mailbox's actor.
  package var isBehind: Bool {
    guard batch.openings >= Self.deepest else { return false }
    return !batch.envelopes.isEmpty || state.withLock { !$0.queue.isEmpty }
  }

  /// Adds an envelope behind all others and schedules the mailbox.
  package func enqueue(_ envelope: Envelope) {
    waiting.add(1)
    let mustSchedule = state.withLock { state in
      _ = state.queue.append(envelope)
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    if mustSchedule { schedule() }
  }

  /// Asks for a turn of the actor in which a list may look at owners and senders.
  package func requestLook(at list: ObserverList) {
    let mustSchedule = state.withLock { state in
      state.looks.append(list)
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    if mustSchedule { schedule() }
  }

  /// Opens what waits now, on the mailbox's actor.
  ///
  /// What a post on the actor does first, so that nothing that was posted before is overtaken. Called
  /// inside itself it goes on where the outer call stands, up to a depth: a handler of each waiting event
  /// that posts would otherwise need as much stack as there are events.
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

  /// How many times, one inside the other, waiting envelopes are being opened; asked on the mailbox's
  /// actor.
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
    // A new hop, so that others may use the actor in between.
    if mustSchedule { schedule() }
  }

  private func look(actorIsGone: Bool) {
    let looks = state.withLock { state in
      defer { state.looks = [] }
      return state.looks
    }
    for list in looks { list.lookAtSuspect(on: self, actorIsGone: actorIsGone) }
  }

  private func discard() {
    // Nobody else is on an actor that has died.
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

/// How many envelopes wait in the mailboxes of one bus.
@usableFromInline
package final class WaitingCount: Sendable {
  @usableFromInline
  let count = Atomic<Int>(0)
  /// How many found their receiver dead.
  let lost = Atomic<Int>(0)

  /// Nothing waits.
  package init() {}

  /// Whether something waits.
  @inlinable
  package var isZero: Bool { count.load(ordering: .acquiring) == 0 }

  /// Changes the count.
  package func add(_ change: Int) { count.wrappingAdd(change, ordering: .sequentiallyConsistent) }
}
