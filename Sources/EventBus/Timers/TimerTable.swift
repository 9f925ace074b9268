/// The timers of one clock: what becomes of them when time passes, without the clock.
///
/// A plain value but for being used in one place only: copies share their records. The caller tells it
/// the time. No member handles more than ``batch`` timers, so that a lock around it is never held for
/// long, however many timers there are or are due.
package struct TimerTable<Instant: InstantProtocol> {
  /// A place for a timer, used again when the timer has gone.
  private struct Slot {
    /// The high half of the key of its timer, which no other timer of the slot ever has.
    var turn: UInt
    var record: TimerRecord<Instant>?
  }

  /// The low half of a key, which is the index of the slot.
  private static var slotBits: UInt { UInt(UInt.bitWidth) / 2 }

  private var slots: [Slot] = []
  private var freeSlots: [Int] = []
  private var heap = TimerHeap<Instant>()
  private var lastOrder: UInt64 = 0

  /// How many timers there are, those included that ended during a tick under way.
  package private(set) var count = 0

  /// Creates an empty table.
  package init() {}

  /// The largest number of timers that become due at once.
  package static var batch: Int { 64 }

  /// Whether any timer waits for its deadline.
  package var isWaiting: Bool { heap.count > 0 }

  /// How many places for timers there are, free ones included.
  package var slotCount: Int { slots.count }

  /// Adds a timer.
  ///
  /// - Parameters:
  ///   - schedule: Its deadlines.
  ///   - tolerance: How much later than its deadline a tick may be.
  ///   - repeats: Whether it has more than one tick.
  ///   - body: Its handler.
  /// - Returns: What it is known by.
  /// - Complexity: O(log *n*), amortized.
  package mutating func add(
    _ schedule: TimerSchedule<Instant>,
    tolerance: Instant.Duration,
    repeats: Bool,
    body: any TimerBody
  ) -> UInt {
    lastOrder += 1
    let record = TimerRecord(
      order: lastOrder,
      schedule: schedule,
      tolerance: tolerance,
      repeats: repeats,
      body: body
    )
    let slot = freeSlots.popLast() ?? slots.count
    if slot == slots.count { slots.append(Slot(turn: 0)) }
    slots[slot].record = record
    count += 1
    enqueue(record, slot)
    return slots[slot].turn << Self.slotBits | UInt(slot)
  }

  /// Whether a timer is there and has not ended.
  package func isActive(_ key: UInt) -> Bool { record(key)?.body != nil }

  /// The lifetime that a timer ends with, where its owner has one.
  package func members(of key: UInt) -> EndingMembers? { record(key)?.members }

  /// The latest instant at which the next timer must be served, or `nil` when no timer waits.
  ///
  /// - Complexity: O(1).
  package var latest: Instant? { heap.first?.latest }

  /// When to wake up, and how much later would do; `nil` when no timer waits.
  ///
  /// - Complexity: O(1).
  package var wakeUp: (instant: Instant, latest: Instant)? { heap.wakeUp }

  /// Takes timers whose time has come: those that bear the least delay, ``batch`` at most.
  ///
  /// They are in no order that matters. If there are fewer, no other timer is due, but for such as still
  /// bear a delay.
  ///
  /// - Complexity: O(log *n*).
  package mutating func takeDue(at now: Instant) -> [TimerDue<Instant>] {
    var due: [TimerDue<Instant>] = []
    while due.count < Self.batch, let first = heap.first, first.deadline <= now {
      heap.remove(first.slot)
      guard let record = slots[first.slot].record, let body = record.body else { continue }
      record.phase = .queued
      let key = slots[first.slot].turn << Self.slotBits | UInt(first.slot)
      due.append(TimerDue(key: key, deadline: first.deadline, order: first.order, body: body))
    }
    return due
  }

  /// Begins a tick, for a timer that is due.
  ///
  /// - Parameters:
  ///   - key: The timer.
  ///   - now: The time.
  ///   - runner: The task that will call the handler.
  /// - Returns: `nil` when the timer has ended or is paused.
  package mutating func begin(_ key: UInt, at now: Instant, by runner: Int) -> TimerStart? {
    guard let record = record(key), let body = record.body else { return nil }
    guard record.pauses == 0 else {
      record.phase = .suspended
      return nil
    }
    record.phase = .running
    record.runner = runner
    if record.repeats {
      return TimerStart(body: body, tick: record.schedule.begin(at: now), remains: nil)
    }
    return TimerStart(
      body: body,
      tick: record.schedule.beginOnly(at: now),
      remains: TimerRemains(of: record)
    )
  }

  /// Ends a tick.
  ///
  /// - Parameters:
  ///   - key: The timer.
  ///   - now: The time.
  ///   - isOwned: Whether the owner, if there is one, was alive.
  /// - Returns: What follows.
  package mutating func finish(_ key: UInt, at now: Instant, isOwned: Bool) -> TimerFinish {
    guard let record = record(key) else { return TimerFinish() }
    var finish = TimerFinish(idle: record.idle.take())
    record.runner = 0
    if record.hasEnded || !isOwned {
      remove(key)
      finish.remains = TimerRemains(of: record)
      return finish
    }
    record.schedule.end(at: now)
    if record.pauses > 0 {
      record.phase = .suspended
    } else if record.schedule.deadline <= now {
      record.phase = .queued
      finish.next = record.body
    } else {
      finish.waits = true
      enqueue(record, slot(of: key))
    }
    return finish
  }

  /// Ends a timer.
  ///
  /// - Returns: What is left of it, or `nil` when it had ended before.
  /// - Complexity: O(log *n*).
  package mutating func end(_ key: UInt) -> TimerRemains? {
    guard let record = record(key), !record.hasEnded else { return nil }
    let remains = TimerRemains(of: record)
    if record.phase == .running { return remains }
    remove(key)
    heap.remove(slot(of: key))
    return remains
  }

  /// Pauses a timer once more or once less.
  ///
  /// - Parameters:
  ///   - key: The timer.
  ///   - change: One more pause, or one less.
  ///   - now: The time. Deadlines up to it are left out when the last pause ends; the only deadline of a
  ///     timer is not.
  package mutating func changePauses(_ key: UInt, by change: Int, at now: Instant) {
    guard let record = record(key), !record.hasEnded else { return }
    record.pauses += change
    if record.pauses > 0, record.phase == .waiting {
      record.phase = .suspended
      heap.remove(slot(of: key))
    }
    if record.pauses == 0, record.phase == .suspended {
      if record.repeats { record.schedule.resume(at: now) }
      enqueue(record, slot(of: key))
    }
  }

  /// Remembers who is told when a timer ends by itself.
  ///
  /// - Returns: `false` when it has ended.
  package mutating func watch(_ key: UInt, by watcher: WeakCancellable) -> Bool {
    record(key)?.watcher = watcher
    return isActive(key)
  }

  /// Remembers the lifetime that a timer ends with.
  ///
  /// - Returns: `false` when it has ended.
  package mutating func setTicket(
    _ key: UInt,
    _ members: EndingMembers,
    _ ticket: EndingMembers.Ticket
  ) -> Bool {
    guard isActive(key) else { return false }
    record(key)?.members = members
    record(key)?.ticket = ticket
    return true
  }

  /// What to wait for until no call of a timer's handler is running.
  ///
  /// - Parameters:
  ///   - key: The timer.
  ///   - task: Who asks; the handler does not wait for itself.
  /// - Returns: `nil` when there is nothing to wait for.
  package mutating func idle(_ key: UInt, askedBy task: Int) -> Latch? {
    guard let record = record(key), record.phase == .running, record.runner != task else {
      return nil
    }
    let idle = record.idle ?? Latch()
    record.idle = idle
    return idle
  }

  /// Stops the program if the parts of the table contradict each other.
  package func _checkInvariants() {
    heap._checkInvariants()
    let records = slots.compactMap(\.record)
    assert(records.count == count, "the count is wrong")
    assert(records.count { $0.phase == .waiting } == heap.count, "a timer waits in vain")
    assert(freeSlots.allSatisfy { slots[$0].record == nil }, "a place that is taken counts as free")
  }

  private func slot(of key: UInt) -> Int { Int(key & (1 << Self.slotBits - 1)) }

  private func record(_ key: UInt) -> TimerRecord<Instant>? {
    let slot = slots[slot(of: key)]
    return slot.turn == key >> Self.slotBits ? slot.record : nil
  }

  private mutating func remove(_ key: UInt) {
    let slot = slot(of: key)
    slots[slot].record = nil
    count -= 1
    // A slot that has had every turn is left empty: keys never come back.
    guard slots[slot].turn < UInt.max >> Self.slotBits else { return }
    slots[slot].turn += 1
    freeSlots.append(slot)
  }

  private mutating func enqueue(_ record: TimerRecord<Instant>, _ slot: Int) {
    record.phase = .waiting
    let deadline = record.schedule.deadline
    heap.insert(
      TimerHeap.Entry(
        deadline: deadline,
        latest: deadline.advanced(by: record.tolerance),
        order: record.order,
        slot: slot
      )
    )
  }
}
