internal import Synchronization

/// What a shared property and its observers count together.
final class SharedCounts: Sendable {
  /// How many changes were merged with a neighbour.
  let merged = Atomic<Int>(0)
  /// How many observers want changes announced.
  let priors = Atomic<Int>(0)

  private struct Calls {
    var depths: [UInt: Int] = [:]
  }

  /// The calls that belong to no thread's turn: on actors, and during registrations.
  private let calls = Locked(Calls())
  private let callCount = Atomic<Int>(0)

  init() {}

  /// The depth of the round that a thread is making a call for, if that call belongs to no turn.
  func depth(on thread: UInt) -> Int? {
    guard callCount.load(ordering: .relaxed) > 0 else { return nil }
    return calls.withLock { $0.depths[thread] }
  }

  /// Makes a call that belongs to no turn.
  ///
  /// - Parameters:
  ///   - depth: The depth of the round it is for.
  ///   - body: The call.
  /// - Returns: What the call returns.
  func calling<Result>(_ depth: Int, _ body: () -> Result) -> Result {
    let thread = ThreadIdentity.current
    callCount.wrappingAdd(1, ordering: .relaxed)
    let outer = calls.withLock { $0.depths.updateValue(depth, forKey: thread) }
    defer {
      calls.withLock { $0.depths[thread] = outer }
      callCount.wrappingSubtract(1, ordering: .relaxed)
    }
    return body()
  }
}

/// What waits in front of one observer of a shared property: while it is being registered, and until its
/// actor comes for it.
///
/// One thread at a time delivers to an observer: the registering one, or a task that follows it, until
/// ``nextHeld()`` has opened the inbox; then the one that delivers for the property.
///
/// An observer with ``ObserveOptions/prior`` on an actor, or of a change that was held, is called with
/// the announcement just before the change: only then it is known how the change has been merged.
final class SharedInbox<Value: Sendable>: Sendable {
  private struct State {
    var isOpen = false
    /// Changes up to this number are in the value the observer was registered with.
    var baseline: UInt = 0
    /// That value, until the first change after it.
    var known: Value?
    /// The change that was announced apart.
    var announced: UInt = 0
    /// What came during the registration.
    var held = RoundQueue<Value>()
    /// What waits for the actor, with a call in its mailbox for each.
    var waiting = RoundQueue<Value>()
  }

  private enum Admission {
    case admitted, declined
    case merged(Value)
  }

  private let state = Locked(State())
  /// Whether the observer's handler runs on an actor.
  let isBound: Bool
  private let wantsPrior: Bool
  private let areEqual: (@Sendable (Value, Value) -> Bool)?
  private let counts: SharedCounts

  /// Creates a closed inbox.
  ///
  /// - Parameters:
  ///   - isBound: Whether the observer's handler runs on an actor.
  ///   - wantsPrior: Whether changes are announced to it.
  ///   - areEqual: Tells values apart; without it every change is reported.
  ///   - counts: Counts the observers with announcements, for as long as this lives, and what merges.
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

  /// Takes note of the value the observer knows from its registration, and of the newest change in it.
  func setBaseline(_ value: Value, _ number: UInt) {
    state.withLock { ($0.baseline, $0.known) = (number, value) }
  }

  /// Asks, once for each round that is delivered, whether the observer is to be called for it: now, or
  /// by one more call in its mailbox.
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

  /// Keeps a round that was held, or the initial one, for the call in the mailbox that brings it.
  ///
  /// - Returns: Whether there is to be such a call, or one without a mailbox.
  func keepsHandedOver(_ round: SharedRound<Value>) -> Bool {
    guard isBound else { return true }
    return act(on: state.withLock { Self.keep(round, &$0.waiting) })
  }

  /// Takes what came during the registration; opens the inbox when nothing is left of it.
  ///
  /// - Returns: The round, and whether the observer knows it already.
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

  /// The round that a call is for, and whether the call is to announce it first.
  ///
  /// - Parameter round: The round that was admitted; others may have been merged since with what waits.
  /// - Returns: The round, or `nil` when nothing waits, or when what has been merged comes to nothing.
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

  /// Makes a call, outside every thread's turn where the handler runs on an actor.
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
