internal import Synchronization

/// An object that has something to do on an actor, in a turn that it requests from the actor's mailbox.
package protocol TurnTaker: AnyObject, Sendable {
  /// Takes the turn.
  ///
  /// - Parameters:
  ///   - mailbox: The mailbox whose actor has its turn.
  ///   - actorIsGone: A Boolean value that indicates whether the actor has died, so that there is no turn.
  func takeTurn(on mailbox: Mailbox, actorIsGone: Bool)
}

/// The events that wait for one actor, in posting order, across all observers of one bus on that actor.
///
/// A burst costs one hop: the first event schedules a task, and the others find it scheduled. The actor
/// is held weakly, so an actor may own observers without keeping itself alive. The queue is unbounded; a
/// snapshot of the bus reports the number of waiting events, and ``CrowdAlarm`` a large one.
package final class Mailbox: @unchecked Sendable {  // Reason: locked, or confined to the actor.
  private struct State: ~Copyable {
    var events = LinkedEvents()
    /// Whether a turn is scheduled; the events are not in the lane.
    var lane = Lane<Never>()
    /// The number of events that were ever added, without those that ``takeEvents(of:)`` removed; wraps.
    var added: UInt = 0
    /// The objects that asked for a turn of the actor.
    var turnTakers: [any TurnTaker] = []
    var alarm = CrowdAlarm()
    /// The value of ``added`` at which the number of waiting events may exceed the threshold of the alarm.
    var nextLook: UInt = 10_001

    /// Returns the number of waiting events if it is to be reported.
    mutating func crowd(opened: UInt) -> Int {
      let waiting = Int(bitPattern: added &- opened)
      let isDue = alarm.isDue(waiting)
      nextLook = added &+ UInt(alarm.threshold + 1 - waiting)
      return isDue ? waiting : 0
    }
  }

  /// The maximum nesting depth of handlers of waiting events that post to their own actor.
  private static let deepest = 32

  /// The identity of the actor.
  package let identity: ActorIdentity
  private let state = Locked(State())
  private let actor: WeakActor
  private let waiting: WaitingCount
  /// The events taken out of the lane at once, and being opened: a burst costs one lock instead of one per event.
  ///
  /// Confined to the actor.
  private var batch = BoundedQueue<AnyQueuedEvent>()
  /// The number of events that were ever opened or discarded; wraps, and is changed by the actor's turns only.
  private let opened = Atomic<UInt>(0)
  /// The number of nested calls that are opening events; changed on the mailbox's actor.
  private let nesting = Atomic<Int>(0)

  /// Creates the mailbox of an actor.
  ///
  /// - Parameters:
  ///   - actor: The actor.
  ///   - waiting: The counts of what waits, shared with the other queues of the bus.
  package init(_ actor: any Actor, waiting: WaitingCount) {
    self.waiting = waiting
    self.actor = WeakActor(actor)
    identity = ActorIdentity(actor)
  }

  /// The address of the actor.
  package var address: UInt { UInt(bitPattern: actor.id) }

  /// Returns whether this is the mailbox of the actor with an identity.
  package func serves(_ id: ObjectIdentifier) -> Bool { actor.id == id }

  /// The number of nested calls that are opening events.
  package var openings: Int { nesting.load(ordering: .relaxed) }

  /// The number of events that wait.
  package var waitingCount: Int {
    // Read first: an event that is seen as opened is then also seen as added.
    let opened = opened.load(ordering: .acquiring)
    return Int(bitPattern: state.withLock { $0.added } &- opened)
  }

  /// A Boolean value that indicates whether an event must be queued even on the actor, because ``drain()``
  /// left earlier events waiting.
  ///
  /// Read it on the mailbox's actor.
  @inline(__always)
  var isBehind: Bool {
    openings >= Self.deepest && hasEarlierEvents
  }

  private var hasEarlierEvents: Bool {
    !batch.isEmpty || state.withLock { !$0.events.isEmpty }
  }

  /// Adds an event behind all others and schedules the mailbox.
  ///
  /// An event whose registration has ended is discarded.
  ///
  /// - Parameter event: The event.
  /// - Returns: The number of events that wait, if it is to be reported, otherwise zero.
  package func enqueue(_ event: AnyQueuedEvent) -> Int {
    var crowd = 0
    change(for: ObjectAddress.of(event.registration.list)) { state in
      // Under the lock: the end that is seen here discards what waits afterwards.
      if event.registration.hasEnded { return }
      state.added &+= 1
      event.registration.changeWaiting(by: 1)
      if Int(bitPattern: state.added &- state.nextLook) >= 0 {
        crowd = state.crowd(opened: opened.load(ordering: .acquiring))
      }
      // Before the lock is released: from then on, no post on the actor may overtake the event.
      waiting.add(1)
      state.events.append(event)
    }
    return crowd
  }

  /// Takes out the waiting events of a registration that has ended, on any thread.
  ///
  /// The actor owns what its current turn has taken out of the lane; that is discarded when the turn comes to it.
  ///
  /// - Returns: The events; `nil` if there are none.
  /// - Complexity: O(*n*) in the number of events of the registration, amortized.
  func takeEvents(of registration: ObserverRegistration) -> Discarded? {
    let discarded = state.withLock { state in
      let discarded = state.events.removeAll(of: registration)
      state.added &-= UInt(discarded.count)
      return discarded
    }
    if discarded.isEmpty { return nil }
    waiting.add(-discarded.count)
    if registration.hasLostOwner {
      waiting.lost.wrappingAdd(discarded.count, ordering: .relaxed)
    }
    return Discarded(discarded)
  }

  /// Requests a turn of the actor for an object.
  package func requestTurn(for taker: any TurnTaker) {
    change(for: ObjectAddress.of(taker)) { $0.turnTakers.append(taker) }
  }

  private func change(for list: UInt, _ add: (inout State) -> Void) {
    let mustSchedule = state.withLock { state in
      add(&state)
      return state.lane.requestTurn(countedBy: waiting, for: list)
    }
    if mustSchedule { schedule() }
  }

  /// Opens the events that are waiting now, on the mailbox's actor.
  ///
  /// A post on the actor calls this first, so that it does not overtake earlier events. A nested call
  /// continues where the outer call stands, up to a maximum depth: otherwise waiting events whose handlers
  /// post would need as much stack as there are events. What a nested call opens counts for the outer call,
  /// too, so handlers that queue new events cannot keep a call from returning.
  package func drain() {
    guard openings < Self.deepest else { return }
    nesting.store(openings + 1, ordering: .relaxed)
    defer { nesting.store(openings - 1, ordering: .relaxed) }
    let last = state.withLock { $0.added }
    let notes = ThreadNotes.current
    let outer = notes?.chain ?? .none
    defer { notes?.chain = outer }
    while Int(bitPattern: last &- opened.load(ordering: .relaxed)) > 0 {
      if batch.isEmpty { state.withLock { $0.events.moveAll(to: &batch) } }
      // Removed first: the handler may post, and nothing may be waiting then.
      guard let event = batch.popFirst() else { return }
      waiting.add(-1)
      opened.store(opened.load(ordering: .relaxed) &+ 1, ordering: .releasing)
      event.registration.changeWaiting(by: -1)
      notes?.chain = event.chain.next
      if !event.open() { waiting.lost.wrappingAdd(1, ordering: .relaxed) }
    }
  }

  private func schedule() {
    if actor.isMain {
      Task.detached { @MainActor in self.turn() }
    } else {
      Task.detached { await self.visit() }
    }
  }

  private func visit() async {
    guard let actor = actor.actor else { return discard() }
    await turn(on: actor)
  }

  private func turn(on actor: isolated any Actor) { turn() }

  private func turn() {
    drain()
    giveTurns(actorIsGone: false)
    let isDone = batch.isEmpty
    let mustSchedule = state.withLock { state in
      state.lane.endTurn(hasMore: !isDone || !state.events.isEmpty || !state.turnTakers.isEmpty)
    }
    // A new hop gives the actor's other work a turn in between.
    if mustSchedule { schedule() } else { waiting.endTurn() }
  }

  private func giveTurns(actorIsGone: Bool) {
    let takers = state.withLock { state in
      defer { state.turnTakers = [] }
      return state.turnTakers
    }
    for taker in takers { taker.takeTurn(on: self, actorIsGone: actorIsGone) }
  }

  /// Ends the registrations of the waiting events.
  ///
  /// The actor is dead, so no code can be running on it. It was their owner: an actor that a handler
  /// captured would be alive.
  private func discard() {
    var dropped = batch.removeAll()
    dropped += state.withLock { state in
      var waiting = BoundedQueue<AnyQueuedEvent>()
      state.events.moveAll(to: &waiting)
      _ = state.lane.endTurn()
      return waiting.elements
    }
    for event in dropped {
      waiting.add(-1)
      // An addition, since two turns may discard at once: nothing keeps a dead actor's turns apart.
      opened.wrappingAdd(1, ordering: .releasing)
      event.registration.changeWaiting(by: -1)
      if !event.registration.hasEnded { event.registration.endWithOwner() }
      if event.registration.hasLostOwner { waiting.lost.wrappingAdd(1, ordering: .relaxed) }
    }
    giveTurns(actorIsGone: true)
    waiting.endTurn()
  }
}

extension Mailbox: ActorMember {
  package func serves(_ actor: any Actor) -> Bool { self.actor.isSame(as: actor) }

  package var isAbandoned: Bool { actor.isGone }
}
