/// What is known of one timer.
///
/// A part of its table: an object only so that it is changed in place, and never handed out.
final class TimerRecord<Instant: InstantProtocol> {
  /// Where a timer is on its way from one tick to the next.
  enum Phase: Sendable {
    /// In the heap.
    case waiting
    /// Due: its place comes to it.
    case queued
    /// Its handler was called and has not returned.
    case running
    /// Its time came, or would have come, while it was paused.
    case suspended
  }

  /// The number of its registration.
  let order: UInt64
  /// Its deadlines.
  var schedule: TimerSchedule<Instant>
  /// How much later than its deadline a tick may be, in favour of fewer wake-ups.
  let tolerance: Instant.Duration
  /// Whether it has more than one tick.
  let repeats: Bool
  /// The handler, until the timer has ended.
  var body: (any TimerBody)?
  /// Where it is on its way.
  var phase = Phase.waiting
  /// The task that calls the handler.
  var runner = 0
  /// How many pauses there are.
  var pauses = 0
  /// Who is told when it ends by itself.
  var watcher: WeakCancellable?
  /// The lifetime of the owner.
  var members: EndingMembers?
  /// The place in the lifetime of the owner.
  var ticket: EndingMembers.Ticket?
  /// Opened when the handler returns.
  var idle: Latch?

  /// Begins a record of a timer that waits.
  init(
    order: UInt64,
    schedule: TimerSchedule<Instant>,
    tolerance: Instant.Duration,
    repeats: Bool,
    body: any TimerBody
  ) {
    self.order = order
    self.schedule = schedule
    self.tolerance = tolerance
    self.repeats = repeats
    self.body = body
  }

  /// Whether it ended while its handler runs.
  var hasEnded: Bool { body == nil }
}

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

/// What is left of a timer that has ended, to be let go outside the lock.
package struct TimerRemains: Sendable {
  private let body: (any TimerBody)?
  private let members: EndingMembers?
  private let ticket: EndingMembers.Ticket?
  /// Who is told when the timer ended by itself.
  package let watcher: WeakCancellable?

  /// Takes the timer's references out of its record.
  init<Instant>(of record: TimerRecord<Instant>) {
    body = record.body.take()
    members = record.members.take()
    ticket = record.ticket.take()
    watcher = record.watcher.take()
  }

  /// Leaves the lifetime of the owner.
  package func leave() {
    if let ticket { members?.leave(ticket) }
  }
}

/// A timer whose time has come.
package struct TimerDue<Instant: InstantProtocol>: Sendable {
  /// What it is known by.
  package let key: UInt
  /// The deadline.
  package let deadline: Instant
  /// The number of the timer's registration, which decides among equals.
  package let order: UInt64
  /// Its handler.
  package let body: any TimerBody
}

extension Array {
  /// Sorts timers that are due by deadline and, among equals, by registration.
  ///
  /// - Complexity: O(*n*) if they are in order, else O(*n* log *n*).
  package mutating func sortByDeadline<Instant>() where Element == TimerDue<Instant> {
    let precedes = { (left: Element, right: Element) in
      (left.deadline, left.order) < (right.deadline, right.order)
    }
    if !zip(self, dropFirst()).allSatisfy(precedes) { sort(by: precedes) }
  }
}

/// A tick that begins.
package struct TimerStart: Sendable {
  /// The handler.
  package let body: any TimerBody
  /// What to call it with.
  package let tick: Tick
  /// What is left of the timer if this was its only tick.
  package let remains: TimerRemains?
}

/// What follows from the end of a tick.
package struct TimerFinish: Sendable {
  /// What is left of the timer if its owner has died.
  package var remains: TimerRemains?
  /// To be opened for those who wait for the end of the tick.
  package var idle: Latch?
  /// The handler, if the next tick is due already.
  package var next: (any TimerBody)?
  /// Whether the timer waits for its next deadline.
  package var waits = false
}
