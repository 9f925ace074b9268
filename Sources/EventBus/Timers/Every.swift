/// Calls a handler again and again, for as long as an object lives.
///
/// The periodic task that holds its target weakly:
///
/// ```swift
/// every(.seconds(120), owner: self) { screen, _ in
///   screen.show(await feed.refresh())
/// }
/// ```
///
/// The first tick comes one interval after the call. Deadlines are absolute, so that the timer does not
/// drift. The handler runs where it was written and never overlaps itself.
///
/// The owner is loaded when a tick begins and let go when it has ended: between ticks nothing keeps it.
/// The timer ends with its owner, at once if that is a ``LifetimeOwner``, else at the next tick. The handler
/// is freed then, and when the token is cancelled; during a tick, when the tick has ended. A tick that
/// has begun goes on, and its task is not cancelled.
///
/// While the token is paused no ticks come, and the deadlines that pass are dropped, uncounted. Pausing
/// and going on leaves the timer on the multiples of its interval.
///
/// ## Thread safety
///
/// May be called from anywhere. Timers that are due together are called in the order of their deadlines,
/// and among equals in the order of registration, on each actor; one that suspends does not hold up the
/// others.
///
/// - Parameters:
///   - interval: From now to the first tick, and from each deadline to the next, above zero; anything else
///     traps.
///   - owner: The object whose life the timer shares, held weakly.
///   - tolerance: How much later than its deadline a tick may come, so that one wake-up serves several
///     timers; not below zero.
///   - missed: What to do about deadlines that could not be kept.
///   - clock: Measures the interval. One that is an object is kept while there are timers or tokens of
///     timers of it, and all its timers share one sleeping task, as all timers of a standard clock do.
///   - fileID: Where the timer was written; filled in by the compiler.
///   - line: Its line.
///   - body: Called in a task with the owner and the tick.
/// - Returns: The token, which may be dropped: the timer goes on. Cancelling it ends it early.
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
    every: interval,
    tolerance: tolerance,
    missed: missed,
    clock: clock,
    fileID: fileID,
    line: line
  ).start(OwnerTimerBody(owner, body), owner: owner)
}

/// Calls a handler again and again, on an actor, for as long as that lives.
///
/// The handler is isolated to the actor it is given and need not capture it. Everything else is as with any
/// other owner.
///
/// - Parameters:
///   - interval: From now to the first tick, and from each deadline to the next, above zero; anything else
///     traps.
///   - owner: The actor, held weakly.
///   - tolerance: How much later than its deadline a tick may come; not below zero.
///   - missed: What to do about deadlines that could not be kept.
///   - clock: Measures the interval.
///   - fileID: Where the timer was written; filled in by the compiler.
///   - line: Its line.
///   - body: Called in a task on the actor, with the actor and the tick.
/// - Returns: The token, which may be dropped: the timer goes on. Cancelling it ends it early.
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
    every: interval,
    tolerance: tolerance,
    missed: missed,
    clock: clock,
    fileID: fileID,
    line: line
  ).start(ActorTimerBody(owner, body), owner: owner)
}

/// Calls a handler again and again, for as long as the token is kept.
///
/// Everything but who keeps it is as with an owner.
///
/// - Parameters:
///   - interval: From now to the first tick, and from each deadline to the next, above zero; anything else
///     traps.
///   - tolerance: How much later than its deadline a tick may come; not below zero.
///   - missed: What to do about deadlines that could not be kept.
///   - clock: Measures the interval.
///   - fileID: Where the timer was written; filled in by the compiler.
///   - line: Its line.
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
    every: interval,
    tolerance: tolerance,
    missed: missed,
    clock: clock,
    fileID: fileID,
    line: line
  ).start(PlainTimerBody(body))
}
