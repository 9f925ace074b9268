/// A situation that every kind of registration must survive.
public enum EdgeRow: String, CaseIterable, Sendable {
  case fired, cancelled, cancelledTwice, cancelledAfterCalls
  case paused, pausedTwice, excluded, throwing, reentrant, active, counted
  case ownerGone, ownerGoneBesideLifetime, ownerLifetimeEnded
  case lifetimeEnded, attachedToEnded, movedToAnotherLifetime
  case endedInItsCall, lifetimeEndedInItsCall, endedByAnotherThread, endedByAnotherThreadInItsCall
  case waitedAfterEnd, waitedBeforeEnd, waitedDuringCall, waitedInItsHandler
  case waitedAfterEndingByItself, waitedInCancelledTask
  case tokenDropped, bagDropped, bagEmptied, leavesItsBag
  case firesFromDeinit, registersFromDeinit

  /// Returns the kinds the row applies to.
  public func applicable(_ kinds: [EdgeKind]) -> [EdgeKind] {
    kinds.filter { reason(against: $0) == nil }
  }

  /// Tries a kind.
  ///
  /// - Returns: The problems.
  public func findings(_ kind: EdgeKind) async -> [String] {
    let trial = EdgeTrial(kind)
    await check(trial)
    // Handlers that use the subject keep it.
    trial.subjects.value?.token = nil
    trial.subjects.letGo()
    return trial.found
  }

  /// Why a kind cannot be in the situation; `nil` if it can.
  public func reason(against kind: EdgeKind) -> String? {
    if let reason = kind.exclusions[self] { return reason }
    let traits = kind.traits
    switch self {
    case .fired, .cancelled, .cancelledTwice, .cancelledAfterCalls, .endedInItsCall,
      .endedByAnotherThread, .endedByAnotherThreadInItsCall, .reentrant:
      break
    case .counted:
      break
    case .throwing:
      if !traits.contains(.canThrow) { return "Its handlers cannot throw." }
    case .ownerGone, .ownerGoneBesideLifetime, .ownerLifetimeEnded:
      if kind.owner == .none { return "It has no owner." }
      if self != .ownerGone, kind.owner != .lifetime { return "Its owner carries no lifetime." }
    case .waitedInItsHandler:
      if !traits.contains(.isAsync) { return "A synchronous handler cannot wait." }
    case .waitedAfterEndingByItself:
      if kind.owner == .none, kind.calls != .once { return "It does not end by itself." }
    case .paused, .pausedTwice:
      if traits.contains(.cannotPause) { return "Its token cannot pause." }
    default: break
    }
    if traits.contains(.hasNoToken), needsToken { return "It has no token." }
    if traits.contains(.hasTokenOfItsOwn), needsBag {
      return "Its token cannot be given to a bag or a lifetime, and dropping it does nothing."
    }
    if kind.calls == .atItsEnd, needsCalls { return "Its handler is called only when it is ended." }
    return nil
  }

  private var needsToken: Bool {
    switch self {
    case .fired, .cancelled, .cancelledTwice, .cancelledAfterCalls, .reentrant, .counted,
      .ownerLifetimeEnded, .endedInItsCall, .endedByAnotherThread, .endedByAnotherThreadInItsCall:
      false
    default: true
    }
  }

  /// A Boolean value that indicates whether the row passes the token on or drops it.
  private var needsBag: Bool {
    switch self {
    case .lifetimeEnded, .attachedToEnded, .movedToAnotherLifetime, .lifetimeEndedInItsCall,
      .tokenDropped, .bagDropped, .bagEmptied, .leavesItsBag:
      true
    default: false
    }
  }

  private var needsCalls: Bool {
    switch self {
    case .excluded, .reentrant, .counted, .waitedDuringCall, .endedByAnotherThreadInItsCall,
      .lifetimeEndedInItsCall:
      true
    default: false
    }
  }

  private func check(_ trial: EdgeTrial) async {
    switch self {
    case .fired: await fired(trial)
    case .cancelled: await cancelled(trial)
    case .cancelledTwice: await cancelledTwice(trial)
    case .cancelledAfterCalls: await cancelledAfterCalls(trial)
    case .paused: await paused(trial)
    case .pausedTwice: await pausedTwice(trial)
    case .excluded: await excluded(trial)
    case .throwing: await throwing(trial)
    case .reentrant: await reentrant(trial)
    case .active: await active(trial)
    case .counted: await counted(trial)
    case .ownerGone: await ownerGone(trial)
    case .ownerGoneBesideLifetime: await ownerGoneBesideLifetime(trial)
    case .ownerLifetimeEnded: await ownerLifetimeEnded(trial)
    case .lifetimeEnded: await lifetimeEnded(trial)
    case .attachedToEnded: await attachedToEnded(trial)
    case .movedToAnotherLifetime: await movedToAnotherLifetime(trial)
    case .endedInItsCall: await endedInItsCall(trial)
    case .lifetimeEndedInItsCall: await lifetimeEndedInItsCall(trial)
    case .endedByAnotherThread: await endedByAnotherThread(trial)
    case .endedByAnotherThreadInItsCall: await endedByAnotherThreadInItsCall(trial)
    case .waitedAfterEnd: await waitedAfterEnd(trial)
    case .waitedBeforeEnd: await waitedBeforeEnd(trial)
    case .waitedDuringCall: await waitedDuringCall(trial)
    case .waitedInItsHandler: await waitedInItsHandler(trial)
    case .waitedAfterEndingByItself: await waitedAfterEndingByItself(trial)
    case .waitedInCancelledTask: await waitedInCancelledTask(trial)
    case .tokenDropped: await tokenDropped(trial)
    case .bagDropped: await bagDropped(trial)
    case .bagEmptied: await bagEmptied(trial)
    case .leavesItsBag: await leavesItsBag(trial)
    case .firesFromDeinit: await firesFromDeinit(trial)
    case .registersFromDeinit: await registersFromDeinit(trial)
    }
  }
}
