/// The deadlines of one timer: the rule, without the clock.
///
/// A plain value. Deadlines are absolute, each exactly one interval after the one before, so that what is
/// late once does not make the rest late.
package struct TimerSchedule<Instant: InstantProtocol>: Sendable {
  /// The deadline that comes next, or that the tick under way has.
  package private(set) var deadline: Instant
  private let interval: Instant.Duration
  private let policy: MissedTicks
  private var index = 0
  private var missed = 0

  /// Begins a schedule.
  ///
  /// - Parameters:
  ///   - start: When the timer was made; the first deadline is one interval later.
  ///   - interval: The interval. It is above zero unless there is one tick only.
  ///   - policy: What to do about deadlines that passed.
  package init(from start: Instant, every interval: Instant.Duration, missed policy: MissedTicks) {
    deadline = start.advanced(by: interval)
    self.interval = interval
    self.policy = policy
  }

  /// Begins the tick of a timer with one deadline.
  package func beginOnly(at now: Instant) -> Tick {
    Tick(index: 0, missed: 0, lateness: deadline.duration(to: now) as? Duration)
  }

  /// Begins a tick, at its deadline or later.
  package mutating func begin(at now: Instant) -> Tick {
    if policy == .skip { drop(wholeIntervals(until: now)) }
    defer { (index, missed) = (index + 1, 0) }
    return Tick(index: index, missed: missed, lateness: deadline.duration(to: now) as? Duration)
  }

  /// Ends a tick: the deadline is the next one now.
  package mutating func end(at now: Instant) {
    deadline = deadline.advanced(by: interval)
    guard deadline < now else { return }
    switch policy {
    case .skip:
      drop(wholeIntervals(until: now))
      if deadline < now { drop(1) }
    case .burst: break
    case .delay: deadline = now.advanced(by: interval)
    }
  }

  /// Leaves out, uncounted, the deadlines up to now.
  package mutating func resume(at now: Instant) {
    guard deadline <= now else { return }
    deadline = deadline.advanced(by: interval * (wholeIntervals(until: now) + 1))
  }

  private mutating func drop(_ count: Int) {
    guard count > 0 else { return }
    deadline = deadline.advanced(by: interval * count)
    missed += count
  }

  /// How often the interval fits between the deadline and a later instant.
  private func wholeIntervals(until now: Instant) -> Int {
    var rest = deadline.duration(to: now)
    var count = 0
    // The quotient is rounded, so it is corrected; below 2⁵³ intervals it is off by one at most.
    while rest >= interval {
      let part = max(1, Int(min(rest / interval, 0x1p60)))
      rest -= interval * part
      count += part
      if count > 1 << 61 { break }
    }
    while rest < .zero {
      rest += interval
      count -= 1
    }
    return count
  }
}
