internal import Synchronization

/// What a shared property and its observers count together.
internal final class SharedCounts: Sendable {
  /// How many changes were merged with a neighbour.
  internal let merged = Atomic<Int>(0)
  /// How many observers want changes announced.
  internal let priors = Atomic<Int>(0)

  internal init() {}
}

/// What waits in front of one observer of a shared property: while it is being registered, and until its
/// actor comes for it.
///
/// One thread at a time delivers to an observer: the registering one, or a task that follows it, until
/// ``nextHeld()`` has opened the inbox; then the one that delivers for the property.
///
/// An observer with ``ObserveOptions/prior`` on an actor, or of a change that was held, is called with
/// the announcement just before the change: only then it is known how the change has been merged.
internal final class SharedInbox<Value: Sendable>: Sendable {
  private struct State {
    var isOpen = false
    /// Changes up to this number are in the value the observer was registered with.
    var baseline: UInt = 0
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
  private let isBound: Bool
  private let wantsPrior: Bool
  private let counts: SharedCounts

  /// Creates a closed inbox.
  ///
  /// - Parameters:
  ///   - isBound: Whether the observer's handler runs on an actor.
  ///   - wantsPrior: Whether changes are announced to it.
  ///   - counts: Counts the observers with announcements, for as long as this lives, and what merges.
  internal init(isBound: Bool, wantsPrior: Bool, _ counts: SharedCounts) {
    self.isBound = isBound
    self.wantsPrior = wantsPrior
    self.counts = counts
    if wantsPrior { counts.priors.wrappingAdd(1, ordering: .relaxed) }
  }

  deinit {
    if wantsPrior { counts.priors.wrappingSubtract(1, ordering: .relaxed) }
  }

  /// Takes note of the newest change the observer knows from its registration.
  internal func setBaseline(_ number: UInt) { state.withLock { $0.baseline = number } }

  /// Asks, once for each round that is delivered, whether the observer is to be called for it: now, or
  /// by one more call in its mailbox.
  internal func admits(_ round: SharedRound<Value>) -> Bool {
    if round.change.kind == .prior { return announces(round) }
    return act(
      on: state.withLock { state -> Admission in
        if round.number <= state.baseline { return .declined }
        if state.isOpen { return isBound ? Self.keep(round, &state.waiting) : .admitted }
        if case .merged(let value) = Self.keep(round, &state.held) { return .merged(value) }
        return .declined
      }
    )
  }

  /// Keeps a round that was held, or the initial one, for the call in the mailbox that brings it.
  ///
  /// - Returns: Whether there is to be such a call, or one without a mailbox.
  internal func keepsHandedOver(_ round: SharedRound<Value>) -> Bool {
    guard isBound else { return true }
    return act(on: state.withLock { Self.keep(round, &$0.waiting) })
  }

  /// Takes what came during the registration; opens the inbox when nothing is left of it.
  ///
  /// - Returns: The round, and whether the observer knows it already.
  internal func nextHeld() -> (round: SharedRound<Value>, isKnown: Bool)? {
    state.withLock { state in
      guard let round = state.held.popFirst() else {
        state.isOpen = true
        return nil
      }
      return (round, round.number <= state.baseline)
    }
  }

  /// The round that a call is for, and whether the call is to announce it first.
  ///
  /// - Parameter round: The round that was admitted; others may have been merged since with what waits.
  /// - Returns: The round, or `nil` when nothing waits.
  internal func takeForCall(_ round: SharedRound<Value>) -> (SharedRound<Value>, isAnnounced: Bool)?
  {
    guard isBound else {
      let isPlain = !wantsPrior || round.change.kind != .set
      return (round, !isPlain && state.withLock { $0.announced != round.number })
    }
    guard let round = state.withLock({ $0.waiting.popFirst() }) else { return nil }
    return (round, wantsPrior && round.change.kind == .set)
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
