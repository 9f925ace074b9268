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
    on actor: (any Actor)?,
    _ handler: @escaping TimerHandler
  ) -> TimerRegistration {
    add(
      every: max(scale.count(interval), interval > .zero ? 1 : 0),
      tolerance: tolerance.map(scale.count) ?? 0,
      missed: policy,
      on: actor,
      handler
    )
  }

  @specialized(where C == ContinuousClock)
  @specialized(where C == SuspendingClock)
  override func now() -> Int128 { scale.count(base.duration(to: clock.now)) }

  override func lateness(_ time: Int128) -> Duration? {
    C.Duration.self == Duration.self ? Duration(attoseconds: time) : nil
  }

  override func sleep(until time: Int128, tolerance: Int128) async throws -> Int128 {
    let start = clock.now
    let delay = time - scale.count(base.duration(to: start))
    let step = try possibleDelay(delay, from: start)
    let deadline = start.advanced(by: step)
    let allowance = tolerance > 0 ? scale.duration(tolerance) : .zero
    try await clock.sleep(
      until: deadline,
      tolerance: allowance > .zero && isInRange(deadline, allowance) ? allowance : nil
    )
    if clock.now < deadline {
      // A clock that wakes early must not keep this thread busy until its deadline.
      await Task.yield()
    } else if step == scale.duration(delay) {
      // A type that rounds may count a little less than the time that was slept until.
      return max(now(), time)
    }
    return now()
  }

  /// Returns a delay, or a shorter one if the clock cannot sleep that long.
  ///
  /// The sleeper checks again at that time. No instant past the range of its type is formed, and no duration
  /// longer than the interval of a timer.
  ///
  /// - Throws: `EndOfTime` if the clock stands at its last instant.
  private func possibleDelay(_ delay: Int128, from start: C.Instant) throws -> C.Duration {
    if C.Duration.self == Duration.self {
      // The standard clocks trap on sleeps that are too long.
      return scale.duration(min(delay, Duration.seconds(Int64(1) << 31).attoseconds))
    }
    guard delay > 0 else { return .zero }
    var step = scale.duration(delay)
    // Integers that are no part of the amount, such as a number of units per second, do not add.
    guard isInRange(start, step - step) else { return step }
    while !isInRange(start, step) {
      let half = step / 2
      guard half > .zero, half < step else { throw EndOfTime() }
      step = half
    }
    return step
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

/// The error of a timer whose deadline is past the last instant of its clock, at that instant.
private struct EndOfTime: Error, CustomStringConvertible {
  var description: String { "it cannot represent the next deadline" }
}

/// Returns whether the sum of an instant and a duration is in the range of the instant's type.
///
/// If both consist of equally many integers, these are added one by one. All others count as unlimited.
private func isInRange<Instant: InstantProtocol>(
  _ instant: Instant,
  _ duration: Instant.Duration
) -> Bool {
  if Instant.Duration.self == Duration.self { return true }
  let (parts, others) = (integers(in: instant), integers(in: duration))
  func isInRange<Part: FixedWidthInteger>(_ part: Part, _ other: some FixedWidthInteger) -> Bool {
    // The less significant words of a wide number may overflow.
    if parts.count > 1, !Part.isSigned { return true }
    guard let other = Part(exactly: other) else { return false }
    let (sum, hasOverflowed) = part.addingReportingOverflow(other)
    // A less significant part may carry one over.
    return !hasOverflowed && (parts.count == 1 || sum < .max)
  }
  guard parts.count == others.count else { return true }
  for (part, other) in zip(parts, others) where !isInRange(part, other) { return false }
  return true
}

/// The integers in the stored properties of a value, in order.
private func integers(in value: Any) -> [any FixedWidthInteger] {
  if let integer = value as? any FixedWidthInteger { return [integer] }
  let mirror = Mirror(reflecting: value)
  guard mirror.displayStyle == .struct || mirror.displayStyle == .tuple else { return [] }
  return mirror.children.flatMap { integers(in: $0.value) }
}

/// A measure of a clock's durations in whole units, so that timers add and compare integers.
///
/// Clocks that measure in `Duration` are counted in attoseconds, which is exact. For any other duration type
/// the unit is a sample that has been halved until it cannot be halved again, 62 times at most. A type that
/// counts something is therefore exact as well; a type that rounds is as exact as its own arithmetic.
///
/// Counts are limited to a quarter of the range of their type, so that sums of a few never overflow.
package struct TimerScale<D: DurationProtocol>: Sendable {
  private static var limit: Int128 { .max / 4 }
  /// The number of bits that one multiplication or division of a duration handles, on any platform.
  private static var digit: Int { 30 }

  /// The unit; unused if the durations are `Duration`, and zero if every sample was.
  private let unit: D

  /// Creates a scale.
  ///
  /// - Parameter samples: Durations to derive the unit from. The first one above zero counts.
  package init(_ samples: D...) {
    var unit = samples.first { $0 > .zero } ?? .zero
    if D.self != Duration.self {
      for _ in 0..<62 {
        let half = unit / 2
        guard half > .zero, half < unit else { break }
        unit = half
      }
    }
    self.unit = unit
  }

  /// A Boolean value that indicates whether the scale can only measure zero.
  package var isEmpty: Bool { D.self != Duration.self && unit == .zero }

  /// Returns the number of units in a duration, rounded toward zero.
  package func count(_ duration: D) -> Int128 {
    if let duration = duration as? Duration {
      return min(max(duration.attoseconds, -Self.limit), Self.limit)
    }
    guard unit > .zero else { return 0 }
    let ratio = duration / unit
    guard ratio.magnitude < Double(Self.limit) else { return ratio < 0 ? -Self.limit : Self.limit }
    var (rest, count) = (duration, 0 as Int128)
    // Each pass removes most of the leading digit. The last ones correct quotients that were rounded.
    for _ in 0..<32 {
      var (step, shift, quotient) = (unit, 0, rest / unit)
      // At least two of the new steps remain, so that no step is past the end of the type.
      while quotient.magnitude >= 2 * Double(1 << Self.digit) {
        step = step * (1 << Self.digit)
        shift += Self.digit
        quotient = rest / step
      }
      var part = Int(quotient)
      // A quotient that was rounded up would put the product past the end of the type.
      if shift > 0 { part -= part.signum() }
      if part == 0 { break }
      rest -= step * part
      count += Int128(part) << shift
    }
    return count
  }

  /// Returns the duration of a number of units.
  package func duration(_ count: Int128) -> D {
    if let duration = Duration(attoseconds: count) as? D { return duration }
    var (sum, step, rest) = (D.zero, unit, count)
    while rest != 0 {
      let part = Int(rest % (1 << Self.digit))
      if part != 0 { sum += step * part }
      rest /= 1 << Self.digit
      if rest != 0 { step = step * (1 << Self.digit) }
    }
    return sum
  }
}
