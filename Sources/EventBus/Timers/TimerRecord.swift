/// What is known of one timer.
internal struct TimerRecord<Instant: InstantProtocol>: Sendable {
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

  /// Its deadlines.
  internal var schedule: TimerSchedule<Instant>
  /// How much later than its deadline a tick may be, in favour of fewer wake-ups.
  internal let tolerance: Instant.Duration
  /// Whether it has more than one tick.
  internal let repeats: Bool
  /// The handler, until the timer has ended.
  internal var body: (any TimerBody)?
  internal var phase = Phase.waiting
  /// Which of its entries in the heap counts.
  internal var turn: UInt = 0
  /// The task that calls the handler.
  internal var runner = 0
  internal var pauses = 0
  /// Who is told when it ends by itself.
  internal var watcher: WeakCancellable?
  /// The lifetime of the owner, and the place in it.
  internal var members: EndingMembers?
  internal var ticket: EndingMembers.Ticket?
  /// Opened when the handler returns.
  internal var idle: Latch?

  /// Whether it ended while its handler runs.
  internal var hasEnded: Bool { body == nil }
}

/// What is left of a timer that has ended, to be let go outside the lock.
internal struct TimerRemains: Sendable {
  private let body: (any TimerBody)?
  private let members: EndingMembers?
  private let ticket: EndingMembers.Ticket?
  /// Who is told when the timer ended by itself.
  internal let watcher: WeakCancellable?

  /// Takes the timer's references out of its record.
  internal init<Instant>(of record: inout TimerRecord<Instant>) {
    body = record.body.take()
    members = record.members.take()
    ticket = record.ticket.take()
    watcher = record.watcher.take()
  }

  /// Leaves the lifetime of the owner.
  internal func leave() {
    if let ticket { members?.leave(ticket) }
  }
}
