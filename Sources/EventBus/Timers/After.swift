/// Calls a handler once, later, if an object still lives then.
///
/// As with `every`, the owner is held weakly and the handler runs where it was written. The registration
/// ends when the call begins. A delay of zero is allowed: the call is made in the next turn. A call whose
/// time comes while the token is paused is made when the last pause ends.
///
/// ## Thread safety
///
/// May be called from anywhere.
///
/// - Parameters:
///   - delay: From now to the call, not below zero; anything else traps.
///   - owner: The object whose life the timer shares, held weakly.
///   - tolerance: How much later than its deadline the call may come; not below zero.
///   - clock: Measures the delay.
///   - fileID: Where the timer was written; filled in by the compiler.
///   - line: Its line.
///   - body: Called in a task with the owner and the tick, and freed afterwards.
/// - Returns: The token, which may be dropped: the timer stays. Cancelling it prevents the call.
/// - Complexity: O(log *n*) in the number of the clock's timers.
@discardableResult
public func after<Owner: AnyObject & Sendable, C: Clock>(
  _ delay: C.Duration,
  owner: Owner,
  tolerance: C.Duration? = nil,
  clock: C = ContinuousClock(),
  fileID: StaticString = #fileID,
  line: UInt = #line,
  @_inheritActorContext
  _ body: @escaping @isolated(any) @Sendable (Owner, Tick) async -> Void
) -> Token {
  TimerRequest(after: delay, tolerance: tolerance, clock: clock, fileID: fileID, line: line)
    .start(OwnerTimerBody(owner, body), owner: owner)
}

/// Calls a handler once, later, on an actor, if that still lives then.
///
/// The handler is isolated to the actor it is given and need not capture it.
///
/// - Parameters:
///   - delay: From now to the call, not below zero; anything else traps.
///   - owner: The actor, held weakly.
///   - tolerance: How much later than its deadline the call may come; not below zero.
///   - clock: Measures the delay.
///   - fileID: Where the timer was written; filled in by the compiler.
///   - line: Its line.
///   - body: Called in a task on the actor, with the actor and the tick.
/// - Returns: The token, which may be dropped: the timer stays. Cancelling it prevents the call.
/// - Complexity: O(log *n*) in the number of the clock's timers.
@discardableResult
public func after<Owner: Actor, C: Clock>(
  _ delay: C.Duration,
  owner: Owner,
  tolerance: C.Duration? = nil,
  clock: C = ContinuousClock(),
  fileID: StaticString = #fileID,
  line: UInt = #line,
  _ body: @escaping @Sendable (isolated Owner, Tick) async -> Void
) -> Token {
  TimerRequest(after: delay, tolerance: tolerance, clock: clock, fileID: fileID, line: line)
    .start(ActorTimerBody(owner, body), owner: owner)
}

/// Calls a handler once, later, if the token is still kept then.
///
/// - Parameters:
///   - delay: From now to the call, not below zero; anything else traps.
///   - tolerance: How much later than its deadline the call may come; not below zero.
///   - clock: Measures the delay.
///   - fileID: Where the timer was written; filled in by the compiler.
///   - line: Its line.
///   - body: Called in a task with the tick.
/// - Returns: The token. Dropping it prevents the call.
/// - Complexity: O(log *n*) in the number of the clock's timers.
public func after<C: Clock>(
  _ delay: C.Duration,
  tolerance: C.Duration? = nil,
  clock: C = ContinuousClock(),
  fileID: StaticString = #fileID,
  line: UInt = #line,
  @_inheritActorContext
  _ body: @escaping @isolated(any) @Sendable (Tick) async -> Void
) -> Token {
  TimerRequest(after: delay, tolerance: tolerance, clock: clock, fileID: fileID, line: line)
    .start(PlainTimerBody(body))
}
