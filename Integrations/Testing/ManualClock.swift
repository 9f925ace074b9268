package import EventBus

/// A clock that advances only on request, for tests without real time.
///
/// ```swift
/// let clock = ManualClock()
/// let token = every(.seconds(120), clock: clock) { tick in print("tick \(tick.index)") }
/// await clock.advance(by: .seconds(240))  // both ticks have run when it returns
/// ```
///
/// The time can pass in two ways. ``advance(by:fileID:line:)`` moves the clock from deadline to deadline, as real time
/// does, and waits at each one for the timers of this clock. ``jump(by:fileID:line:)`` simulates a machine that slept:
/// it moves the clock at once and waits for nothing, so sleepers wake up late.
///
/// ### Waiting for timers
///
/// ``advance(by:fileID:line:)`` waits for every tick of `every` and `after`, from its deadline until its handler has
/// returned, across actors and suspensions. The exception is a handler that sleeps on this clock, itself or
/// in a task that it started: it stays asleep until its own deadline. A handler that waits for something
/// that the test does only after advancing suspends ``advance(by:fileID:line:)`` forever. Use ``jump(by:fileID:line:)`` there, and
/// ``waitUntilSettled()`` later.
///
/// Each wait has a form with `within:`, a limit of real time, which throws ``TimeoutError`` instead of waiting
/// forever.
///
/// The clock does not track other tasks that have slept on it after they wake up. They wake up in the order
/// of their deadlines, and among equals in the order in which they went to sleep. ``waitForSleepers(atLeast:)``
/// waits until they are asleep.
///
/// ## Thread safety
///
/// Every member may be called from any task. Sleepers resume after the lock is released.
public final class ManualClock: Clock, Sendable {
  /// A point in the time of a manual clock.
  public struct Instant: InstantProtocol {
    /// The time since the start of the clock.
    public let offset: Duration

    /// Creates an instant.
    ///
    /// - Parameter offset: The time since the start of the clock.
    public init(offset: Duration = .zero) { self.offset = offset }

    /// Returns the instant that is later by a duration, or the last one, if the sum is past the range of
    /// `Duration`.
    public func advanced(by duration: Duration) -> Instant {
      Instant(offset: offset.adding(duration))
    }

    /// Returns the duration from this instant to another.
    public func duration(to other: Instant) -> Duration { other.offset - offset }

    /// Returns whether an instant is earlier than another.
    public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  /// A sleeping task, and the timer activity to which it belongs, if any.
  private typealias Sleeper = (
    deadline: Instant, number: UInt, continuation: CheckedContinuation<Bool, Never>,
    unit: TimerActivity.Unit?
  )

  private struct State {
    var now = Instant()
    /// The sleeping tasks, ordered by deadline and, among equals, by arrival.
    var sleepers: [Sleeper] = []
    var lastNumber: UInt = 0
    var waiters: [(count: Int, latch: Latch)] = []

    /// Adds a sleeper after those with the same deadline.
    ///
    /// - Complexity: O(*n*).
    mutating func insert(_ sleeper: Sleeper) {
      let index = sleepers.lastIndex { $0.deadline <= sleeper.deadline }
      sleepers.insert(sleeper, at: index.map { $0 + 1 } ?? 0)
    }

    mutating func remove(_ number: UInt) -> Sleeper? {
      sleepers.firstIndex { $0.number == number }.map { sleepers.remove(at: $0) }
    }

    /// Removes the sleepers whose deadline has been reached.
    mutating func takeRested() -> [Sleeper] {
      let rested = Array(sleepers.prefix { $0.deadline <= now })
      sleepers.removeFirst(rested.count)
      return rested
    }

    /// Removes the waiters whose number of sleepers has been reached, and returns their latches.
    mutating func takeServed() -> [Latch] {
      let count = sleepers.count
      defer { waiters.removeAll { $0.count <= count } }
      return waiters.filter { $0.count <= count }.map(\.latch)
    }
  }

  private let state = Locked(State())
  package let activity = TimerActivity()

  /// Creates a clock at the instant with offset zero.
  public init() {}

  /// The current instant.
  public var now: Instant { state.withLock { $0.now } }

  /// The resolution of the clock, which is zero: durations are exact.
  public var minimumResolution: Duration { .zero }

  /// The number of tasks that sleep on the clock.
  ///
  /// All timers of the clock together count as one task.
  public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

  /// Sleeps until the clock reaches an instant.
  ///
  /// - Parameters:
  ///   - deadline: The instant. If it has passed, the method returns at once.
  ///   - tolerance: Ignored, because sleepers wake up exactly.
  /// - Throws: `CancellationError`, as soon as the task is cancelled.
  public func sleep(
    until deadline: Instant,
    tolerance: Duration? = nil
  ) async throws(CancellationError) {
    let number = state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
    let unit = activity.currentUnit
    let isRested = await withCancellationHandling {
      await withCheckedContinuation { continuation in
        addSleeper((deadline, number, continuation, unit))
      }
    } onCancel: {
      if let sleeper = state.withLock({ $0.remove(number) }) { wake(sleeper, isRested: false) }
    }
    if !isRested { throw CancellationError() }
  }

  /// Advances the clock deadline by deadline, waiting at each one for the timers of this clock.
  ///
  /// When the method returns, every tick that became due has finished or sleeps on this clock;
  /// ``ManualClock`` has the details. A handler of a timer of this clock that calls the method is not waited
  /// for. Returns early when the task is cancelled.
  ///
  /// - Parameters:
  ///   - duration: The time to advance. A negative duration traps.
  ///   - fileID: The file of the call; filled in by the compiler.
  ///   - line: The line in that file; filled in by the compiler.
  public func advance(
    by duration: Duration,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) async {
    await advance(to: now.advanced(by: checked(duration, fileID, line)))
  }

  /// Advances the clock to an instant, deadline by deadline, waiting at each one for its timers.
  ///
  /// - Parameter instant: The instant. If it has passed, the method waits for the timers without moving the
  ///   clock.
  public func advance(to instant: Instant) async { await hasAdvanced(to: instant) }

  /// Advances the clock like ``advance(to:)``.
  ///
  /// - Returns: `false` when the task was cancelled first; the clock then remains at the instant of the wait.
  @discardableResult
  func hasAdvanced(to instant: Instant) async -> Bool {
    guard await activity.idle() else { return false }
    while !Task.isCancelled, let next = state.withLock({ $0.sleepers.first?.deadline }),
      next <= instant
    {
      jump(to: next)
      guard await activity.idle() else { return false }
    }
    if now < instant {
      if Task.isCancelled { return false }
      jump(to: instant)
    }
    return true
  }

  /// Moves the clock in one step, as if the machine had slept, without waiting.
  ///
  /// Tasks with an earlier deadline wake up late.
  ///
  /// - Parameters:
  ///   - duration: The time to move. A negative duration traps.
  ///   - fileID: The file of the call; filled in by the compiler.
  ///   - line: The line in that file; filled in by the compiler.
  public func jump(by duration: Duration, fileID: StaticString = #fileID, line: UInt = #line) {
    jump(to: now.advanced(by: checked(duration, fileID, line)))
  }

  /// Waits until no timer of this clock has work left at the current instant.
  ///
  /// Returns early when the task is cancelled.
  public func waitUntilSettled() async { await activity.idle() }

  /// Waits until at least the given number of tasks sleep on the clock.
  ///
  /// Returns early when the waiting task is cancelled.
  ///
  /// - Parameter count: The number of tasks.
  public func waitForSleepers(atLeast count: Int) async { await hasSleepers(atLeast: count) }

  /// Waits like ``waitForSleepers(atLeast:)``.
  ///
  /// - Returns: `false` when the waiting task was cancelled first. A cancelled task looks once.
  @discardableResult
  func hasSleepers(atLeast count: Int) async -> Bool {
    let latch = Latch()
    let isThere = state.withLock { state in
      if state.sleepers.count >= count { return true }
      state.waiters.append((count, latch))
      return false
    }
    if isThere { return true }
    if await latch.wait() { return true }
    return state.withLock { state in
      // A waiter that has gone was served, although the task was cancelled before it went on.
      let isWaiting = state.waiters.contains { $0.latch === latch }
      state.waiters.removeAll { $0.latch === latch }
      return !isWaiting
    }
  }

  private func addSleeper(_ sleeper: Sleeper) {
    let (answer, served) = state.withLock { state -> (Bool?, [Latch]) in
      // Checked under the lock: a cancellation handler that runs later finds the sleeper.
      if Task.isCancelled { return (false, []) }
      if sleeper.deadline <= state.now { return (true, []) }
      state.insert(sleeper)
      return (nil, state.takeServed())
    }
    if let answer { return sleeper.continuation.resume(returning: answer) }
    sleeper.unit?.sleep()
    for latch in served { latch.open() }
  }

  /// Resumes a task; called with no lock held.
  private func wake(_ sleeper: Sleeper, isRested: Bool) {
    sleeper.unit?.wake()
    sleeper.continuation.resume(returning: isRested)
  }

  private func jump(to instant: Instant) {
    let rested = state.withLock { state in
      state.now = max(state.now, instant)
      return state.takeRested()
    }
    for sleeper in rested { wake(sleeper, isRested: true) }
  }

  /// Returns a duration by which the clock can move; traps if it is negative.
  func checked(_ duration: Duration, _ fileID: StaticString, _ line: UInt) -> Duration {
    if duration < .zero {
      trap(
        "A manual clock cannot move by a negative duration; got \(duration)",
        remedy: "Pass a duration of zero or more, or create another clock",
        fileID: fileID,
        line: line
      )
    }
    return duration
  }
}

extension ManualClock: TimerWatching {}
