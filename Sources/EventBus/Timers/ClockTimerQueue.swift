/// The queue of the timers of a clock: the conversions between the clock's times and integers.
///
/// Everything else is the same for all clocks and stands in ``TimerQueue``.
final class ClockTimerQueue<C: Clock<Duration>>: TimerQueue,
  @unchecked Sendable  // Reason: constants.
{
  private let clock: C
  private let base: C.Instant
  /// The longest time to sleep at once; without a limit for a clock that stands until a test moves it, which would
  /// pass each part of a long delay.
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
    "EventBus: \(C.self) failed to sleep (\(error)), so its timers have stopped."
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
  /// timers has a queue of its own. While another thread ends the last timer of the clock, a new timer may
  /// get a different queue than later timers. Only the sleeping task differs.
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

/// The error of a clock that stands at its last instant while timers wait for later ones.
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
