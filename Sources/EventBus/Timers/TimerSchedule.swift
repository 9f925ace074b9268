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

  /// The deadline of the running tick, or else the next deadline.
  package private(set) var deadline: Int128
  private var index = 0
  private var missed = 0
  private var isRunning = false
  private let policy: MissedTicks?
  private let interval: Int128
  private let tolerance: Int128
  private var pausedSince: Int128?
  /// The deadlines that fell into pauses and are still to be passed over: the first and the last one of each
  /// run, with a deadline between two runs.
  private var gaps: [ClosedRange<Int128>] = []

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
    deadline = start + interval
    self.interval = interval
    self.tolerance = tolerance
    self.policy = policy
  }

  /// A Boolean value that indicates whether the timer has more than one tick.
  var repeats: Bool { policy != nil }

  /// The latest time at which the next tick must be served.
  package var latest: Int128 { deadline + tolerance }

  /// Begins a tick, at its deadline or later.
  package mutating func begin(at now: Int128) -> Tick {
    if policy == .skip { dropToLast(at: now) }
    isRunning = true
    defer { (index, missed) = (index + 1, 0) }
    return Tick(index: index, missed: missed, lateness: now - deadline)
  }

  /// Ends a tick and moves on to the next deadline.
  package mutating func end(at now: Int128) {
    isRunning = false
    deadline += interval
    passGaps()
    // A deadline that is now has not passed, and one in the current pause never will.
    let end = min(now, pausedSince ?? now)
    guard deadline < end else { return }
    switch policy {
    case .skip: drop(before: end)
    case .burst, nil: break
    case .delay: (deadline, gaps) = (now + interval, [])
    }
  }

  /// Begins a pause.
  package mutating func pause(at now: Int128) { pausedSince = pausedSince ?? now }

  /// Ends a pause: its deadlines are passed over, without being counted as missed.
  ///
  /// Deadlines that had passed before the pause are still served. A timer with one tick keeps its deadline.
  package mutating func resume(at now: Int128) {
    guard let start = pausedSince.take(), repeats else { return }
    let first =
      deadline + (start > deadline ? Self.quotient(start - deadline, interval) * interval : 0)
    guard first <= now else { return }
    // Two gaps without a deadline between them are one.
    let former = gaps.last.flatMap { $0.upperBound + interval == first ? $0.lowerBound : nil }
    if former != nil { gaps.removeLast() }
    gaps.append((former ?? first)...(first + (now - first) / interval * interval))
    if !isRunning { passGaps() }
  }

  /// Moves past the deadlines that fell into pauses, if the next deadline is one of them.
  private mutating func passGaps() {
    while let gap = gaps.first, deadline >= gap.lowerBound {
      deadline = max(deadline, gap.upperBound + interval)
      gaps.removeFirst()
    }
  }

  /// Drops the deadlines before a time.
  private mutating func drop(before end: Int128) {
    while deadline < end {
      drop(Self.quotient(min(end, gaps.first?.lowerBound ?? end) - deadline, interval))
      passGaps()
    }
  }

  /// Drops the deadlines before the last one that has passed.
  private mutating func dropToLast(at now: Int128) {
    while true {
      let end = gaps.first.map { min($0.lowerBound - 1, now) } ?? now
      drop((end - deadline) / interval)
      guard let gap = gaps.first, gap.upperBound + interval <= now else { return }
      drop(1)
      passGaps()
    }
  }

  /// Divides two numbers above zero, and rounds up.
  private static func quotient(_ dividend: Int128, _ divisor: Int128) -> Int128 {
    (dividend - 1) / divisor + 1
  }

  private mutating func drop(_ count: Int128) {
    guard count > 0 else { return }
    deadline += interval * count
    missed = Int(clamping: Int128(missed) + count)
  }
}

/// A timer that waits for its deadline, as an element of a heap.
///
/// The timer that must be served first leaves the heap first; among equals, the one that was registered
/// first.
package struct TimerDeadline: HeapElement, Sendable {
  /// The earliest time at which the timer may be served.
  package let time: Int128
  /// The latest time at which the timer must be served.
  package let latest: Int128
  /// The registration number, which decides among equals.
  package let order: UInt64
  /// The slot of the timer in its table.
  package let slot: Int

  /// Creates a deadline.
  package init(_ time: Int128, latest: Int128, order: UInt64, slot: Int) {
    self.time = time
    self.latest = latest
    self.order = order
    self.slot = slot
  }

  /// Returns whether this timer must be served before another one.
  package func precedes(_ other: TimerDeadline) -> Bool {
    latest == other.latest ? order < other.order : latest < other.latest
  }
}

extension Heap<TimerDeadline> {
  /// Returns the time of the next wake-up and the latest time that would do, or `nil` if no timer waits.
  ///
  /// A wake-up is postponed to later deadlines within every timer's tolerance, so that it serves several
  /// timers. Only the front of the heap is considered. A timer without a neighbor is not delayed.
  ///
  /// - Complexity: O(1).
  package func wakeUp() -> (time: Int128, latest: Int128)? {
    guard let first else { return nil }
    let near = prefix(16).lazy.map { $0.time }.filter { $0 <= first.latest }
    return (near.max() ?? first.time, first.latest)
  }
}
