/// The deadlines of one timer, computed without a clock.
///
/// A plain value. Deadlines are absolute, each exactly one interval after the previous one, so a late tick
/// does not delay later ones. Times are attoseconds.
package struct TimerSchedule: Sendable {
  /// A tick that begins.
  package struct Tick: Sendable {
    /// The number of ticks before it.
    package let index: Int
    /// The number of deadlines that were dropped in its favor.
    package let missed: Int
    /// The time since its deadline, in attoseconds.
    package let lateness: Int128
  }

  private var index = 0
  private var missed = 0
  /// The deadline of the running tick.
  private var running: Int128?
  /// The first deadline that has neither passed nor fallen into a pause.
  private var next: Int128
  /// The deadlines that have passed and are still to be served: the first and the last one of each run, with a pause
  /// between two runs.
  private var passed: [ClosedRange<Int128>] = []
  package private(set) var isPaused = false
  private let policy: MissedTicks?
  private let interval: Int128
  private let tolerance: Int128

  /// Creates a schedule.
  ///
  /// - Parameters:
  ///   - start: The time of registration; the first deadline is one interval later.
  ///   - interval: The interval, above zero unless the timer has only one tick.
  ///   - tolerance: The maximum delay of a tick after its deadline, for fewer wake-ups.
  ///   - policy: The policy for missed deadlines, or `nil` for a timer with one tick.
  package init(
    from start: Int128,
    every interval: Int128,
    tolerance: Int128 = 0,
    missed policy: MissedTicks?
  ) {
    next = start + interval
    self.interval = interval
    self.tolerance = tolerance
    self.policy = policy
  }

  /// True if the timer has more than one tick.
  var repeats: Bool { policy != nil }

  /// The number of runs of deadlines to be served, for tests of the memory that they take.
  package var runCount: Int { passed.count }

  /// The deadline of the running tick, or else the next deadline.
  package var deadline: Int128 { running ?? passed.first?.lowerBound ?? next }

  /// The latest time at which the next tick must be served.
  package var latest: Int128 { deadline + tolerance }

  /// Begins a tick, at its deadline or later.
  package mutating func begin(at now: Int128) -> Tick {
    let served: Int128
    if policy == .skip {
      let count = pass(before: now + 1)
      served = count > 0 ? next - interval : passed.last?.upperBound ?? next
      miss(count - 1)
    } else if let run = passed.first {
      served = run.lowerBound
      if served < run.upperBound {
        passed[0] = (served + interval)...run.upperBound
      } else {
        passed.removeFirst()
      }
    } else {
      served = next
      next += interval
    }
    running = served
    defer { (index, missed) = (index + 1, 0) }
    return Tick(index: index, missed: missed, lateness: now - served)
  }

  /// Ends a tick.
  package mutating func end(at now: Int128) {
    running = nil
    // A deadline that is now has not passed, and none passes during a pause.
    let end = isPaused ? next : now
    switch policy {
    case .skip: miss(pass(before: end))
    case .burst: keep(before: end)
    case .delay:
      if pass(before: end) > 0 || !passed.isEmpty { (next, passed) = (now + interval, []) }
    case nil: break
    }
  }

  /// Begins a pause.
  ///
  /// Deadlines that have passed before are still served. A timer with one tick keeps its deadline.
  ///
  /// - Parameters:
  ///   - now: The time.
  ///   - isDue: Whether a tick is about to begin, so that its deadline has passed even if it is now.
  package mutating func pause(at now: Int128, isDue: Bool = false) {
    if !isPaused, repeats { keep(before: isDue ? now + 1 : now) }
    isPaused = true
  }

  /// Ends a pause, and passes over its deadlines without counting them as missed.
  package mutating func resume(at now: Int128) {
    if isPaused, repeats { _ = pass(before: now + 1) }
    isPaused = false
  }

  /// Moves on to the first deadline that is not before a time.
  ///
  /// - Returns: The number of deadlines before it.
  private mutating func pass(before end: Int128) -> Int128 {
    guard next < end else { return 0 }
    // A timely tick needs no division.
    let count = end - next <= interval ? 1 : (end - next - 1) / interval + 1
    next += count * interval
    return count
  }

  /// Moves on to the first deadline that is not before a time, and keeps those before it, to be served.
  private mutating func keep(before end: Int128) {
    let first = next
    guard pass(before: end) > 0 else { return }
    if let last = passed.last, last.upperBound + interval == first {
      passed[passed.count - 1] = last.lowerBound...(next - interval)
    } else {
      passed.append(first...(next - interval))
    }
  }

  /// Counts as missed the deadlines that are to be served, and a number of others.
  private mutating func miss(_ count: Int128) {
    if count == 0, passed.isEmpty { return }
    let kept = passed.reduce(0) { $0 + ($1.upperBound - $1.lowerBound) / interval + 1 }
    missed = Int(clamping: Int128(missed) + kept + count)
    passed = []
  }
}

/// A policy for deadlines that pass while a tick is running, the actor is busy or the machine sleeps.
///
/// The effects with an interval of 10 seconds and a first tick that runs from 10 to 45:
///
/// ```
/// deadlines   10      20      30      40      50      60
/// skip        ├ 1 ───────────────────────┤    2       3        tick 2 says: 3 missed
/// burst       ├ 1 ───────────────────────┤234 5       6        nothing is missed, 2 to 4 are late
/// delay       ├ 1 ───────────────────────┤      2       3      at 55, 65, …
/// ```
public enum MissedTicks: Hashable, Sendable {
  /// Drops missed deadlines and reports their number in the next tick.
  ///
  /// After a tick that ran too long, the timer continues with the first deadline that has not passed. A
  /// tick that could not begin in time begins as soon as possible, for the last deadline that has passed.
  /// The ticks stay on the multiples of the interval.
  case skip
  /// Delivers one tick for each missed deadline, back to back, until the timer has caught up.
  case burst
  /// Restarts the interval at the end of a tick by which the next deadline has already passed.
  case delay
}
