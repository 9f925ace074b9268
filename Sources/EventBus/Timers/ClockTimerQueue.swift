/// The queue of the timers of a clock: the conversions between the clock's times and integers.
///
/// Everything else is the same for all clocks and stands in ``TimerQueue``.
final class ClockTimerQueue<C: Clock>: TimerQueue,
  @unchecked Sendable  // Reason: constants.
{
  private let clock: C
  private let base: C.Instant
  private let scale: TimerScale<C.Duration>

  fileprivate init(_ clock: C, _ interval: C.Duration) {
    self.clock = clock
    base = clock.now
    scale =
      C.Duration.self == Duration.self
      ? TimerScale() : TimerScale(clock.minimumResolution, interval)
    super.init((clock as? any TimerWatching)?.activity)
  }

  /// Adds a timer; see ``TimerQueue``.
  @specialized(where C == ContinuousClock)
  @specialized(where C == SuspendingClock)
  func add(
    every interval: C.Duration,
    tolerance: C.Duration?,
    missed policy: MissedTicks?,
    body: any TimerBody
  ) -> TimerRegistration {
    add(
      every: max(scale.count(interval), interval > .zero ? 1 : 0),
      tolerance: tolerance.map(scale.count) ?? 0,
      missed: policy,
      body: body
    )
  }

  @specialized(where C == ContinuousClock)
  @specialized(where C == SuspendingClock)
  override func now() -> Int128 { scale.count(base.duration(to: clock.now)) }

  override func lateness(_ time: Int128) -> Duration? {
    C.Duration.self == Duration.self ? Duration(attoseconds: time) : nil
  }

  override func sleep(until time: Int128, tolerance: Int128) async throws -> Int128 {
    let time = limited(time)
    try await clock.sleep(
      until: base.advanced(by: scale.duration(time)),
      tolerance: tolerance > 0 ? scale.duration(tolerance) : nil
    )
    // A duration type that rounds may read a little less than the time that was slept until.
    return C.Duration.self == Duration.self ? now() : max(now(), time)
  }

  /// Returns a time close enough for the standard clocks, which trap on sleeps that are too long.
  ///
  /// The sleeper checks again at that time.
  private func limited(_ time: Int128) -> Int128 {
    guard C.Duration.self == Duration.self else { return time }
    return min(time, now() + Duration.seconds(Int64(1) << 31).attoseconds)
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
  /// - Parameters:
  ///   - clock: The clock.
  ///   - interval: The interval of the new timer.
  /// - Returns: The queue.
  static func queue(of clock: C, for interval: C.Duration) -> ClockTimerQueue {
    if let queue = continuousQueue as? ClockTimerQueue { return queue }
    if let queue = suspendingQueue as? ClockTimerQueue { return queue }
    let made = ClockTimerQueue(clock, interval)
    guard C.self is AnyObject.Type, !made.scale.isEmpty else { return made }
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
private let continuousQueue = ClockTimerQueue(ContinuousClock(), .zero)
private let suspendingQueue = ClockTimerQueue(SuspendingClock(), .zero)
/// The queues of clocks that are objects, while they have timers and so keep their clocks alive.
private let objectQueues = Locked<[ObjectIdentifier: TimerQueue]>([:])
