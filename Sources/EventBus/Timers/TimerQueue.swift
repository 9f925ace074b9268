/// The timers of one clock, with the task that sleeps for all of them.
///
/// ```
/// token ──► timer ──► queue ──► clock
///             ▲ │       ├─────► table of the timers
///             │ │       └─────► sleeper: a task, while a timer waits
///             │ └──► handler ┄┄► owner (weak)
///             └──── table, until the timer ends
/// ```
///
/// Times are attoseconds since the creation of the queue. The clock is called with no lock held.
package class TimerQueue: @unchecked Sendable {  // Reason: constants and a lock.
  private let activity: TimerActivity?
  private let table = Locked(TimerTable())

  /// Creates an empty queue.
  ///
  /// - Parameter activity: The activity of a clock that waits for its timers.
  init(_ activity: TimerActivity?) { self.activity = activity }

  // MARK: The clock

  /// Returns the current time of the clock.
  func now() -> Int128 { 0 }

  /// Sleeps until a time that the clock accepts, at most until the given one.
  ///
  /// - Returns: The current time after the sleep, which is too early if the clock is.
  func sleep(until time: Int128, tolerance: Int128) async throws -> Int128 { time }

  /// Performs what follows when no timer is left.
  ///
  /// Called with no lock held.
  func didBecomeEmpty() {}

  /// The message for an error that the clock threw while it slept.
  func failure(_ error: any Error) -> String { "\(error)" }

  // MARK: The timers

  /// Adds a timer.
  ///
  /// - Parameters:
  ///   - interval: The time from now to the first tick, and from each deadline to the next.
  ///   - tolerance: The maximum delay of a tick after its deadline.
  ///   - policy: The policy for missed deadlines, or `nil` for a timer with one tick.
  ///   - actor: The actor on which the handler runs, or `nil` for the global concurrent executor.
  ///   - handler: The handler.
  /// - Returns: The timer.
  final func add(
    every interval: Duration,
    tolerance: Duration?,
    missed policy: MissedTicks?,
    on actor: (any Actor)?,
    _ handler: TimerRegistration.Handler
  ) -> TimerRegistration {
    let schedule = TimerSchedule(
      from: now(),
      every: interval.timerCount,
      tolerance: tolerance?.timerCount ?? 0,
      missed: policy
    )
    let timer = TimerRegistration(schedule, on: actor, handler, in: self)
    change { $0.add(timer) }
    return timer
  }

  /// Adopts the pauses of a timer.
  final func pausesChanged(_ timer: TimerRegistration) {
    let now = now()
    change { $0.setPaused(timer, timer.isPaused, at: now) }
  }

  /// Begins a tick of a timer that is due.
  ///
  /// - Returns: The handler and the tick, or `nil` if the timer has ended or is paused.
  final func begin(_ timer: TimerRegistration) -> TimerTable.Call? {
    let now = now()
    let (call, isEmpty) = table.withLock { ($0.begin(timer, at: now), $0.count == 0) }
    if isEmpty { didBecomeEmpty() }
    return call
  }

  /// Ends a tick, and schedules the next one if it is due.
  final func finish(_ timer: TimerRegistration) {
    let now = now()
    if let due = change({ $0.finish(timer, at: now) }) { run([due]) }
  }

  /// Ends a timer, and releases its handler unless a tick is running.
  final func end(_ timer: TimerRegistration) {
    let handler = change { $0.end(timer) }
    withExtendedLifetime(handler) {}
  }

  /// Changes the table and adjusts the sleeper to the change.
  private func change<Result: Sendable>(_ body: (inout TimerTable) -> Result) -> Result {
    let (result, sleeper, isEmpty) = table.withLock { table in
      (body(&table), table.updateSleeper(), table.count == 0)
    }
    apply(sleeper)
    if isEmpty { didBecomeEmpty() }
    return result
  }

  /// Passes timers that are due to the lanes of their actors.
  private func run(_ due: consuming [TimerTable.Due]) {
    if let activity {
      for timer in due.lazy.map(\.timer) { timer.unit = activity.begin() }
    }
    TickLanes.shared.add(consume due)
  }

  // MARK: The sleeper

  private func apply(_ change: TimerTable.SleeperChange) {
    change.obsolete?.cancel()
    guard let number = change.number else { return }
    let unit = activity?.begin()
    let task = Task.detached {
      await TimerActivity.perform(as: unit) { await self.sleep(number) }
      unit?.end()
    }
    if !table.withLock({ $0.setTask(task, ofSleeper: number) }) { task.cancel() }
  }

  private func sleep(_ number: UInt) async {
    while let wakeUp = table.withLock({ $0.nextWakeUp(ofSleeper: number) }) {
      do {
        let now = try await sleep(until: wakeUp.time, tolerance: wakeUp.latest - wakeUp.time)
        run(takeDue(number, at: now))
      } catch {
        if !Task.isCancelled {
          table.withLock { $0.removeSleeper(number) }
          printError(failure(error))
        }
        return
      }
    }
  }

  /// Removes due timers, ordered by deadline and registration.
  ///
  /// Holds the lock for one batch at a time, and sorts outside the lock.
  private func takeDue(_ number: UInt, at now: Int128) -> [TimerTable.Due] {
    var due: [TimerTable.Due] = []
    while table.withLock({ $0.isCurrent(sleeper: number) && $0.takeDue(at: now, into: &due) }) {}
    TimerTable.sort(&due)
    return due
  }
}

/// The queue of the timers of a clock: the conversions between the clock's times and integers.
///
/// Everything else is the same for all clocks and is in ``TimerQueue``.
final class ClockTimerQueue<C: Clock<Duration>>: TimerQueue,
  @unchecked Sendable  // Reason: constants.
{
  private let clock: C
  private let base: C.Instant
  /// The longest time to sleep at once; without a limit for a clock that a test moves, which would pass each part
  /// of a long delay.
  private let longestSleep: Duration

  fileprivate init(_ clock: C) {
    self.clock = clock
    base = clock.now
    let watching = clock as? any TimerWatching
    longestSleep = watching == nil ? .longestSleep : Duration(attoseconds: .max)
    super.init(watching?.activity)
  }

  @specialized(where C == ContinuousClock)
  @specialized(where C == SuspendingClock)
  override func now() -> Int128 { base.duration(to: clock.now).timerCount }

  override func sleep(until time: Int128, tolerance: Int128) async throws -> Int128 {
    let start = clock.now
    let delay = Duration(attoseconds: time - base.duration(to: start).timerCount)
    // The sleeper checks again when a part of a long delay has passed.
    let deadline = start.advanced(by: min(delay, longestSleep))
    guard deadline > start || delay <= .zero else { throw EndOfTime() }
    try await clock.sleep(
      until: deadline,
      tolerance: tolerance > 0 ? min(Duration(attoseconds: tolerance), longestSleep) : nil
    )
    // A clock that wakes early must not keep this thread busy until its deadline.
    if clock.now < deadline { await Task.yield() }
    return now()
  }

  override func failure(_ error: any Error) -> String {
    "EventBus: The clock \(C.self) failed to sleep (\(error)), so its timers have stopped."
  }

  override func didBecomeEmpty() {
    guard C.self is AnyObject.Type else { return }
    let identity = ObjectIdentifier(clock as AnyObject)
    let removed = objectQueues.withLock { queues in
      queues[identity] === self ? queues.removeValue(forKey: identity) : nil
    }
    withExtendedLifetime(removed) {}
  }

  /// Returns the queue for a new timer of a clock.
  ///
  /// A clock that is neither a standard clock nor an object is a value without an identity; each of its
  /// timers has its own queue. While another thread ends the last timer of the clock, a new timer may get
  /// a different queue than later timers. Only the sleeping task differs.
  ///
  /// - Parameter clock: The clock.
  /// - Returns: The queue.
  static func queue(of clock: C) -> ClockTimerQueue {
    if let queue = continuousQueue as? ClockTimerQueue { return queue }
    if let queue = suspendingQueue as? ClockTimerQueue { return queue }
    let made = ClockTimerQueue(clock)
    guard C.self is AnyObject.Type else { return made }
    let identity = ObjectIdentifier(clock as AnyObject)
    let known = objectQueues.withLock { queues in
      let known = queues[identity] ?? made
      queues[identity] = known
      return known
    }
    return known as? ClockTimerQueue ?? made
  }
}

// One queue for each standard clock, and one for each clock that is an object.
private let continuousQueue = ClockTimerQueue(ContinuousClock())
private let suspendingQueue = ClockTimerQueue(SuspendingClock())
/// The queues of clocks that are objects, while they have timers and so keep their clocks alive.
private let objectQueues = Locked<[ObjectIdentifier: TimerQueue]>([:])

/// The error of a clock that is at its last instant while timers wait for later ones.
private struct EndOfTime: Error, CustomStringConvertible {
  var description: String { "it cannot represent the next deadline" }
}

extension Duration {
  /// The number of attoseconds, limited to a quarter of the range of its type, about a trillion years, so that
  /// sums of a few never overflow.
  package var timerCount: Int128 {
    let limit = Int128.max / 4
    return min(max(attoseconds, -limit), limit)
  }
}
