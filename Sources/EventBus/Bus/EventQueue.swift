/// The queue of events to be delivered in a later turn of one isolation.
///
/// Only the scheduled turn retains the actor. The actor is therefore not destroyed while events wait.
final class EventQueue: Sendable {
  /// What waits for the next turn.
  struct State: Sendable {
    fileprivate var lane = Lane<EnqueuedEvent>()
    var alarm = CrowdAlarm()

    var waiting: BoundedQueue<EnqueuedEvent> {
      get { lane.waiting }
      _modify { yield &lane.waiting }
    }
  }

  private let state = Locked(State())
  private let actor: WeakActor?
  private let counts: WaitingCount

  init(_ isolation: (any Actor)?, _ counts: WaitingCount) {
    actor = isolation.map(WeakActor.init)
    self.counts = counts
  }

  /// The labels of the waiting events.
  var labels: [String] { state.withLock { state in state.waiting.elements.map(\.label) } }

  /// Adds an event to what waits, under the lock, and schedules a turn if necessary.
  ///
  /// - Parameters:
  ///   - list: The address of the list of observers of the event.
  ///   - body: Adds the event, and returns those that it replaces.
  /// - Returns: The number of events that wait, if it is to be reported, otherwise zero.
  func add(of list: UInt, _ body: (inout State) -> [EnqueuedEvent]) -> Int {
    let (replaced, mustSchedule, crowd) = state.withLock { state in
      let replaced = body(&state)
      let count = state.waiting.count
      let crowd = state.alarm.isDue(count) ? count : 0
      return (replaced, state.lane.requestTurn(countedBy: counts, for: list), crowd)
    }
    withExtendedLifetime(replaced) {}
    if mustSchedule { schedule(on: actor?.actor) }
    return crowd
  }

  /// The actor of the queue, if there is one.
  var actorIdentity: ActorIdentity? { actor?.actor.map(ActorIdentity.init) }

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
    var batch = BoundedQueue<EnqueuedEvent>()
    state.withLock { swap(&$0.waiting, &batch) }
    let notes = ThreadNotes.current
    let outer = notes?.chain ?? .none
    while let event = batch.popFirst() {
      notes?.chain = event.chain.next
      event.deliver(on: isolation)
    }
    notes?.chain = outer
    if state.withLock({ $0.lane.endTurn() }) { schedule(on: isolation) } else { counts.endTurn() }
  }
}

extension EventQueue: ActorMember {
  func serves(_ actor: any Actor) -> Bool { self.actor?.isSame(as: actor) ?? false }

  var isAbandoned: Bool { actor?.isGone ?? false }
}
