/// The deadlines of one timer, computed without a clock.
///
/// A plain value. Deadlines are absolute, each exactly one interval after the previous one, so a late tick
/// does not delay later ones.
package struct TimerSchedule<Instant: InstantProtocol>: Sendable {
  /// The deadline of the running tick, or else the next deadline.
  package private(set) var deadline: Instant
  private let interval: Instant.Duration
  private let tolerance: Instant.Duration
  private let policy: MissedTicks?
  private var index = 0
  private var missed = 0

  /// Creates a schedule.
  ///
  /// - Parameters:
  ///   - start: The instant of registration; the first deadline is one interval later.
  ///   - interval: The interval, above zero unless the timer has only one tick.
  ///   - tolerance: The maximum delay of a tick after its deadline, for fewer wake-ups.
  ///   - policy: The policy for missed deadlines, or `nil` for a timer with one tick.
  package init(
    from start: Instant,
    every interval: Instant.Duration,
    tolerance: Instant.Duration = .zero,
    missed policy: MissedTicks?
  ) {
    deadline = start.advanced(by: interval)
    self.interval = interval
    self.tolerance = tolerance
    self.policy = policy
  }

  /// A Boolean value that indicates whether the timer has more than one tick.
  var repeats: Bool { policy != nil }

  /// The latest instant at which the next tick must be served.
  var latest: Instant { deadline.advanced(by: tolerance) }

  /// Begins a tick, at its deadline or later.
  package mutating func begin(at now: Instant) -> Tick {
    if policy == .skip { drop(wholeIntervals(until: now)) }
    defer { (index, missed) = (index + 1, 0) }
    return Tick(index: index, missed: missed, lateness: deadline.duration(to: now) as? Duration)
  }

  /// Ends a tick and moves on to the next deadline.
  package mutating func end(at now: Instant) {
    deadline = deadline.advanced(by: interval)
    guard deadline < now else { return }
    switch policy {
    case .skip:
      drop(wholeIntervals(until: now))
      if deadline < now { drop(1) }
    case .burst, nil: break
    case .delay: deadline = now.advanced(by: interval)
    }
  }

  /// Skips the deadlines up to now without counting them as missed.
  ///
  /// A timer with one tick keeps its deadline.
  package mutating func resume(at now: Instant) {
    guard repeats, deadline <= now else { return }
    deadline = deadline.advanced(by: interval * (wholeIntervals(until: now) + 1))
  }

  private mutating func drop(_ count: Int) {
    guard count > 0 else { return }
    deadline = deadline.advanced(by: interval * count)
    missed += min(count, .max - missed)
  }

  /// Returns the number of whole intervals from the deadline to a later instant.
  private func wholeIntervals(until now: Instant) -> Int {
    var rest = deadline.duration(to: now)
    var count = 0
    // Corrects the rounded quotient, which is off by at most one below 2⁵³ intervals.
    while rest >= interval {
      let part = max(1, Int(min(rest / interval, Double(Int.max / 8))))
      rest -= interval * part
      count += part
      if count > Int.max / 4 + 1 { break }
    }
    while rest < .zero {
      rest += interval
      count -= 1
    }
    return count
  }
}
