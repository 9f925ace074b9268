internal import Synchronization

/// The queue of events to be delivered in a later turn of one isolation.
///
/// Only the scheduled turn retains the actor. The actor is therefore not destroyed while events wait.
final class EventQueue: Sendable {
  /// What waits.
  struct State: Sendable {
    fileprivate var lane = Lane<EnqueuedEvents>()
    /// What the turn has taken and not begun to deliver.
    fileprivate var batch = BoundedQueue<EnqueuedEvents>()
    /// What the turn is delivering: the label, and the number of opened events when all of them will have been.
    fileprivate var current: (label: String, end: UInt)?
    /// The number of events that were ever added, without those that coalescing removed.
    fileprivate var added = AddedCount()

    var waiting: BoundedQueue<EnqueuedEvents> {
      get { lane.waiting }
      _modify { yield &lane.waiting }
    }

    /// Takes everything that waits for the turn.
    fileprivate mutating func takeBatch() {
      let waiting = lane.waiting
      lane.waiting = batch
      batch = waiting
    }

    /// Takes what the turn delivers next.
    fileprivate mutating func takeNext(opened: UInt) -> EnqueuedEvents? {
      let next = batch.popFirst()
      current = next.map { ($0.label, opened &+ UInt($0.count)) }
      return next
    }
  }

  private let state = Locked(State())
  /// The number of events whose delivery ever began; wraps, and is changed by turns only.
  private let opened = Atomic<UInt>(0)
  private let actor: WeakActor?
  private let counts: WaitingCount

  init(_ isolation: (any Actor)?, _ counts: WaitingCount) {
    actor = isolation.map(WeakActor.init)
    self.counts = counts
  }

  /// The labels and the numbers of the waiting events, also of those that a turn has taken.
  var content: [(label: String, count: Int)] {
    state.withLock { state in
      var content = (state.batch.elements + state.waiting.elements).map { ($0.label, $0.count) }
      if let (label, end) = state.current {
        let count = Int(end &- opened.load(ordering: .acquiring))
        if count > 0 { content.insert((label, count), at: 0) }
      }
      return content
    }
  }

  /// The address of the list of observers for which a turn was last requested; `nil` if none is scheduled or running.
  var requester: UInt? { state.withLock { $0.lane.requester } }

  /// Adds an event to what waits, under the lock, and schedules a turn if necessary.
  ///
  /// - Parameters:
  ///   - list: The address of the list of observers of the event.
  ///   - body: Adds the event, and returns those that it replaces.
  /// - Returns: The number of events that wait, if it is to be reported, otherwise zero.
  func add(of list: UInt, _ body: (inout State) -> [EnqueuedEvents]) -> Int {
    let (replaced, mustSchedule, crowd) = state.withLock { state in
      let replaced = body(&state)
      state.added.remove(replaced.reduce(0) { $0 + $1.count })
      let crowd = state.added.add(opened: opened.load(ordering: .acquiring))
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
    let notes = ThreadNotes.current
    let outer = notes?.chain ?? .none
    var next = state.withLock { state in
      state.takeBatch()
      return state.takeNext(opened: opened.load(ordering: .relaxed))
    }
    var mustSchedule = false
    while let events = next {
      notes?.chain = events.chain.next
      repeat {
        opened.store(opened.load(ordering: .relaxed) &+ 1, ordering: .releasing)
      } while events.deliverNext(on: isolation)
      (next, mustSchedule) = state.withLock { state in
        let next = state.takeNext(opened: opened.load(ordering: .relaxed))
        return (next, next == nil && state.lane.endTurn())
      }
    }
    notes?.chain = outer
    if mustSchedule { schedule(on: isolation) } else { counts.endTurn() }
  }
}

extension EventQueue: ActorMember {
  func serves(_ actor: any Actor) -> Bool { self.actor?.isSame(as: actor) ?? false }

  var isAbandoned: Bool { actor?.isGone ?? false }
}
