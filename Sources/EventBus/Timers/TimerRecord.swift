/// What is known of one timer.
package struct TimerRecord<Instant: InstantProtocol>: Sendable {
  /// Where a timer is on its way from one tick to the next.
  package enum Phase: Sendable {
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
  package var schedule: TimerSchedule<Instant>
  /// How much later than its deadline a tick may be, in favour of fewer wake-ups.
  package let tolerance: Instant.Duration
  /// Whether it has more than one tick.
  package let repeats: Bool
  /// The handler, until the timer has ended.
  package var body: (any TimerBody)?
  /// Where it is on its way.
  package var phase = Phase.waiting
  /// Which of its entries in the heap counts.
  package var turn: UInt = 0
  /// The task that calls the handler.
  package var runner = 0
  /// How many pauses there are.
  package var pauses = 0
  /// Who is told when it ends by itself.
  package var watcher: WeakCancellable?
  /// The lifetime of the owner.
  package var members: EndingMembers?
  /// The place in the lifetime of the owner.
  package var ticket: EndingMembers.Ticket?
  /// Opened when the handler returns.
  package var idle: Latch?

  /// Whether it ended while its handler runs.
  package var hasEnded: Bool { body == nil }
}

/// What is left of a timer that has ended, to be let go outside the lock.
package struct TimerRemains: Sendable {
  private let body: (any TimerBody)?
  private let members: EndingMembers?
  private let ticket: EndingMembers.Ticket?
  /// Who is told when the timer ended by itself.
  package let watcher: WeakCancellable?

  /// Takes the timer's references out of its record.
  package init<Instant>(of record: inout TimerRecord<Instant>) {
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
