/// Calls a handler periodically while an object is alive.
///
/// A periodic task that holds its owner weakly:
///
/// ```swift
/// @MainActor final class Screen {
///   var minutes = 0
///
///   func start() {
///     every(.seconds(60), owner: self) { screen, _ in screen.minutes += 1 }
///   }
/// }
/// ```
///
/// The first tick comes one interval after the call. Deadlines are absolute, so the timer does not drift.
/// The handler runs in the isolation of its closure and never overlaps itself.
///
/// The timer keeps the owner alive only during a tick. It ends with the owner: at once if the owner is a
/// ``LifetimeOwner``, otherwise at the next tick. The handler is released when the timer ends or its token
/// is cancelled, or after the tick that is running at that time. That tick continues, and its task is not
/// cancelled.
///
/// While the token is paused there are no ticks. Deadlines that pass during a pause are dropped and not
/// counted as missed. After the pause the timer stays on the multiples of its interval.
///
/// ## Thread safety
///
/// May be called from anywhere. On each actor, timers that are due together are called in the order of
/// their deadlines, and among equal deadlines in registration order. A handler that suspends does not
/// delay the others.
///
/// - Parameters:
///   - interval: The time from now to the first tick, and from each deadline to the next. An interval of
///     zero or less traps.
///   - owner: The object with which the timer ends, held weakly.
///   - tolerance: The maximum delay of a tick after its deadline, so that one wake-up can serve several
///     timers. A negative tolerance traps.
///   - missed: The policy for missed deadlines.
///   - clock: The clock that measures the interval. A clock that is an object is kept alive while it has
///     timers or tokens of timers. All of its timers share one sleeping task, as all timers of a standard
///     clock do.
///   - fileID: The file of the call, supplied by the compiler.
///   - line: The line of the call, supplied by the compiler.
///   - body: Called in a task with the owner and the tick.
/// - Returns: The token. Dropping it does nothing; cancelling it ends the timer early.
/// - Complexity: O(log *n*) in the number of the clock's timers.
@discardableResult
public func every<Owner: AnyObject & Sendable, C: Clock>(
  _ interval: C.Duration,
  owner: Owner,
  tolerance: C.Duration? = nil,
  missed: MissedTicks = .skip,
  clock: C = ContinuousClock(),
  fileID: StaticString = #fileID,
  line: UInt = #line,
  @_inheritActorContext
  _ body: @escaping @isolated(any) @Sendable (Owner, Tick) async -> Void
) -> Token {
  TimerRequest(
    interval,
    tolerance: tolerance,
    missed: missed,
    clock: clock,
    fileID: fileID,
    line: line
  ).start(OwnerTimerBody(owner, body), owner: owner)
}

/// Calls a handler periodically on an actor while that actor is alive.
///
/// The handler is isolated to the actor that it receives and need not capture it. Otherwise the function
/// behaves as with any other owner.
///
/// - Parameters:
///   - interval: The time from now to the first tick, and from each deadline to the next. An interval of
///     zero or less traps.
///   - owner: The actor, held weakly.
///   - tolerance: The maximum delay of a tick after its deadline. A negative tolerance traps.
///   - missed: The policy for missed deadlines.
///   - clock: The clock that measures the interval.
///   - fileID: The file of the call, supplied by the compiler.
///   - line: The line of the call, supplied by the compiler.
///   - body: Called in a task on the actor, with the actor and the tick.
/// - Returns: The token. Dropping it does nothing; cancelling it ends the timer early.
/// - Complexity: O(log *n*) in the number of the clock's timers.
@discardableResult
public func every<Owner: Actor, C: Clock>(
  _ interval: C.Duration,
  owner: Owner,
  tolerance: C.Duration? = nil,
  missed: MissedTicks = .skip,
  clock: C = ContinuousClock(),
  fileID: StaticString = #fileID,
  line: UInt = #line,
  _ body: @escaping @Sendable (isolated Owner, Tick) async -> Void
) -> Token {
  TimerRequest(
    interval,
    tolerance: tolerance,
    missed: missed,
    clock: clock,
    fileID: fileID,
    line: line
  ).start(ActorTimerBody(owner, body), owner: owner)
}

/// Calls a handler periodically until its token is cancelled or dropped.
///
/// Otherwise the function behaves as with an owner.
///
/// - Parameters:
///   - interval: The time from now to the first tick, and from each deadline to the next. An interval of
///     zero or less traps.
///   - tolerance: The maximum delay of a tick after its deadline. A negative tolerance traps.
///   - missed: The policy for missed deadlines.
///   - clock: The clock that measures the interval.
///   - fileID: The file of the call, supplied by the compiler.
///   - line: The line of the call, supplied by the compiler.
///   - body: Called in a task with the tick.
/// - Returns: The token. Dropping it ends the timer.
/// - Complexity: O(log *n*) in the number of the clock's timers.
public func every<C: Clock>(
  _ interval: C.Duration,
  tolerance: C.Duration? = nil,
  missed: MissedTicks = .skip,
  clock: C = ContinuousClock(),
  fileID: StaticString = #fileID,
  line: UInt = #line,
  @_inheritActorContext
  _ body: @escaping @isolated(any) @Sendable (Tick) async -> Void
) -> Token {
  TimerRequest(
    interval,
    tolerance: tolerance,
    missed: missed,
    clock: clock,
    fileID: fileID,
    line: line
  ).start(PlainTimerBody(body))
}
