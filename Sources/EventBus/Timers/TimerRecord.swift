/// What is known of one timer.
///
/// A part of its table: an object only so that it is changed in place, and never handed out.
internal final class TimerRecord<Instant: InstantProtocol> {
  /// Where a timer is on its way from one tick to the next.
  internal enum Phase: Sendable {
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
  internal let order: UInt64
  /// Its deadlines.
  internal var schedule: TimerSchedule<Instant>
  /// How much later than its deadline a tick may be, in favour of fewer wake-ups.
  internal let tolerance: Instant.Duration
  /// Whether it has more than one tick.
  internal let repeats: Bool
  /// The handler, until the timer has ended.
  internal var body: (any TimerBody)?
  /// Where it is on its way.
  internal var phase = Phase.waiting
  /// The task that calls the handler.
  internal var runner = 0
  /// How many pauses there are.
  internal var pauses = 0
  /// Who is told when it ends by itself.
  internal var watcher: WeakCancellable?
  /// The lifetime of the owner.
  internal var members: EndingMembers?
  /// The place in the lifetime of the owner.
  internal var ticket: EndingMembers.Ticket?
  /// Opened when the handler returns.
  internal var idle: Latch?

  /// Begins a record of a timer that waits.
  internal init(
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
  internal var hasEnded: Bool { body == nil }
}
