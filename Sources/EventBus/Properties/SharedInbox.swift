internal import Synchronization

/// Counters that a shared property shares with its observers.
final class SharedCounts: Sendable {
  /// The number of merged changes.
  let merged = Atomic<Int>(0)
  /// The number of observers that receive announcements.
  let priors = Atomic<Int>(0)

  private struct Calls {
    var depths: [UInt: Int] = [:]
  }

  /// The calls outside any thread's turn: on actors and during registrations.
  private let calls = Locked(Calls())
  private let callCount = Atomic<Int>(0)

  /// The depth of the round for which a thread is calling a handler outside any turn.
  func depth(on thread: UInt) -> Int? {
    guard callCount.load(ordering: .relaxed) > 0 else { return nil }
    return calls.withLock { $0.depths[thread] }
  }

  /// Makes a call outside any turn.
  ///
  /// - Parameters:
  ///   - depth: The depth of the round.
  ///   - body: The call.
  /// - Returns: The result of the call.
  func calling<Result>(_ depth: Int, _ body: () -> Result) -> Result {
    let thread = currentThreadID()
    callCount.wrappingAdd(1, ordering: .relaxed)
    let outer = calls.withLock { $0.depths.updateValue(depth, forKey: thread) }
    defer {
      calls.withLock { $0.depths[thread] = outer }
      callCount.wrappingSubtract(1, ordering: .relaxed)
    }
    return body()
  }
}

/// The pending changes of one observer of a shared property, during its registration and until its actor
/// handles them.
///
/// One thread at a time delivers to an observer: first the registering thread, or a task that continues
/// for it, until ``nextHeld()`` has opened the inbox; then the thread that delivers for the property.
///
/// An observer with ``ObserveOptions/prior`` that runs on an actor, or whose change was held, receives the
/// announcement just before the change, because only then is it known how the change was merged.
final class SharedInbox<Value: Sendable>: Sendable {
  private struct State {
    var isOpen = false
    /// The number of the newest change contained in the value at registration.
    var baseline: UInt = 0
    /// The value at registration, until the first change after it.
    var known: Value?
    /// The number of the change that was announced separately.
    var announced: UInt = 0
    /// The changes made during the registration.
    var held = RoundQueue<Value>()
    /// The changes that wait for the actor; its mailbox holds one call for each.
    var waiting = RoundQueue<Value>()
  }

  private enum Admission {
    case admitted, declined
    case merged(Value)
  }

  private let state = Locked(State())
  /// A Boolean value that indicates whether the handler runs on an actor.
  let isBound: Bool
  private let wantsPrior: Bool
  private let areEqual: (@Sendable (Value, Value) -> Bool)?
  private let counts: SharedCounts

  /// Creates a closed inbox.
  ///
  /// - Parameters:
  ///   - isBound: A Boolean value that indicates whether the handler runs on an actor.
  ///   - wantsPrior: A Boolean value that indicates whether the observer receives announcements.
  ///   - areEqual: Compares values; without it, every change is reported.
  ///   - counts: The counters of the property.
  init(
    isBound: Bool,
    wantsPrior: Bool,
    _ areEqual: (@Sendable (Value, Value) -> Bool)?,
    _ counts: SharedCounts
  ) {
    self.isBound = isBound
    self.wantsPrior = wantsPrior
    self.areEqual = areEqual
    self.counts = counts
    if wantsPrior { counts.priors.wrappingAdd(1, ordering: .relaxed) }
  }

  deinit {
    if wantsPrior { counts.priors.wrappingSubtract(1, ordering: .relaxed) }
  }

  /// Sets the value that the observer knows from its registration, and the number of the newest change in it.
  func setBaseline(_ value: Value, _ number: UInt) {
    state.withLock { ($0.baseline, $0.known) = (number, value) }
  }

  /// Returns whether to call the observer for a round, at once or by another call in its mailbox.
  ///
  /// It is called once for each delivered round.
  func admits(_ round: SharedRound<Value>) -> Bool {
    if round.change.kind == .prior { return announces(round) }
    // Released outside the lock.
    var former: Value?
    defer { withExtendedLifetime(former) {} }
    return act(
      on: state.withLock { state -> Admission in
        if round.number <= state.baseline { return .declined }
        guard state.isOpen else {
          if case .merged(let value) = Self.keep(round, &state.held) { return .merged(value) }
          return .declined
        }
        if round.first > state.baseline { swap(&former, &state.known) }
        if !isBound { return .admitted }
        return Self.keep(Self.begin(round, with: state.known), &state.waiting)
      }
    )
  }

  /// Queues a held or initial round for its call in the mailbox.
  ///
  /// - Returns: `true` if the observer must be called, by way of its mailbox if it has one.
  func keepsHandedOver(_ round: SharedRound<Value>) -> Bool {
    guard isBound else { return true }
    return act(on: state.withLock { Self.keep(round, &$0.waiting) })
  }

  /// Removes the next round held during the registration; opens the inbox if there is none.
  ///
  /// - Returns: The round, and whether the observer already knows it.
  func nextHeld() -> (round: SharedRound<Value>, isKnown: Bool)? {
    let next: (SharedRound<Value>, isKnown: Bool, Value?)? = state.withLock { state in
      guard let round = state.held.popFirst() else {
        state.isOpen = true
        return nil
      }
      let known = round.first <= state.baseline ? state.known : nil
      return (round, round.number <= state.baseline, known)
    }
    return next.map { (Self.begin($0, with: $2), $1) }
  }

  /// Returns the round to deliver in a call, and whether the call must announce it first.
  ///
  /// - Parameter round: The admitted round; others may have been merged with the pending ones since.
  /// - Returns: The round, or `nil` if none is pending or the merged changes cancel each other out.
  func takeForCall(_ round: SharedRound<Value>) -> (SharedRound<Value>, isAnnounced: Bool)? {
    let isBound = isBound
    let wantsPrior = wantsPrior && round.change.kind == .set
    if !isBound, !round.isMerged, !wantsPrior { return (round, false) }
    let next: (SharedRound<Value>, isAnnounced: Bool, Value?)? = state.withLock { state in
      if isBound { return state.waiting.popFirst().map { ($0, false, nil) } }
      let known = round.first <= state.baseline ? state.known : nil
      return (round, state.announced == round.number, known)
    }
    guard let (round, isAnnounced, known) = next else { return nil }
    let begun = Self.begin(round, with: known)
    guard !begun.isNothing(areEqual) else {
      if begun.change.kind == .set { counts.merged.wrappingAdd(1, ordering: .relaxed) }
      return nil
    }
    return (begun, self.wantsPrior && begun.change.kind == .set && !isAnnounced)
  }

  /// Makes a call; if the handler runs on an actor, the call is outside any thread's turn.
  func calling<Result>(_ round: SharedRound<Value>, _ body: () -> Result) -> Result {
    isBound ? counts.calling(round.depth, body) : body()
  }

  private static func begin(_ round: SharedRound<Value>, with known: Value?) -> SharedRound<Value> {
    known.map { round.beginning(with: $0) } ?? round
  }

  private func announces(_ round: SharedRound<Value>) -> Bool {
    guard wantsPrior, !isBound else { return false }
    return state.withLock { state in
      guard state.isOpen, round.number > state.baseline else { return false }
      state.announced = round.number
      return true
    }
  }

  private static func keep(_ round: SharedRound<Value>, _ queue: inout RoundQueue<Value>)
    -> Admission
  {
    queue.append(round).map { .merged($0) } ?? .admitted
  }

  private func act(on admission: Admission) -> Bool {
    switch admission {
    case .admitted: return true
    case .declined: return false
    case .merged:
      counts.merged.wrappingAdd(1, ordering: .relaxed)
      return false
    }
  }
}
