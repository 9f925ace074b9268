/// The queue of one isolation: events that are delivered there in a later turn.
///
/// The actor is kept by the turn that is on its way to it, and by nothing else here. So while events wait it
/// is not being destroyed.
internal final class EventQueue: Sendable {
  private let events = Locked(EnqueuedEvents())
  private let actor: WeakActor?

  internal init(_ isolation: (any Actor)?) { actor = isolation.map(WeakActor.init) }

  /// Adds an event and sees to it that it is delivered.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - coalescing: Which waiting events it takes the place of.
  internal func add(_ event: EnqueuedEvents.Event, _ coalescing: Coalescing) {
    let (removed, mustSchedule) = events.withLock { $0.add(event, coalescing) }
    withExtendedLifetime(removed) {}
    if mustSchedule { schedule(on: actor?.actor) }
  }

  private func schedule(on isolation: (any Actor)?) {
    if let isolation {
      Task.detached { await self.turn(on: isolation) }
    } else {
      Task.detached { self.deliver(on: nil) }
    }
  }

  private func turn(on actor: isolated any Actor) { deliver(on: actor) }

  private func deliver(on isolation: (any Actor)?) {
    for event in events.withLock({ $0.takeAll() }) { event.deliver(isolation) }
    if events.withLock({ $0.endTurn() }) { schedule(on: isolation) }
  }
}

extension EventQueue: ActorMember {
  internal func serves(_ actor: any Actor) -> Bool { self.actor?.isSame(as: actor) ?? false }

  internal var isAbandoned: Bool { actor?.isGone ?? false }
}
