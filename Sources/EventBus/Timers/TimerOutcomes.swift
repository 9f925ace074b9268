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
