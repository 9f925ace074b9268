internal import Synchronization

/// An object that has something to do on an actor, in a turn that it requests from the actor's mailbox.
package protocol TurnTaker: AnyObject, Sendable {
  /// Takes the turn.
  ///
  /// - Parameters:
  ///   - mailbox: The mailbox whose actor has its turn.
  ///   - actorIsGone: True if the actor has died, so that there is no turn.
  func takeTurn(on mailbox: Mailbox, actorIsGone: Bool)
}

/// The events that wait for one actor of a bus, across all its observers: *posted* events for handlers on the
/// actor, and *enqueued* ones, which code on the actor has left for a later turn.
///
/// A burst costs one hop: the first event schedules a turn, and the others find it scheduled. A post on the actor opens
/// the posted events first, so that no event overtakes another; the enqueued ones wait for the turn. Posted events do
/// not retain the actor, so an actor may own observers without keeping itself alive; enqueued events do. The queues are
/// unbounded; a snapshot of the bus reports the number of waiting events, and ``CrowdAlarm`` a large one.
///
/// Code without an actor also has a mailbox, for the events that it enqueues.
package final class Mailbox: @unchecked Sendable {  // Reason: locked, or confined to the actor.
  private struct State: ~Copyable {
    var posted = EventOrder()
    /// The number of events that were ever posted, without those that were removed; wraps.
    var added: UInt = 0
    var enqueued = EnqueuedQueue()
    /// The actor, while events are enqueued, if it is not the main one.
    var actor: (any Actor)?
    /// The objects that asked for a turn of the actor.
    var turnTakers: [any TurnTaker] = []
    /// Whether a turn is on its way or running: nothing waits without one.
    var isScheduled = false
    var alarm = CrowdAlarm()
    /// The value of ``added`` at which the number of waiting events may exceed the threshold of the alarm.
    var nextLook: UInt = 10_001

    /// True if there is no work for a turn.
    var isEmpty: Bool { posted.isEmpty && enqueued.count == 0 && turnTakers.isEmpty }

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

  private let state = Locked(State())
  private let actor: WeakActor?
  private let isMain: Bool
  /// The identity of the actor, if there is one.
  package let identity: ActorIdentity?
  /// The address of the actor; zero for none.
  package let address: UInt
  private let counts: ListCounts
  /// Whether posted events wait, taken or not; changed under the lock, and counted in ``ListCounts``.
  private let isWaiting = Atomic<Bool>(false)
  /// Separates the fields above, which posting threads write, from those below, which the actor
  /// writes.
  private let padding = CacheLine()
  /// The posted events that the actor has taken at once: a burst costs one lock instead of one for each event.
  ///
  /// Confined to the actor, whose turns and posts are "ours", and after its death to the lock; no other access can begin
  /// during one of its methods.
  @exclusivity(unchecked) private var batch = EventOrder()
  /// The number of posted events that were ever opened or discarded; wraps, and is changed on the actor, or after its death.
  private let opened = Atomic<UInt>(0)
  /// The number of nested calls that are opening events; changed on the actor.
  private let nesting = Atomic<Int>(0)

  /// Creates the mailbox of an actor, or of code without one.
  ///
  /// - Parameters:
  ///   - actor: The actor.
  ///   - counts: The counts that the lists of observers share.
  package init(_ actor: (any Actor)?, _ counts: ListCounts) {
    self.counts = counts
    self.actor = actor.map(WeakActor.init)
    isMain = actor === MainActor.shared
    identity = actor.map(ActorIdentity.init)
    address = ObjectAddress.of(actor)
  }

  /// Returns whether this is the mailbox of the actor with an identity.
  package func serves(_ id: ObjectIdentifier) -> Bool { identity?.id == id }

  /// The number of nested calls that are opening events.
  package var openings: Int { nesting.load(ordering: .relaxed) }

  /// The number of posted events that wait.
  package var waitingCount: Int {
    // Read first: an event that is seen as opened is then also seen as added.
    let opened = opened.load(ordering: .acquiring)
    return Int(bitPattern: state.withLock { $0.added } &- opened)
  }

  /// Returns the number of posted events that wait for one handler.
  func waitingCount(of events: WaitingEvents) -> Int {
    state.withLock { _ in events.arrivedCount + events.takenCount }
  }

  /// True if an event must be queued even on the actor, because ``drain()``
  /// left earlier events waiting.
  ///
  /// Read it on the mailbox's actor.
  @inline(__always)
  var isBehind: Bool { openings >= Self.deepest && isWaiting.load(ordering: .acquiring) }

  // MARK: Posted events

  /// Adds a posted event behind all others, and schedules a turn.
  ///
  /// An event whose registration has ended is not added.
  ///
  /// - Parameters:
  ///   - events: The events of the handler.
  ///   - append: Adds the event to these, under the lock.
  /// - Returns: The number of events that wait, if it is to be reported, otherwise zero.
  @inline(__always)
  func post(to events: WaitingEvents, _ append: () -> Void) -> Int {
    let (mustSchedule, crowd) = state.withLock { state in
      // An end that is not seen here takes the lock later, and removes the event.
      if events.registration.hasEnded { return (false, 0) }
      append()
      return add(events, &state)
    }
    if mustSchedule { schedule() }
    return crowd
  }

  private func add(_ events: WaitingEvents, _ state: inout State) -> (
    mustSchedule: Bool, crowd: Int
  ) {
    state.posted.append(events)
    state.added &+= 1
    // Before the lock is released: from then on, no post on the actor may overtake the event.
    setWaiting(true)
    let isManyMore = Int(bitPattern: state.added &- state.nextLook) >= 0
    let crowd = isManyMore ? state.crowd(opened: opened.load(ordering: .acquiring)) : 0
    return (noteTurn(for: ObjectAddress.of(events.registration.list), &state), crowd)
  }

  /// Notes whether posted events wait, with the lock held.
  private func setWaiting(_ isWaiting: Bool) {
    if self.isWaiting.load(ordering: .relaxed) == isWaiting { return }
    self.isWaiting.store(isWaiting, ordering: .releasing)
    counts.addMailboxes(isWaiting ? 1 : -1)
  }

  /// Takes out the waiting events of a registration that has ended, on any thread.
  ///
  /// The actor owns what it has taken; that is discarded in the actor's turn.
  ///
  /// - Returns: The events, to be released with no lock held; `nil` if there are none.
  /// - Complexity: O(*n*) in the number of events of the registration, amortized.
  func remove(_ events: WaitingEvents) -> Discarded? {
    let (count, discarded) = state.withLock { state -> (Int, Discarded?) in
      let count = events.arrivedCount
      if count == 0 { return (0, nil) }
      state.added &-= UInt(count)
      let removed = events.removeArrived()
      return (count, Discarded([removed, state.posted.remove(count)]))
    }
    if count > 0, events.registration.hasLostOwner { counts.addLost(count) }
    return discarded
  }

  /// Opens the posted events that are waiting now, on the mailbox's actor.
  ///
  /// A post on the actor calls this first, so that it does not overtake earlier events. A nested call
  /// continues where the outer call is, up to a maximum depth: otherwise waiting events whose handlers post
  /// would need as much stack as there are events. Events that a nested call opens also count for the outer
  /// call, so handlers that queue new events cannot keep a call from returning.
  package func drain() {
    guard isWaiting.load(ordering: .acquiring), openings < Self.deepest else { return }
    nesting.store(openings + 1, ordering: .relaxed)
    defer { nesting.store(openings - 1, ordering: .relaxed) }
    let last = takePosted()
    let notes = ThreadNotes.current
    let outer = notes?.chain ?? .none
    defer { notes?.chain = outer }
    while let events = first(upTo: last) {
      let isOwned = events.open(noting: notes) { takeFirst(of: events, upTo: last) }
      if !isOwned { counts.addLost(1) }
    }
  }

  /// Returns the events of the handler that has the next event; `nil` if there is none up to a number.
  private func first(upTo last: UInt) -> WaitingEvents? {
    guard Int(bitPattern: last &- opened.load(ordering: .relaxed)) > 0 else { return nil }
    if unsafe batch.isEmpty { _ = takePosted() }  // Reason: ours.
    return unsafe batch.first  // Reason: ours.
  }

  /// Takes the next event out of the order.
  ///
  /// - Returns: `false` if it is for another handler, or has a higher number than the last one.
  private func takeFirst(of events: WaitingEvents, upTo last: UInt) -> Bool {
    guard Int(bitPattern: last &- opened.load(ordering: .relaxed)) > 0,
      unsafe batch.popFirst(of: events)  // Reason: ours.
    else { return false }
    opened.store(opened.load(ordering: .relaxed) &+ 1, ordering: .releasing)
    // Before the event is opened: its handler may post, and nothing may be waiting then.
    if unsafe batch.isEmpty { noteIfEmpty() }  // Reason: ours.
    return true
  }

  /// Takes what was posted, if all that was taken before is open.
  ///
  /// - Returns: The number of events that were ever posted.
  private func takePosted() -> UInt {
    let (added, gaps) = state.withLock { state in
      let gaps = unsafe batch.isEmpty ? state.posted.take(into: &batch) : nil  // Reason: ours.
      // Events that waited may have been removed.
      if unsafe batch.isEmpty { setWaiting(false) }  // Reason: ours.
      return (state.added, gaps)
    }
    withExtendedLifetime(gaps) {}
    return added
  }

  private func noteIfEmpty() {
    state.withLock { state in if state.posted.isEmpty { setWaiting(false) } }
  }

  // MARK: Turns

  /// Adds an enqueued event, and schedules a turn.
  ///
  /// - Parameters:
  ///   - list: The address of the list of observers of the event.
  ///   - actor: The actor of the mailbox, if it is to be retained until the turn.
  ///   - add: Adds the event, under the lock, and returns those that it replaces.
  /// - Returns: The number of events that wait, if it is to be reported, otherwise zero.
  package func enqueue(
    for list: UInt,
    retaining actor: (any Actor)?,
    _ add: (inout EnqueuedQueue) -> [EnqueuedEvents]
  ) -> Int {
    let (replaced, mustSchedule, crowd) = state.withLock { state in
      let replaced = add(&state.enqueued)
      if identity != nil, !isMain, state.actor == nil { state.actor = actor }
      return (replaced, noteTurn(for: list, &state), state.enqueued.crowd())
    }
    withExtendedLifetime(replaced) {}
    if mustSchedule { schedule() }
    return crowd
  }

  /// The names of the enqueued events that wait, with their numbers.
  package var enqueued: [(name: String, count: Int)] {
    state.withLock { state in state.enqueued.all.map { ($0.name, $0.count) } }
  }

  /// Requests a turn of the actor for an object.
  package func requestTurn(for taker: any TurnTaker) {
    let mustSchedule = state.withLock { state in
      state.turnTakers.append(taker)
      return noteTurn(for: ObjectAddress.of(taker), &state)
    }
    if mustSchedule { schedule() }
  }

  /// Notes that there is work for a turn, with the lock held.
  ///
  /// - Parameters:
  ///   - cause: The address of the list of observers with whose event the turn begins.
  ///   - state: The locked state.
  /// - Returns: `true` if the caller must schedule it.
  private func noteTurn(for cause: UInt, _ state: inout State) -> Bool {
    if state.isScheduled { return false }
    state.isScheduled = true
    counts.beginTurn(for: cause)
    return true
  }

  private func schedule() {
    if isMain {
      // Begins there, without a visit to another thread.
      Task.detached { @MainActor in self.turn(on: MainActor.shared) }
    } else {
      Task.detached { await self.visit() }
    }
  }

  private func visit() async {
    guard let actor else { return turn(on: nil) }
    guard let actor = actor.actor else { return discard() }
    await turn(on: actor)
  }

  /// Opens what is waiting now.
  ///
  /// What the handlers enqueue waits for another turn.
  private func turn(on actor: isolated (any Actor)?) {
    let (enqueued, retained) = state.withLock { ($0.enqueued.takeAll(), $0.actor.take()) }
    drain()
    let notes = ThreadNotes.current
    let outer = notes?.chain ?? .none
    for events in enqueued { while events.deliverNext(on: actor, noting: notes) {} }
    notes?.chain = outer
    giveTurns(actorIsGone: false)
    let isDone = unsafe batch.isEmpty  // Reason: ours.
    let mustSchedule = state.withLock { state in
      state.isScheduled = !isDone || !state.isEmpty
      return state.isScheduled
    }
    // A new hop gives the actor's other work a turn in between.
    if mustSchedule { schedule() } else { counts.endTurn() }
    withExtendedLifetime(retained) {}
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
    let (dropped, discarded) = state.withLock { state in
      var (dropped, discarded): ([(events: WaitingEvents, count: Int)], [Discarded?]) = ([], [])
      for events in unsafe batch.removeAll() + state.posted.removeAll() {  // Reason: ours.
        dropped.append((events, events.arrivedCount + events.takenCount))
        discarded += [events.removeTaken(), events.removeArrived()]
      }
      let count = dropped.reduce(0) { $0 + $1.count }
      opened.wrappingAdd(UInt(count), ordering: .releasing)
      setWaiting(false)
      state.isScheduled = false
      return (dropped, discarded)
    }
    for (events, count) in dropped where count > 0 {
      let registration = events.registration
      if !registration.hasEnded { registration.endWithOwner() }
      if registration.hasLostOwner { counts.addLost(count) }
    }
    withExtendedLifetime(discarded) {}
    giveTurns(actorIsGone: true)
    counts.endTurn()
  }
}

extension Mailbox: ActorMember {
  package func serves(_ actor: any Actor) -> Bool { self.actor?.isSame(as: actor) ?? false }

  package var isAbandoned: Bool { actor?.isGone ?? false }
}
