/// A clock that stands still until it is moved, for tests that never sleep.
///
/// ```swift
/// let clock = ManualClock()
/// let token = every(.seconds(120), clock: clock) { tick in print("tick \(tick.index)") }
/// await clock.advance(by: .seconds(240))  // both ticks have run when it returns
/// ```
///
/// There are two ways to let time pass. ``advance(by:)`` goes from deadline to deadline, as time does, and
/// at each waits until everything the timers of this clock do there is done. ``jump(by:)`` is the machine
/// that slept: the clock stands at its goal at once, everybody wakes up late, and nothing is waited for.
///
/// ### What is waited for
///
/// A tick of `every` or `after` is waited for from its deadline until its handler has returned, across
/// actors and suspensions, unless the handler, or a task it began, itself sleeps on this clock: then it is
/// left asleep until its own deadline is reached. A handler that waits for something the test does only
/// after advancing keeps ``advance(by:)`` waiting for ever; use ``jump(by:)`` there, and ``settled()``
/// later.
///
/// Nothing is known of other tasks that sleep on the clock once they are awake. They are woken in the
/// order of their deadlines, and among equals in the order in which they fell asleep; that they have got
/// where they sleep, ``sleepers(atLeast:)`` tells.
///
/// ## Thread safety
///
/// Every member may be used from any task. Nobody is woken under a lock.
public final class ManualClock: Clock, Sendable {
  /// A point in the time of manual clocks: how long after their beginning.
  public struct Instant: InstantProtocol {
    /// How long after the beginning of the clock.
    public let offset: Duration

    /// Names a point in time.
    ///
    /// - Parameter offset: How long after the beginning of the clock it is.
    public init(offset: Duration = .zero) { self.offset = offset }

    /// The instant so much later.
    public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }

    /// How much later another instant is.
    public func duration(to other: Instant) -> Duration { other.offset - offset }

    /// Whether an instant is earlier than another.
    public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private struct State {
    var now = Instant()
    var sleepers = ManualSleepers()
    var waiters: [(count: Int, latch: Latch)] = []

    /// Takes those who wait for no more sleepers than there are.
    mutating func takeServed() -> [Latch] {
      let count = sleepers.count
      defer { waiters.removeAll { $0.count <= count } }
      return waiters.filter { $0.count <= count }.map(\.latch)
    }
  }

  private let state = Locked(State())
  package let activity = TimerActivity()

  /// Creates a clock that stands at the beginning of its time.
  public init() {}

  /// Where the clock stands.
  public var now: Instant { state.withLock { $0.now } }

  /// A manual clock knows every duration exactly.
  public var minimumResolution: Duration { .zero }

  /// How many tasks sleep on the clock.
  ///
  /// All timers of the clock together are one, while there are any.
  public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

  /// Sleeps until the clock is moved to an instant, or beyond.
  ///
  /// - Parameters:
  ///   - deadline: The instant. One that has passed is not slept for.
  ///   - tolerance: Not used: a sleeper wakes up exactly.
  /// - Throws: `CancellationError`, at once, when the task is cancelled.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    let number = state.withLock { $0.sleepers.nextNumber() }
    let unit = TimerActivity.unit.flatMap { $0.counts(in: activity) ? $0 : nil }
    let isRested = await withCancellationHandling {
      await withCheckedContinuation { continuation in
        let sleeper = ManualSleepers.Sleeper(
          deadline: deadline,
          number: number,
          continuation: continuation,
          unit: unit
        )
        settle(sleeper)
      }
    } onCancel: {
      state.withLock { $0.sleepers.remove(number) }?.wake(isRested: false)
    }
    if !isRested { throw CancellationError() }
  }

  /// Lets time pass, deadline by deadline, waiting at each for the timers of this clock.
  ///
  /// When it returns, every tick that was due on the way has run to its end, or sleeps on this clock. See
  /// the type about what else is, or is not, waited for. Called by a handler of a timer of this clock it
  /// does not wait for that handler. Returns early when the task is cancelled.
  ///
  /// - Parameter duration: How much time, not below zero; anything else traps.
  public func advance(by duration: Duration) async {
    await advance(to: now.advanced(by: checked(duration)))
  }

  /// Lets time pass until an instant, deadline by deadline, waiting at each for the timers of this clock.
  ///
  /// - Parameter instant: The instant. If it has passed, the clock is not moved, and only the waiting is
  ///   done.
  public func advance(to instant: Instant) async {
    await settled()
    while !Task.isCancelled, let deadline = nextDeadline(until: instant) {
      jump(to: deadline)
      await settled()
    }
    if !Task.isCancelled { jump(to: instant) }
  }

  /// Moves the clock in one go, as if the machine had slept, and waits for nothing.
  ///
  /// Whoever slept for an instant on the way wakes up late.
  ///
  /// - Parameter duration: How far, not below zero; anything else traps.
  public func jump(by duration: Duration) { jump(to: now.advanced(by: checked(duration))) }

  /// Waits until no timer of this clock has anything to do before the clock is moved again.
  ///
  /// Returns early when the task is cancelled.
  public func settled() async {
    await activity.idle(as: TimerActivity.unit.flatMap { $0.counts(in: activity) ? $0 : nil })
  }

  /// Waits until at least so many tasks sleep on the clock.
  ///
  /// Returns early when the waiting task is cancelled.
  ///
  /// - Parameter count: How many.
  public func sleepers(atLeast count: Int) async {
    let latch = Latch()
    let isThere = state.withLock { state in
      if state.sleepers.count >= count { return true }
      state.waiters.append((count, latch))
      return false
    }
    if !isThere, await !latch.wait() {
      state.withLock { state in state.waiters.removeAll { $0.latch === latch } }
    }
  }

  private func settle(_ sleeper: ManualSleepers.Sleeper) {
    let (answer, served) = state.withLock { state -> (Bool?, [Latch]) in
      // Looked at under the lock: a cancellation that comes later finds the sleeper.
      if Task.isCancelled { return (false, []) }
      if sleeper.deadline <= state.now { return (true, []) }
      state.sleepers.insert(sleeper)
      return (nil, state.takeServed())
    }
    if let answer { return sleeper.continuation.resume(returning: answer) }
    sleeper.unit?.sleep()
    for latch in served { latch.open() }
  }

  private func nextDeadline(until instant: Instant) -> Instant? {
    state.withLock { state in
      state.sleepers.first.flatMap { $0.deadline <= instant ? $0.deadline : nil }
    }
  }

  private func jump(to instant: Instant) {
    let rested = state.withLock { state in
      state.now = max(state.now, instant)
      return state.sleepers.takeRested(at: state.now)
    }
    for sleeper in rested { sleeper.wake(isRested: true) }
  }

  private func checked(_ duration: Duration) -> Duration {
    if duration < .zero {
      trap(
        "A manual clock cannot be moved by \(duration)",
        remedy: "Time does not go back; make another clock"
      )
    }
    return duration
  }
}

extension ManualClock: TimerWatching {}

/// The tasks that sleep on a manual clock, by deadline and, among equals, by arrival.
///
/// A plain value; waking up is left to whoever took a sleeper out.
struct ManualSleepers: Sendable {
  /// A task that sleeps.
  struct Sleeper: Sendable {
    let deadline: ManualClock.Instant
    let number: UInt
    let continuation: CheckedContinuation<Bool, Never>
    /// The timer, if any, whose task it is.
    let unit: TimerActivity.Unit?

    /// Wakes it up, under no lock.
    func wake(isRested: Bool) {
      unit?.wake()
      continuation.resume(returning: isRested)
    }
  }

  private var sleepers: [Sleeper] = []
  private var lastNumber: UInt = 0

  /// How many there are.
  var count: Int { sleepers.count }

  /// Who wakes up first.
  var first: Sleeper? { sleepers.first }

  /// A number for a task that is about to sleep.
  mutating func nextNumber() -> UInt {
    lastNumber += 1
    return lastNumber
  }

  /// Adds a sleeper behind those with the same deadline.
  ///
  /// - Complexity: O(*n*).
  mutating func insert(_ sleeper: Sleeper) {
    let index = sleepers.lastIndex { $0.deadline <= sleeper.deadline }
    sleepers.insert(sleeper, at: index.map { $0 + 1 } ?? 0)
  }

  /// Removes the sleeper with a number.
  mutating func remove(_ number: UInt) -> Sleeper? {
    sleepers.firstIndex { $0.number == number }.map { sleepers.remove(at: $0) }
  }

  /// Removes those whose deadline has come.
  mutating func takeRested(at now: ManualClock.Instant) -> [Sleeper] {
    let rested = Array(sleepers.prefix { $0.deadline <= now })
    sleepers.removeFirst(rested.count)
    return rested
  }
}
