internal import Synchronization

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
/// unbounded; ``depth`` tells how long it is.
package final class Mailbox: Sendable {
  private struct State {
    var queue = BoundedQueue<Envelope>()
    var isScheduled = false
  }

  private let state = Locked(State())
  /// The identity of the actor.
  package let actorID: ObjectIdentifier
  private let isMain: Bool
  private weak let actor: (any Actor)?
  private let waiting: WaitingCount

  /// Creates the mailbox of an actor.
  ///
  /// - Parameters:
  ///   - actor: The actor.
  ///   - waiting: Counts what waits, together with other mailboxes.
  package init(_ actor: any Actor, waiting: WaitingCount) {
    self.waiting = waiting
    actorID = ObjectIdentifier(actor)
    isMain = actor === MainActor.shared
    self.actor = actor
  }

  /// How many envelopes wait.
  package var depth: Int { state.withLock { $0.queue.count } }

  /// Whether this is still the mailbox of that very actor, and not of a former one at its address.
  package func serves(_ other: any Actor) -> Bool { actor === other }

  /// Whether code with this isolation runs on the mailbox's actor.
  package func isHome(of isolation: (any Actor)?) -> Bool {
    guard let isolation else { return false }
    return ObjectIdentifier(isolation) == actorID
  }

  /// Adds an envelope behind all others and sees to it that somebody comes for it.
  package func enqueue(_ envelope: Envelope) {
    waiting.add(1)
    let mustSchedule = state.withLock { state in
      _ = state.queue.append(envelope)
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    if mustSchedule { schedule() }
  }

  /// Opens what waits now, on the mailbox's actor.
  ///
  /// What a post on the actor does first, so that nothing that was posted before is overtaken.
  package func drain() {
    var remaining = depth
    while remaining > 0, let envelope = state.withLock({ $0.queue.popFirst() }) {
      waiting.add(-1)
      if !envelope.open() { waiting.lost.wrappingAdd(1, ordering: .relaxed) }
      remaining -= 1
    }
  }

  private func schedule() {
    if isMain {
      Task.detached { @MainActor in self.drainAndRest() }
    } else {
      Task.detached { await self.visit() }
    }
  }

  private func visit() async {
    guard let actor else { return discard() }
    await drainAndRest(on: actor)
  }

  private func drainAndRest(on actor: isolated any Actor) { drainAndRest() }

  private func drainAndRest() {
    drain()
    let mustSchedule = state.withLock { state in
      state.isScheduled = !state.queue.isEmpty
      return state.isScheduled
    }
    // A new hop, so that others may use the actor in between.
    if mustSchedule { schedule() }
  }

  private func discard() {
    let dropped = state.withLock { state in
      let dropped = state.queue.removeAll()
      state.isScheduled = false
      return dropped
    }
    waiting.add(-dropped.count)
    waiting.lost.wrappingAdd(dropped.count, ordering: .relaxed)
    for envelope in dropped { envelope.actorWasLost() }
  }
}
