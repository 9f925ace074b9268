/// The queue of events to be delivered in a later turn of one isolation.
///
/// Only the scheduled turn retains the actor. The actor is therefore not destroyed while events wait.
final class EventQueue: Sendable {
  private let lane = Locked(Lane<EnqueuedEvents>())
  private let actor: WeakActor?
  private let counts: WaitingCount

  init(_ isolation: (any Actor)?, _ counts: WaitingCount) {
    actor = isolation.map(WeakActor.init)
    self.counts = counts
  }

  /// The labels and the numbers of the waiting events.
  var content: [(label: String, count: Int)] {
    lane.withLock { lane in lane.waiting.elements.map { ($0.label, $0.count) } }
  }

  /// Changes what waits, under the lock, and schedules a turn if necessary.
  func change(_ body: (inout BoundedQueue<EnqueuedEvents>) -> [EnqueuedEvents]) {
    let (replaced, mustSchedule) = lane.withLock { lane in
      (body(&lane.waiting), lane.requestTurn(countedBy: counts))
    }
    withExtendedLifetime(replaced) {}
    if mustSchedule { schedule(on: actor?.actor) }
  }

  private func schedule(on isolation: (any Actor)?) {
    if actor?.isMain == true {
      // Begins there, without a visit to another thread.
      Task.detached { @MainActor in self.turn(on: MainActor.shared) }
    } else {
      Task.detached { await self.turn(on: isolation) }
    }
  }

  /// Delivers the events that wait now.
  ///
  /// Events enqueued during their delivery wait for another turn.
  private func turn(on isolation: isolated (any Actor)?) {
    var batch = BoundedQueue<EnqueuedEvents>()
    lane.withLock { swap(&$0.waiting, &batch) }
    while let events = batch.popFirst() {
      while events.deliverNext(on: isolation) {}
    }
    if lane.withLock({ $0.endTurn() }) { schedule(on: isolation) } else { counts.endTurn() }
  }
}

extension EventQueue: ActorMember {
  func serves(_ actor: any Actor) -> Bool { self.actor?.isSame(as: actor) ?? false }

  var isAbandoned: Bool { actor?.isGone ?? false }
}
