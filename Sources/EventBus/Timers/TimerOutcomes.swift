/// What is left of a timer that has ended, to be let go outside the lock.
package struct TimerRemains: Sendable {
  private let body: (any TimerBody)?
  private let members: EndingMembers?
  private let ticket: EndingMembers.Ticket?
  /// Who is told when the timer ended by itself.
  package let watcher: WeakCancellable?

  /// Takes the timer's references out of its record.
  internal init<Instant>(of record: TimerRecord<Instant>) {
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
package struct TimerDue: Sendable {
  /// What it is known by.
  package let key: UInt
  /// Its handler.
  package let body: any TimerBody
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
