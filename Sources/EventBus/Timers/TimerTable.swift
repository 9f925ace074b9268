/// The timers of one clock, as a state machine without the clock.
///
/// The caller passes the current instant. Copies share their records, so only one copy may be used. No
/// member handles more than ``batch`` timers, so a lock around the table is never held for long, however
/// many timers exist or are due.
package struct TimerTable<Instant: InstantProtocol> {
  /// A slot for a timer, reused after the timer has been removed.
  private struct Slot {
    /// The high half of the timer's key, never reused for this slot.
    var turn: UInt
    var record: TimerRecord<Instant>?
  }

  /// The width of the low half of a key, which is the index of the slot.
  private static var slotBits: UInt { UInt(UInt.bitWidth) / 2 }

  private var slots: [Slot] = []
  private var freeSlots: [Int] = []
  private var heap = TimerHeap<Instant>()
  private var lastOrder: UInt64 = 0

  /// The number of timers, including those that ended during their running tick.
  package private(set) var count = 0

  /// Creates an empty table.
  package init() {}

  /// The maximum number of timers that ``takeDue(at:)`` returns.
  package static var batch: Int { 64 }

  /// A Boolean value that indicates whether any timer waits for its deadline.
  package var isWaiting: Bool { heap.count > 0 }

  /// The number of slots, including free ones.
  package var slotCount: Int { slots.count }

  /// Adds a timer.
  ///
  /// - Parameters:
  ///   - schedule: The deadlines of the timer.
  ///   - tolerance: The maximum delay of a tick after its deadline.
  ///   - repeats: A Boolean value that indicates whether the timer has more than one tick.
  ///   - body: The handler of the timer.
  /// - Returns: The key of the timer.
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

  /// Returns whether a timer exists and has not ended.
  package func isActive(_ key: UInt) -> Bool { record(key)?.body != nil }

  /// Returns the group of the lifetime of a timer's owner, if the owner has one.
  package func members(of key: UInt) -> EndingMembers? { record(key)?.membership?.members }

  /// The latest instant at which the next timer must be served, or `nil` when no timer waits.
  ///
  /// - Complexity: O(1).
  package var latest: Instant? { heap.first?.latest }

  /// The instant of the next wake-up and the latest that would do, or `nil` when no timer waits.
  ///
  /// - Complexity: O(1).
  package var wakeUp: (instant: Instant, latest: Instant)? { heap.wakeUp }

  /// Removes timers that are due from the heap: those that must be served first, ``batch`` at most.
  ///
  /// The result has no meaningful order. If it has fewer than ``batch`` timers, any other timer that is due
  /// still tolerates a delay.
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

  /// Begins a tick of a timer that is due.
  ///
  /// - Parameters:
  ///   - key: The timer.
  ///   - now: The current instant.
  ///   - runner: The task that will call the handler.
  /// - Returns: The tick, or `nil` when the timer has ended or is paused.
  package mutating func begin(_ key: UInt, at now: Instant, by runner: Int) -> TimerStart? {
    guard let record = record(key), let body = record.body else { return nil }
    guard record.pauses == 0 else {
      record.phase = .suspended
      return nil
    }
    record.phase = .running
    record.runner = runner
    if record.repeats {
      return TimerStart(body: body, tick: record.schedule.begin(at: now), leftovers: nil)
    }
    return TimerStart(
      body: body,
      tick: record.schedule.beginOnly(at: now),
      leftovers: TimerLeftovers(of: record)
    )
  }

  /// Ends a tick.
  ///
  /// - Parameters:
  ///   - key: The timer.
  ///   - now: The current instant.
  ///   - isOwned: `false` if the timer has an owner that has been deallocated.
  /// - Returns: The consequences for the caller.
  package mutating func finish(_ key: UInt, at now: Instant, isOwned: Bool) -> TimerFinish {
    guard let record = record(key) else { return TimerFinish() }
    var finish = TimerFinish(idle: record.idle.take())
    record.runner = 0
    if record.hasEnded || !isOwned {
      remove(key)
      finish.leftovers = TimerLeftovers(of: record)
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
  /// - Returns: The leftovers of the timer, or `nil` if it had already ended.
  /// - Complexity: O(log *n*).
  package mutating func end(_ key: UInt) -> TimerLeftovers? {
    guard let record = record(key), !record.hasEnded else { return nil }
    let leftovers = TimerLeftovers(of: record)
    if record.phase == .running { return leftovers }
    remove(key)
    heap.remove(slot(of: key))
    return leftovers
  }

  /// Changes the number of pauses of a timer.
  ///
  /// - Parameters:
  ///   - key: The timer.
  ///   - change: 1 to pause, -1 to end a pause.
  ///   - now: The current instant. The end of the last pause skips the deadlines up to this instant, except
  ///     the only deadline of a timer that does not repeat.
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

  /// Stores the token that is cancelled when a timer ends by itself.
  ///
  /// - Returns: `false` if the timer has already ended.
  package mutating func watch(_ key: UInt, by watcher: WeakCancellable) -> Bool {
    record(key)?.watcher = watcher
    return isActive(key)
  }

  /// Stores the membership of a timer in the lifetime of its owner.
  ///
  /// - Returns: `false` if the timer has already ended.
  package mutating func setTicket(
    _ key: UInt,
    _ membership: EndingMembers.Membership
  ) -> Bool {
    guard isActive(key) else { return false }
    record(key)?.membership = membership
    return true
  }

  /// Returns a latch that opens when the running call of a timer's handler returns.
  ///
  /// - Parameters:
  ///   - key: The timer.
  ///   - task: The waiting task. The handler does not wait for itself.
  /// - Returns: The latch, or `nil` when there is nothing to wait for.
  package mutating func idle(_ key: UInt, askedBy task: Int) -> Latch? {
    guard let record = record(key), record.phase == .running, record.runner != task else {
      return nil
    }
    let idle = record.idle ?? Latch()
    record.idle = idle
    return idle
  }

  /// Stops the program if the parts of the table are inconsistent.
  package func _checkInvariants() {
    heap._checkInvariants()
    let records = slots.compactMap(\.record)
    assert(records.count == count, "the count is wrong")
    assert(records.count { $0.phase == .waiting } == heap.count, "a waiting timer is lost")
    assert(freeSlots.allSatisfy { slots[$0].record == nil }, "an occupied slot is in the free list")
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
    // A slot that has used every turn stays empty: keys are never reused.
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
