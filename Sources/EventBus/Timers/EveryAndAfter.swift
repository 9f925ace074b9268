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
/// The first tick comes one interval after the call. Deadlines are absolute, so the timer does not drift. An
/// interval and a tolerance are limited to about 10¹² years, so the largest `Duration` is allowed. The
/// handler runs in the isolation of its closure and never overlaps itself.
///
/// The timer keeps the owner alive only during a tick. It ends with the owner: at once if the owner is a
/// ``LifetimeOwner``, otherwise at the next tick. The handler is released when the timer ends or its token
/// is cancelled, or after the tick that is running at that time. That tick continues, and its task is not
/// cancelled.
///
/// While the token is paused there are no ticks. Deadlines that pass during a pause are skipped and not counted as
/// missed, even if the pause begins inside a tick; those that passed before it are still served. After the pause,
/// ticks continue on the original schedule.
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
public func every<Owner: AnyObject & Sendable, C: Clock<Duration>>(
  _ interval: Duration,
  owner: Owner,
  tolerance: Duration? = nil,
  missed: MissedTicks = .skip,
  clock: C = ContinuousClock(),
  fileID: StaticString = #fileID,
  line: UInt = #line,
  @_inheritActorContext
  _ body: @escaping @isolated(any) @Sendable (Owner, Tick) async -> Void
) -> Token {
  let call = handler(owner, body)
  return startTimer(interval, tolerance, missed, clock, call, body.isolation, owner, fileID, line)
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
public func every<Owner: Actor, C: Clock<Duration>>(
  _ interval: Duration,
  owner: Owner,
  tolerance: Duration? = nil,
  missed: MissedTicks = .skip,
  clock: C = ContinuousClock(),
  fileID: StaticString = #fileID,
  line: UInt = #line,
  _ body: @escaping @Sendable (isolated Owner, Tick) async -> Void
) -> Token {
  let call = handler(owner, body)
  return startTimer(interval, tolerance, missed, clock, call, owner, owner, fileID, line)
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
public func every<C: Clock<Duration>>(
  _ interval: Duration,
  tolerance: Duration? = nil,
  missed: MissedTicks = .skip,
  clock: C = ContinuousClock(),
  fileID: StaticString = #fileID,
  line: UInt = #line,
  @_inheritActorContext
  _ body: @escaping @isolated(any) @Sendable (Tick) async -> Void
) -> Token {
  startTimer(interval, tolerance, missed, clock, .plain(body), body.isolation, nil, fileID, line)
}

/// Calls a handler once, after a delay, if an object is still alive then.
///
/// As with `every`, the owner is held weakly and the handler runs in the isolation of its closure. The
/// registration ends when the call begins. With a delay of zero the call is made in the next turn. A delay and
/// a tolerance are limited to about 10¹² years. A call that falls due while the token is paused is made when
/// the last pause ends.
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
///   - body: Called once, in a task, with the owner and the tick, and then released.
/// - Returns: The token. Dropping it does nothing; cancelling it prevents the call.
/// - Complexity: O(log *n*) in the number of the clock's timers.
@discardableResult
public func after<Owner: AnyObject & Sendable, C: Clock<Duration>>(
  _ delay: Duration,
  owner: Owner,
  tolerance: Duration? = nil,
  clock: C = ContinuousClock(),
  fileID: StaticString = #fileID,
  line: UInt = #line,
  @_inheritActorContext
  _ body: @escaping @isolated(any) @Sendable (Owner, Tick) async -> Void
) -> Token {
  let call = handler(owner, body)
  return startTimer(delay, tolerance, nil, clock, call, body.isolation, owner, fileID, line)
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
public func after<Owner: Actor, C: Clock<Duration>>(
  _ delay: Duration,
  owner: Owner,
  tolerance: Duration? = nil,
  clock: C = ContinuousClock(),
  fileID: StaticString = #fileID,
  line: UInt = #line,
  _ body: @escaping @Sendable (isolated Owner, Tick) async -> Void
) -> Token {
  let call = handler(owner, body)
  return startTimer(delay, tolerance, nil, clock, call, owner, owner, fileID, line)
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
public func after<C: Clock<Duration>>(
  _ delay: Duration,
  tolerance: Duration? = nil,
  clock: C = ContinuousClock(),
  fileID: StaticString = #fileID,
  line: UInt = #line,
  @_inheritActorContext
  _ body: @escaping @isolated(any) @Sendable (Tick) async -> Void
) -> Token {
  startTimer(delay, tolerance, nil, clock, .plain(body), body.isolation, nil, fileID, line)
}

/// A single call of a timer's handler.
public struct Tick: Sendable {
  /// The number of earlier ticks of the timer.
  public let index: Int
  /// The number of deadlines that were dropped in favor of this tick.
  ///
  /// Always 0 with ``MissedTicks/burst`` and ``MissedTicks/delay``, which drop none. Deadlines that passed
  /// during a pause are not counted.
  public let missed: Int
  /// The time from the deadline to the beginning of the tick.
  public let lateness: Duration

  init(_ index: Int, missed: Int, lateness: Duration) {
    self.index = index
    self.missed = missed
    self.lateness = lateness
  }
}

/// Starts a timer that ends with its owner or, if there is none, with its token.
///
/// - Parameters:
///   - interval: The time from now to the first tick, and from each deadline to the next.
///   - tolerance: The maximum delay of a tick after its deadline.
///   - policy: The policy for missed deadlines, or `nil` for a timer with one tick.
///   - clock: The clock.
///   - handler: The handler.
///   - actor: The actor on which the handler runs, or `nil` for the global concurrent executor.
///   - owner: The object with which the timer ends.
///   - fileID: The file of the public function's call.
///   - line: The line in that file.
/// - Returns: The token.
private func startTimer<C: Clock<Duration>>(
  _ interval: Duration,
  _ tolerance: Duration?,
  _ policy: MissedTicks?,
  _ clock: C,
  _ handler: TimerRegistration.Handler,
  _ actor: (any Actor)?,
  _ owner: AnyObject?,
  _ fileID: StaticString,
  _ line: UInt
) -> Token {
  let mistake: (text: String, remedy: String)? =
    if policy != nil, interval <= .zero {
      ("`every` requires a positive interval; got \(interval)", "Pass an interval above zero")
    } else if interval < .zero {
      ("`after` cannot have a negative delay; got \(interval)", "Pass a delay of zero or more")
    } else if let tolerance, tolerance < .zero {
      (
        "A timer cannot have a negative tolerance; got \(tolerance)",
        "Pass a tolerance of zero or more, or none"
      )
    } else {
      nil
    }
  if let mistake { trap(mistake.text, remedy: mistake.remedy, fileID: fileID, line: line) }
  let queue = ClockTimerQueue.queue(of: clock)
  let timer = queue.add(every: interval, tolerance: tolerance, missed: policy, on: actor, handler)
  if let owner = owner as? any LifetimeOwner { timer.join(owner.lifetime.members) }
  return Token(timer, isKept: owner != nil)
}

// A constant holds each closure: the compiler would wrap the closure of a `return` in another one.

/// Returns the handler of a timer with an owner, which is held weakly and loaded in the handler's isolation.
private func handler<Owner: AnyObject & Sendable>(
  _ owner: Owner,
  _ body: @escaping @isolated(any) @Sendable (Owner, Tick) async -> Void
) -> TimerRegistration.Handler {
  let owner = Weak(owner)
  let handler: @Sendable (Tick) async -> Bool = { tick in
    await call(owner) { await body($0, tick) }
  }
  return .owned(handler)
}

/// Returns the handler of a timer that runs on its owner, an actor that is held weakly.
private func handler<Owner: Actor>(
  _ owner: Owner,
  _ body: @escaping @Sendable (isolated Owner, Tick) async -> Void
) -> TimerRegistration.Handler {
  let owner = Weak(owner)
  let handler: @Sendable (Tick) async -> Bool = { tick in
    await call(owner) { await body($0, tick) }
  }
  return .owned(handler)
}

/// Calls a closure with an object, unless that has been deallocated.
private func call<Object>(_ weak: Weak<Object>, _ body: (Object) async -> Void) async -> Bool {
  guard let object = weak.object else { return false }
  await body(object)
  return true
}
