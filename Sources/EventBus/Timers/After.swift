/// Calls a handler once, after a delay, if an object is still alive then.
///
/// As with `every`, the owner is held weakly and the handler runs in the isolation of its closure. The
/// registration ends when the call begins. With a delay of zero the call is made in the next turn. A call
/// that falls due while the token is paused is made when the last pause ends.
///
/// ## Thread safety
///
/// May be called from anywhere.
///
/// - Parameters:
///   - delay: The time from now to the call. A negative delay traps.
///   - owner: The object with which the timer ends, held weakly.
///   - tolerance: The maximum delay of the call after its deadline. A negative tolerance traps.
///   - clock: The clock that measures the delay.
///   - fileID: The file of the call, supplied by the compiler.
///   - line: The line of the call, supplied by the compiler.
///   - body: Called in a task with the owner and the tick, and released afterwards.
/// - Returns: The token. Dropping it does nothing; cancelling it prevents the call.
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
  TimerRequest(delay, tolerance: tolerance, clock: clock, fileID: fileID, line: line)
    .start(OwnerTimerBody(owner, body), owner: owner)
}

/// Calls a handler once, after a delay, on an actor that is still alive then.
///
/// The handler is isolated to the actor that it receives and need not capture it.
///
/// - Parameters:
///   - delay: The time from now to the call. A negative delay traps.
///   - owner: The actor, held weakly.
///   - tolerance: The maximum delay of the call after its deadline. A negative tolerance traps.
///   - clock: The clock that measures the delay.
///   - fileID: The file of the call, supplied by the compiler.
///   - line: The line of the call, supplied by the compiler.
///   - body: Called in a task on the actor, with the actor and the tick.
/// - Returns: The token. Dropping it does nothing; cancelling it prevents the call.
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
  TimerRequest(delay, tolerance: tolerance, clock: clock, fileID: fileID, line: line)
    .start(ActorTimerBody(owner, body), owner: owner)
}

/// Calls a handler once, after a delay, if the token still exists then.
///
/// - Parameters:
///   - delay: The time from now to the call. A negative delay traps.
///   - tolerance: The maximum delay of the call after its deadline. A negative tolerance traps.
///   - clock: The clock that measures the delay.
///   - fileID: The file of the call, supplied by the compiler.
///   - line: The line of the call, supplied by the compiler.
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
  TimerRequest(delay, tolerance: tolerance, clock: clock, fileID: fileID, line: line)
    .start(PlainTimerBody(body))
}
