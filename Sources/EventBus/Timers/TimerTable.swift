/// The timers of one clock and the task that sleeps for them, as a state machine without the clock.
///
/// The caller passes the current instant. Copies share their records, so only one copy may be used. No
/// member handles more than ``batch`` timers, so a lock around the table is never held for long, however
/// many timers exist or are due.
package struct TimerTable<Instant: InstantProtocol> {
  /// A timer that is due: the deadline of the tick, the registration number, which decides among equals, the
  /// registration and the handler.
  package typealias Due = (
    deadline: Instant, order: UInt64, registration: TimerRegistration, body: any TimerBody
  )

  /// The instant of the next wake-up, and the latest instant that would do.
  package typealias WakeUp = (instant: Instant, latest: Instant)

  /// The width of the low half of a key, which is the index of the slot.
  private static var slotBits: UInt { UInt(UInt.bitWidth) / 2 }

  /// The slots for timers, reused after a timer has been removed.
  ///
  /// The turn is the high half of a timer's key and never reused for its slot.
  private var slots: [(turn: UInt, record: TimerRecord<Instant>?)] = []
  private var freeSlots: [Int] = []
  private var heap = Heap<TimerDeadline<Instant>>()
  private var lastOrder: UInt64 = 0
  /// The sleeping task, and the instant of its next wake-up.
  private var sleeper: (number: UInt, instant: Instant, task: Task<Void, Never>?)?
  private var lastSleeper: UInt = 0
  /// Indicates that the clock has failed to sleep since a timer began to wait.
  private var hasFailed = false

  /// The number of timers, including those that ended during their running tick.
  package private(set) var count = 0

  /// Creates an empty table.
  package init() {}

  /// The maximum number of timers that ``takeDue(at:)`` returns.
  package static var batch: Int { 64 }

  /// The number of slots, including free ones.
  package var slotCount: Int { slots.count }

  /// Adds a timer.
  ///
  /// - Parameters:
  ///   - schedule: The deadlines of the timer.
  ///   - body: The handler of the timer.
  ///   - registration: The registration of the timer, which receives its key.
  /// - Complexity: O(log *n*), amortized.
  package mutating func add(
    _ schedule: TimerSchedule<Instant>,
    _ body: any TimerBody,
    for registration: TimerRegistration
  ) {
    lastOrder += 1
    let record = TimerRecord(order: lastOrder, schedule, body, registration)
    let slot = freeSlots.popLast() ?? slots.count
    if slot == slots.count { slots.append((0, nil)) }
    slots[slot].record = record
    count += 1
    enqueue(record, slot)
    registration.key = key(of: slot)
  }

  /// The next wake-up, or `nil` when no timer waits.
  ///
  /// - Complexity: O(1).
  package var wakeUp: WakeUp? { heap.wakeUp() }

  /// Removes timers that are due from the heap: those that must be served first, ``batch`` at most.
  ///
  /// The result has no meaningful order. If it has fewer than ``batch`` timers, any other timer that is due
  /// still tolerates a delay.
  ///
  /// - Complexity: O(log *n*).
  package mutating func takeDue(at now: Instant) -> [Due] {
    var due: [Due] = []
    while due.count < Self.batch, let first = heap.first, first.instant <= now {
      heap.remove(slot: first.slot)
      guard let record = slots[first.slot].record, let body = record.body else { continue }
      record.phase = .queued
      due.append((first.instant, first.order, record.registration, body))
    }
    return due
  }

  /// Sorts due timers by deadline and, among equals, in registration order.
  ///
  /// - Complexity: O(*n*) for a sorted array, otherwise O(*n* log *n*).
  package static func sort(_ due: inout [Due]) {
    let precedes = { (left: Due, right: Due) in
      (left.deadline, left.order) < (right.deadline, right.order)
    }
    if !zip(due, due.dropFirst()).allSatisfy(precedes) { due.sort(by: precedes) }
  }

  /// Begins a tick of a timer that is due.
  ///
  /// - Parameters:
  ///   - key: The timer.
  ///   - now: The current instant.
  /// - Returns: The handler and its argument, or `nil` when the timer has ended or is paused.
  package mutating func begin(_ key: UInt, at now: Instant) -> (body: any TimerBody, tick: Tick)? {
    guard let record = record(key), let body = record.body else { return nil }
    guard !record.isPaused else {
      record.phase = .suspended
      return nil
    }
    record.phase = .running
    return (body, record.schedule.begin(at: now))
  }

  /// Ends a tick.
  ///
  /// - Parameters:
  ///   - key: The timer.
  ///   - now: The current instant.
  /// - Returns: The handler if the next tick is already due.
  package mutating func finish(_ key: UInt, at now: Instant) -> (any TimerBody)? {
    guard let record = record(key) else { return nil }
    guard !record.hasEnded else {
      remove(key)
      return nil
    }
    record.schedule.end(at: now)
    if record.isPaused {
      record.phase = .suspended
    } else if record.schedule.deadline <= now {
      record.phase = .queued
      return record.body
    } else {
      enqueue(record, slot(of: key))
    }
    return nil
  }

  /// Ends a timer.
  ///
  /// - Returns: The handler, which the caller releases outside its lock, or `nil` if the timer had already
  ///   ended.
  /// - Complexity: O(log *n*).
  package mutating func end(_ key: UInt) -> (any TimerBody)? {
    guard let record = record(key), let body = record.body.take() else { return nil }
    if record.phase != .running {
      remove(key)
      heap.remove(slot: slot(of: key))
    }
    return body
  }

  /// Pauses or resumes a timer.
  ///
  /// - Parameters:
  ///   - key: The timer.
  ///   - isPaused: Whether the timer is paused.
  ///   - now: The current instant. The end of a pause skips the deadlines up to this instant, except the only
  ///     deadline of a timer that does not repeat.
  package mutating func setPaused(_ key: UInt, _ isPaused: Bool, at now: Instant) {
    guard let record = record(key), !record.hasEnded else { return }
    record.isPaused = isPaused
    if isPaused, record.phase == .waiting {
      record.phase = .suspended
      heap.remove(slot: slot(of: key))
    }
    if !isPaused, record.phase == .suspended {
      record.schedule.resume(at: now)
      enqueue(record, slot(of: key))
    }
  }

  /// Stops the program if the parts of the table are inconsistent.
  package func _checkInvariants() {
    heap._checkInvariants()
    let records = slots.compactMap(\.record)
    assert(records.count == count, "the count is wrong")
    assert(records.count { $0.phase == .waiting } == heap.count, "a waiting timer is lost")
    assert(freeSlots.allSatisfy { slots[$0].record == nil }, "an occupied slot is in the free list")
  }

  private func key(of slot: Int) -> UInt { slots[slot].turn << Self.slotBits | UInt(slot) }

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
    hasFailed = false
    let (deadline, latest) = (record.schedule.deadline, record.schedule.latest)
    heap.insert(TimerDeadline(deadline, latest: latest, order: record.order, slot: slot))
  }
}

// The sleeper.
extension TimerTable {
  /// A change of the sleeping task: a task to cancel, and the number of a sleeper to start.
  package typealias SleeperChange = (obsolete: Task<Void, Never>?, number: UInt?)

  /// Replaces a sleeper that would wake up too late, and removes one that is not needed.
  package mutating func updateSleeper() -> SleeperChange {
    guard let first = heap.first else { return (sleeper.take()?.task, nil) }
    if hasFailed { return (nil, nil) }
    if let sleeper, sleeper.instant <= first.latest { return (nil, nil) }
    let obsolete = sleeper?.task
    lastSleeper += 1
    sleeper = (lastSleeper, wakeUp?.instant ?? first.instant, nil)
    return (obsolete, lastSleeper)
  }

  /// Returns whether a sleeper has not been replaced.
  package func isCurrent(sleeper number: UInt) -> Bool { sleeper?.number == number }

  /// Stores the task of a sleeper.
  ///
  /// - Returns: `false` if the sleeper has been replaced.
  package mutating func setTask(_ task: Task<Void, Never>, ofSleeper number: UInt) -> Bool {
    guard isCurrent(sleeper: number) else { return false }
    sleeper?.task = task
    return true
  }

  /// Returns the next wake-up of a sleeper, or `nil` if the sleeper has been replaced or is not needed.
  package mutating func nextWakeUp(ofSleeper number: UInt) -> WakeUp? {
    guard isCurrent(sleeper: number) else { return nil }
    guard let wakeUp else {
      sleeper = nil
      return nil
    }
    sleeper?.instant = wakeUp.instant
    return wakeUp
  }

  /// Removes a sleeper whose clock has failed.
  ///
  /// The next timer that begins to wait gets another one.
  package mutating func removeSleeper(_ number: UInt) {
    guard isCurrent(sleeper: number) else { return }
    sleeper = nil
    hasFailed = true
  }
}
