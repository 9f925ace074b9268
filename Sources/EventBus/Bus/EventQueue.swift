/// The queue of one isolation: events that are delivered there in a later turn.
///
/// It delivers as long as it is referred to by a turn on its way, so an actor's queue lives no longer than
/// needed. An actor is kept until its turn has come.
internal final class EventQueue: Sendable {
  private let events = Locked(EnqueuedEvents())
  private let isolation: (any Actor)?

  internal init(_ isolation: (any Actor)?) { self.isolation = isolation }

  /// Whether this is the queue of that very isolation.
  internal func serves(_ other: (any Actor)?) -> Bool { isolation === other }

  /// Adds an event and sees to it that it is delivered.
  internal func add(_ event: EnqueuedEvents.Event, _ coalescing: Coalescing) {
    let (replaced, mustSchedule) = events.withLock { $0.add(event, coalescing) }
    withExtendedLifetime(replaced) {}
    if mustSchedule { schedule() }
  }

  private func schedule() {
    if let isolation {
      Task.detached { await self.turn(on: isolation) }
    } else {
      Task.detached { self.deliver() }
    }
  }

  private func turn(on actor: isolated any Actor) { deliver() }

  private func deliver() {
    for event in events.withLock({ $0.takeAll() }) { event.deliver(isolation) }
    if events.withLock({ $0.endTurn() }) { schedule() }
  }
}
