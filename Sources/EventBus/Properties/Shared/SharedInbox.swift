internal import Synchronization

/// The pending changes of one observer of a shared property, during its registration and until its actor
/// handles them.
///
/// One thread at a time delivers to an observer: first the registering thread, or a task that continues
/// for it, until ``handOver(_:isAtHome:retaining:)`` has opened the inbox; then the thread that delivers for
/// the property.
///
/// An inbox finishes with the registration: it releases the changes at once, even while the actor is busy.
///
/// The observers own their inboxes, which refer back to them, as do the registrations;
/// ``ObserverList/close()`` breaks both cycles.
final class SharedInbox<Value: Sendable>: Sendable {
  private struct State: ~Copyable {
    var isOpen = false
    /// A Boolean value that indicates whether the registration has ended, and nothing is to be kept.
    var hasFinished = false
    /// The number of the newest change contained in the value at registration.
    var baseline: UInt = 0
    /// The value at registration, until the first change after it.
    var known: Value?
    /// The changes made during the registration.
    var held = BoundedQueue<SharedRound<Value>>()
    /// The changes that wait for the actor; its mailbox holds one call for each.
    var waiting = BoundedQueue<SharedRound<Value>>()

    /// Returns the value that the observer knows, if a round includes changes from before.
    func known(for round: SharedRound<Value>) -> Value? { round.first <= baseline ? known : nil }
  }

  private let state = Locked(State())
  private let observers: SharedObservers<Value>
  /// The registration of the observer.
  let registration: ObserverRegistration
  /// A Boolean value that indicates whether the handler runs on an actor.
  private let isBound: Bool

  /// Creates a closed inbox.
  ///
  /// - Parameters:
  ///   - observers: The observers of the property.
  ///   - registration: The registration of the observer.
  ///   - isBound: Whether the handler runs on an actor.
  init(
    of observers: SharedObservers<Value>,
    _ registration: ObserverRegistration,
    isBound: Bool
  ) {
    (self.observers, self.registration, self.isBound) = (observers, registration, isBound)
  }

  /// Sets the value that the observer knows from its registration, and the number of the newest change in it.
  func setBaseline(_ value: Value, _ number: UInt) {
    state.withLock { state in
      state.baseline = number
      if !state.hasFinished { state.known = value }
    }
  }

  /// Returns whether to call the observer for a round, at once or by another call in its mailbox.
  ///
  /// It is called once for each delivered round.
  func admits(_ call: SharedCall<Value>) -> Bool {
    guard let round = call else { return true }
    // Released outside the lock, as is a displaced value.
    var former: Value?
    defer { withExtendedLifetime(former) {} }
    let (isAdmitted, displaced) = state.withLock { state -> (Bool, Value?) in
      if state.hasFinished || round.number <= state.baseline { return (false, nil) }
      guard state.isOpen else { return (false, state.held.appendOrMerge(round)) }
      if round.first > state.baseline { swap(&former, &state.known) }
      if !isBound { return (true, nil) }
      let known = state.known(for: round)
      let displaced = state.waiting.appendOrMerge(round.beginning(with: known))
      return (displaced == nil, displaced)
    }
    if displaced != nil { observers.countMerged() }
    return isAdmitted
  }

  /// Calls a handler for an admitted round, or for the first one that waits for its actor.
  ///
  /// - Parameters:
  ///   - admitted: The admitted call; other rounds may have been merged with the pending ones since.
  ///   - body: Calls the handler.
  /// - Returns: The outcome; a round whose changes cancelled each other out is declined.
  func call(_ admitted: SharedCall<Value>, _ body: (Change<Value>) -> Reception) -> Reception {
    guard let round = takeForCall(admitted) else { return .declined }
    return isBound ? observers.calling(round.chain) { body(round.change) } : body(round.change)
  }

  /// Delivers the initial value and the changes made since to a new observer, then opens the inbox.
  ///
  /// After 64 changes a task continues. The registration ends with the property, but not before it has received
  /// what was set until then: the task retains the property.
  ///
  /// - Parameters:
  ///   - initial: The initial value.
  ///   - isAtHome: A Boolean value that indicates whether the caller runs on the handler's actor, so that the
  ///     handler is called before the method returns.
  ///   - property: The property.
  func handOver(
    _ initial: SharedRound<Value>?,
    isAtHome: Bool = false,
    retaining property: SharedObserved<Value>
  ) {
    // Counted as a call, so that waiting for the registration to finish includes it.
    guard registration.beginCall() else { return }
    defer { registration.finish() }
    if let initial { give(initial, isAtHome) }
    var rest = SharedChanges<Value>.othersPerTurn
    while rest > 0 {
      guard let round = nextHeld() else { return }
      give(round, isAtHome)
      rest -= 1
    }
    Task.detached { self.handOver(nil, retaining: property) }
  }

  private func give(_ round: SharedRound<Value>, _ isAtHome: Bool) {
    guard registration.isOpen,
      let sink = registration.sink(as: GeneralSink<SharedCall<Value>>.self)
    else { return }
    if isBound {
      let displaced = state.withLock { state in
        state.hasFinished ? nil : state.waiting.appendOrMerge(round)
      }
      if displaced != nil { return observers.countMerged() }
    }
    observers.calling(round.chain) {
      let post = observers.post()
      _ = isAtHome ? sink.perform(round, post) : sink.accept(round, post, isCounted: true)
    }
  }

  /// Removes the next round held during the registration, and those that the observer knows already; opens the
  /// inbox if there is none.
  private func nextHeld() -> SharedRound<Value>? {
    // Released outside the lock, as is the old value of the round.
    var former: [SharedRound<Value>] = []
    let next = state.withLock { state -> (round: SharedRound<Value>, known: Value?)? in
      while let round = state.held.popFirst() {
        if round.number > state.baseline { return (round, state.known(for: round)) }
        former.append(round)
      }
      state.isOpen = true
      return nil
    }
    withExtendedLifetime(former) {}
    return next.map { $0.round.beginning(with: $0.known) }
  }

  /// Returns the round to deliver in a call.
  ///
  /// - Returns: The round, or `nil` if none is pending or the merged changes cancel each other out.
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
}

extension SharedInbox {
  /// Takes out what is kept, at the end of the registration.
  ///
  /// - Returns: What was kept, which the caller releases.
  func finish() -> any Sendable {
    state.withLock { state in
      state.hasFinished = true
      return (state.known.take(), state.held.removeAll(), state.waiting.removeAll())
    }
  }
}
