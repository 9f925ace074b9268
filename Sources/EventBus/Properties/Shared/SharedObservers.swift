internal import Synchronization

/// The observers of a shared property.
///
/// It calls them for the rounds that ``SharedObserved`` delivers, and holds what they share. It knows neither the
/// value nor the pending changes.
package final class SharedObservers<Value: Sendable>: ObserverList,
  @unchecked Sendable  // Reason: the state is locked or atomic.
{
  /// Returns whether two values are equal; `false` if values cannot be compared.
  let areEqual: @Sendable (Value, Value) -> Bool
  private let merged = Atomic<Int>(0)
  /// The threads that are calling handlers outside any turn: on actors and during registrations.
  private let callers = Locked(Set<UInt>())
  private let callerCount = Atomic<Int>(0)
  private let mailboxes = ActorTable<Mailbox>()
  private let hasWarned = Atomic<Bool>(false)
  let site: PropertySite

  init(areEqual: @escaping @Sendable (Value, Value) -> Bool, fileID: StaticString, line: UInt) {
    self.areEqual = areEqual
    site = (fileID, line)
    super.init(counts: ListCounts())
  }

  /// The number of merged changes, for ``SharedObservedValue/mergedCount``.
  var mergedCount: Int { merged.load(ordering: .relaxed) }

  /// Counts a merged change.
  func countMerged() { merged.wrappingAdd(1, ordering: .relaxed) }

  /// The origin of every round: the property itself.
  func post(on isolation: (any Actor)? = nil) -> Post {
    Post(at: CallSite(site.fileID, site.line), on: isolation)
  }

  /// Adds an observer, whose sink keeps the changes until ``handOver(to:_:isAtHome:retaining:)``.
  ///
  /// - Parameters:
  ///   - request: The parameters of the registration.
  ///   - owner: The owner, held weakly.
  ///   - handler: The handler.
  /// - Returns: The registration.
  func add(
    _ request: SharedObserveRequest,
    owner: AnyObject?,
    _ handler: @escaping SharedHandler<Value>
  ) -> ObserverRegistration {
    let mailbox = request.actor.map { actor in
      mailboxes.member(of: actor) { Mailbox(actor, counts) }
    }
    let registration = ObserverRegistration(self, at: request.site)
    let sink = SharedSink(of: self, registration, owner, request.id, on: mailbox, handler)
    add(sink)
    if let carrier = owner as? any LifetimeOwner { registration.join(carrier.lifetime.members) }
    if let owner, let id = request.id {
      // The latest registration remains, even if two threads register with one identifier at once.
      end(of: owner, id: id, before: sink.number)
    }
    return registration
  }

  /// Makes a call for each change held during a registration, then lets later ones reach the handler at once.
  ///
  /// After so many calls a task continues. The registration ends with the property, but not before it has received
  /// what was set until then: the task retains the property.
  ///
  /// - Parameters:
  ///   - registration: The registration.
  ///   - count: The number of calls.
  ///   - isAtHome: True if the caller runs on the handler's actor, so that the
  ///     handler is called before the method returns.
  ///   - property: The property.
  func handOver(
    to registration: ObserverRegistration,
    _ count: Int = SharedChanges<Value>.othersPerTurn,
    isAtHome: Bool = false,
    retaining property: SharedObserved<Value>
  ) {
    // Counted as a call, so that waiting for the registration to finish includes it.
    guard registration.beginCall() else { return }
    defer { registration.finish() }
    for _ in 0..<count {
      guard let sink = registration.sink(as: SharedSink<Value>.self), sink.callHeld(isAtHome) else {
        return
      }
    }
    Task.detached { self.handOver(to: registration, retaining: property) }
  }

  /// Ends the registrations of an owner.
  ///
  /// - Parameters:
  ///   - owner: The owner.
  ///   - id: The identifier of the registrations to end; `nil` for all.
  ///   - number: The number of the first registration that remains.
  func end(of owner: AnyObject, id: AnyHashable? = nil, before number: UInt = .max) {
    endAll { sink in
      sink.number < number && (sink as? SharedSink<Value>)?.belongs(to: owner, as: id) == true
    }
  }

  override func queueIsCrowded(
    _ count: Int,
    of actor: ActorIdentity?,
    registeredAt handler: CallSite
  ) {
    printError(
      "EventBus: \(count) changes of the shared property at \(site.fileID):\(site.line) wait for the actor"
        + " \(actor.map { "\($0)" } ?? "of a handler"); the newest is for the handler registered at"
        + " \(SourceSite(handler)). The actor is blocked, or slower than the code that sets the property: let its"
        + " handlers return sooner."
    )
  }

  /// Calls the observers for a round.
  ///
  /// - Parameters:
  ///   - round: The round.
  ///   - isolation: The actor on which the caller runs; its handlers are called at once.
  func deliver(_ round: SharedRound<Value>, _ isolation: (any Actor)?) {
    // What waits for the actor comes first.
    if let isolation, !counts.areMailboxesEmpty { mailboxes.member(of: isolation)?.drain() }
    let call: SharedCall<Value> = round
    let post = post(on: isolation)
    _ = deliverInOrder(call, post, from: nil, wildcards: nil, event: { call })
  }

  /// Warns, once, about observers of this property and of others that seem to trigger each other in an endless cycle.
  func warnOnce() {
    if hasWarned.exchange(true, ordering: .relaxed) { return }
    printError(
      "EventBus: The property at \(site.fileID):\(site.line) was set at the end of a chain of more than 100 changes, "
        + "each made by an observer of the previous one. Check whether observers trigger each other in an endless cycle."
    )
  }

  // MARK: Calls outside any turn

  /// Returns whether a thread is calling a handler outside any turn.
  func isCalling(on thread: UInt) -> Bool {
    guard callerCount.load(ordering: .relaxed) > 0 else { return false }
    return callers.withLock { $0.contains(thread) }
  }

  /// Makes a call outside any turn.
  ///
  /// - Parameters:
  ///   - chain: The chain of the round.
  ///   - body: The call.
  /// - Returns: The result of the call.
  func calling<Result>(_ chain: SettingChain, _ body: () throws -> Result) rethrows -> Result {
    let thread = currentThreadID()
    callerCount.wrappingAdd(1, ordering: .relaxed)
    let isOutermost = callers.withLock { $0.insert(thread).inserted }
    defer {
      if isOutermost { _ = callers.withLock { $0.remove(thread) } }
      callerCount.wrappingSubtract(1, ordering: .relaxed)
    }
    return try chain.calling(body)
  }
}

/// The round for which an observer of a shared property is called; `nil` for the next one that waits in the sink
/// of the observer.
typealias SharedCall<Value: Sendable> = SharedRound<Value>?

/// A handler without its isolation; it receives its owner, if there is one.
typealias SharedHandler<Value> = @Sendable (AnyObject?, Change<Value>) throws -> Void

/// The sink of an observer of a shared property.
///
/// It keeps the changes that are pending during the registration, and until the actor handles them.
///
/// One thread at a time delivers to an observer: first the registering thread, or a task that continues
/// for it, until no change is held any more; then the thread that delivers for the property.
///
/// With the registration, what is kept is released at once, even while the actor is busy.
final class SharedSink<Value: Sendable>: GeneralSink<SharedCall<Value>>,
  @unchecked Sendable  // Reason: constants, and state that is locked.
{
  private struct State: ~Copyable {
    /// True if the registering thread has made its last call.
    var isOpen = false
    /// True if the registration has ended, and nothing is to be kept.
    var hasFinished = false
    /// The number of the newest change contained in the value at registration.
    var baseline: UInt = 0
    /// The value at registration, until the first change after it.
    var known: Value?
    /// The changes that wait: for the registering thread, and for the actor, whose mailbox holds one call for each.
    var waiting = BoundedQueue<SharedRound<Value>>()
    /// The number of waiting changes, the last ones, for which the registering thread has yet to make a call.
    var held = 0

    /// Returns the value that the observer knows, if a round includes changes from before.
    func known(for round: SharedRound<Value>) -> Value? { round.first <= baseline ? known : nil }

    /// Adds a change, or merges it into the last one.
    ///
    /// - Returns: If the change was merged, a value for the caller to release outside its lock.
    mutating func append(_ round: SharedRound<Value>) -> Value? {
      let displaced = waiting.appendOrMerge(round.beginning(with: known(for: round)))
      if displaced == nil, !isOpen { held += 1 }
      return displaced
    }
  }

  private let state = Locked(State())
  private let observers: SharedObservers<Value>
  private let ownerID: ObjectIdentifier?
  private let id: AnyHashable?
  /// True if the handler runs on an actor.
  private let isBound: Bool
  private let handler: SharedHandler<Value>

  /// Creates a sink that holds changes.
  ///
  /// - Parameters:
  ///   - observers: The observers of the property.
  ///   - registration: The registration.
  ///   - owner: The owner, held weakly.
  ///   - id: The owner's identifier for the registration, so that a later one with the same identifier replaces it.
  ///   - mailbox: The mailbox of the actor on which the handler runs.
  ///   - handler: The handler.
  init(
    of observers: SharedObservers<Value>,
    _ registration: ObserverRegistration,
    _ owner: AnyObject?,
    _ id: AnyHashable?,
    on mailbox: Mailbox?,
    _ handler: @escaping SharedHandler<Value>
  ) {
    (self.observers, self.id, self.handler) = (observers, id, handler)
    (ownerID, isBound) = (owner.map(ObjectIdentifier.init), mailbox != nil)
    let request = ObserveRequest(at: registration.site)
    // Each look at a change is counted as a call, since it changes what the sink keeps.
    super.init(registration, request, nil, owner: owner, on: mailbox, declines: true)
  }

  /// Sets the value that the observer knows from its registration, with which its changes begin.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - number: The number of the newest change in it.
  ///   - isWanted: Whether the handler is also called with the value.
  func begin(with value: Value, _ number: UInt, _ isWanted: Bool) {
    // Released outside the lock, with the values that they displace.
    let (early, merged) = state.withLock { state -> ([SharedRound<Value>], Int) in
      guard !state.hasFinished else { return ([], 0) }
      (state.baseline, state.known, state.held) = (number, value, 0)
      let early = state.waiting.removeAll()
      let change = Change(.initial, old: value, new: value)
      let initial = SharedRound(change: change, first: number, number: number)
      let rounds = (isWanted ? [initial] : []) + early.filter { $0.number > number }
      return (early, rounds.count { state.append($0) != nil })
    }
    withExtendedLifetime(early) {}
    for _ in 0..<merged { observers.countMerged() }
  }

  /// Returns whether to call the observer for a round, at once or by another call in its mailbox.
  ///
  /// It is called once for each delivered round.
  private func admits(_ call: SharedCall<Value>) -> Bool {
    guard let round = call else { return true }
    // Released outside the lock, as is a displaced value.
    var former: Value?
    defer { withExtendedLifetime(former) {} }
    let (isAdmitted, displaced) = state.withLock { state -> (Bool, Value?) in
      if state.hasFinished || round.number <= state.baseline { return (false, nil) }
      if round.first > state.baseline { swap(&former, &state.known) }
      if state.isOpen, !isBound { return (true, nil) }
      let displaced = state.append(round)
      return (state.isOpen && displaced == nil, displaced)
    }
    if displaced != nil { observers.countMerged() }
    return isAdmitted
  }

  override func accept(_ call: SharedCall<Value>, _ post: Post, isCounted: Bool) -> Reception {
    admits(call) ? super.accept(call, post, isCounted: isCounted) : .declined
  }

  // The state has the change, and releases it as soon as the registration ends.
  override func kept(_ call: SharedCall<Value>) -> SharedCall<Value> { nil }

  /// Calls the handler for an admitted round, or for the first one that waits.
  ///
  /// Other rounds may have been merged with the pending ones since.
  override func call(_ admitted: SharedCall<Value>) throws -> Reception {
    guard let round = takeForCall(admitted) else { return .declined }
    let owner = owner
    if ownerID != nil, owner == nil { return .ownerLost }
    if isBound || admitted == nil {
      try observers.calling(round.chain) { try handler(owner, round.change) }
    } else {
      try handler(owner, round.change)
    }
    return .called
  }

  /// Makes the call for the next change held during the registration.
  ///
  /// - Parameter isAtHome: True if the caller runs on the handler's actor.
  /// - Returns: `false` if no change is held any more.
  fileprivate func callHeld(_ isAtHome: Bool) -> Bool {
    let isHeld = state.withLock { state in
      state.isOpen = state.held == 0
      if !state.isOpen { state.held -= 1 }
      return !state.isOpen
    }
    guard isHeld else { return false }
    // One that was made before a pause is delivered during it, like an event that waits for an actor.
    let post = observers.post()
    _ = isAtHome ? perform(nil, post) : super.accept(nil, post, isCounted: true)
    return true
  }

  /// Returns the round to deliver in a call.
  ///
  /// - Returns: The round, or `nil` if none waits or the merged changes cancel each other out.
  private func takeForCall(_ admitted: SharedCall<Value>) -> SharedRound<Value>? {
    let round: SharedRound<Value>
    if !isBound, let admitted {
      if !admitted.isMerged { return admitted }
      round = admitted.beginning(with: state.withLock { $0.known(for: admitted) })
    } else {
      guard let first = state.withLock({ $0.waiting.popFirst() }) else { return nil }
      round = first
    }
    guard round.isNothing(observers.areEqual) else { return round }
    if !round.isCounted { observers.countMerged() }
    return nil
  }

  override func takeWaiting() -> Discarded? {
    let kept = state.withLock { state in
      state.hasFinished = true
      return (state.known.take(), state.waiting.removeAll())
    }
    return Discarded((kept, super.takeWaiting()))
  }

  /// Returns whether the registration belongs to an object and, if an identifier is given, carries it.
  ///
  /// Loads no other object: an object at another address is not the owner.
  func belongs(to object: AnyObject, as id: AnyHashable?) -> Bool {
    if let id, self.id != id { return false }
    return ownerID == ObjectIdentifier(object) && owner === object
  }
}
