/// The timers of one clock and the task that sleeps for them, as a state machine without the clock.
///
/// The caller passes the current time. No member handles more than ``batch`` timers, so a lock around the
/// table is never held for long, however many timers exist or are due. A timer belongs to one table.
package struct TimerTable: Sendable {
  /// A timer that is due, with the deadline of the tick and the registration number, which decides among
  /// equals.
  package struct Due: Sendable {
    let deadline: Int128
    /// The registration number.
    package let order: UInt64
    let timer: TimerRegistration
  }

  /// A tick that has begun.
  package typealias Call = (handler: TimerRegistration.Handler, tick: TimerSchedule.Tick)

  /// The sleeping task, and the time of its next wake-up.
  private struct Sleeper {
    let number: UInt
    var time: Int128
    var task: Task<Void, Never>?
  }

  /// The time of the next wake-up, and the latest time that would do.
  package typealias WakeUp = (time: Int128, latest: Int128)

  /// The timers by slot; slots are reused.
  private var timers: [TimerRegistration?] = []
  private var freeSlots: [Int] = []
  /// The number of timers with one tick that have left their slot, and whose tick has not begun.
  private var leavingCount = 0
  private var heap = Heap<TimerDeadline>()
  private var lastOrder: UInt64 = 0
  private var sleeper: Sleeper?
  private var lastSleeper: UInt = 0
  /// True if the clock has failed to sleep since a timer began to wait.
  private var hasFailed = false

  /// Creates an empty table.
  package init() {}

  /// The maximum number of timers that ``takeDue(at:into:)`` adds.
  package static var batch: Int { 64 }

  /// The number of timers, including those that ended during their running tick and those that are due.
  package var count: Int { timers.count - freeSlots.count + leavingCount }

  /// The number of slots, including free ones.
  package var slotCount: Int { timers.count }

  /// Adds a timer.
  ///
  /// - Complexity: O(log *n*), amortized.
  package mutating func add(_ timer: TimerRegistration) {
    defer { checkInvariants(ofSize: timers.count, _checkInvariants()) }
    lastOrder += 1
    timer.order = lastOrder
    insert(timer)
    enqueue(timer)
  }

  /// The next wake-up, or `nil` when no timer waits.
  ///
  /// - Complexity: O(1).
  package var wakeUp: WakeUp? { heap.wakeUp() }

  /// Removes timers that are due from the heap: those that must be served first, ``batch`` at most.
  ///
  /// Timers with one tick leave their slot, and the table when that tick begins. One that is paused by then
  /// gets another slot.
  ///
  /// - Parameters:
  ///   - now: The current time.
  ///   - due: Receives the timers, in no meaningful order.
  /// - Returns: `true` if there may be more. Otherwise any other timer that is due still tolerates a delay.
  /// - Complexity: O(log *n*), plus a copy of `due` if that must grow.
  package mutating func takeDue(at now: Int128, into due: inout [Due]) -> Bool {
    defer { checkInvariants(ofSize: timers.count, _checkInvariants()) }
    var count = 0
    while count < Self.batch, let first = heap.first, first.time <= now {
      _ = heap.popFirst()
      guard let timer = timers[first.slot], timer.handler != nil else { continue }
      if !timer.schedule.repeats {
        remove(timer)
        leavingCount += 1
      }
      timer.phase = .queued
      due.append(Due(deadline: first.time, order: first.order, timer: timer))
      count += 1
    }
    return count == Self.batch
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
  ///   - timer: The timer.
  ///   - now: The current time.
  /// - Returns: The handler and the tick, or `nil` when the timer has ended or is paused.
  package mutating func begin(_ timer: TimerRegistration, at now: Int128) -> Call? {
    defer { checkInvariants(ofSize: timers.count, _checkInvariants()) }
    guard let handler = timer.handler else { return nil }
    assert(timer.phase == .queued, "a timer ticks that is not due")
    if !timer.schedule.repeats { leavingCount -= 1 }
    guard !timer.schedule.isPaused else {
      if !timer.schedule.repeats { insert(timer) }
      timer.phase = .suspended
      return nil
    }
    // The only tick takes the handler with it.
    if !timer.schedule.repeats { timer.handler = nil }
    timer.phase = timer.schedule.repeats ? .running : .absent
    return (handler, timer.schedule.begin(at: now))
  }

  /// Ends a tick.
  ///
  /// - Parameters:
  ///   - timer: The timer.
  ///   - now: The current time.
  /// - Returns: The timer if its next tick is already due.
  package mutating func finish(_ timer: TimerRegistration, at now: Int128) -> Due? {
    defer { checkInvariants(ofSize: timers.count, _checkInvariants()) }
    guard timer.handler != nil else {
      remove(timer)
      return nil
    }
    assert(timer.phase == .running, "a tick ends that has not begun")
    timer.schedule.end(at: now)
    let deadline = timer.schedule.deadline
    if timer.schedule.isPaused {
      timer.phase = .suspended
    } else if deadline <= now {
      timer.phase = .queued
      return Due(deadline: deadline, order: timer.order, timer: timer)
    } else {
      enqueue(timer)
    }
    return nil
  }

  /// Ends a timer.
  ///
  /// - Returns: The handler, which the caller releases outside its lock, or `nil` if the timer had already
  ///   ended.
  /// - Complexity: O(log *n*).
  package mutating func end(_ timer: TimerRegistration) -> TimerRegistration.Handler? {
    defer { checkInvariants(ofSize: timers.count, _checkInvariants()) }
    guard let handler = timer.handler.take() else { return nil }
    if timer.phase == .waiting { heap.remove(slot: timer.slot) }
    if timer.phase == .queued, !timer.schedule.repeats { leavingCount -= 1 }
    if timer.phase != .running { remove(timer) }
    return handler
  }

  /// Pauses or resumes a timer.
  ///
  /// - Parameters:
  ///   - timer: The timer.
  ///   - isPaused: Whether the timer is paused.
  ///   - now: The current time. The deadlines between the beginning and the end of a pause are skipped, except
  ///     the only deadline of a timer that does not repeat.
  package mutating func setPaused(_ timer: TimerRegistration, _ isPaused: Bool, at now: Int128) {
    defer { checkInvariants(ofSize: timers.count, _checkInvariants()) }
    guard timer.handler != nil else { return }
    if isPaused {
      timer.schedule.pause(at: now, isDue: timer.phase == .queued)
    } else {
      timer.schedule.resume(at: now)
    }
    if isPaused, timer.phase == .waiting {
      timer.phase = .suspended
      heap.remove(slot: timer.slot)
    }
    if !isPaused, timer.phase == .suspended { enqueue(timer) }
  }

  /// Stops the program if the parts of the table are inconsistent.
  package func _checkInvariants() {
    heap._checkInvariants()
    for (slot, timer) in timers.enumerated() {
      guard let timer else { continue }
      assert(timer.slot == slot, "a timer is in the wrong slot")
      assert(timer.phase != .absent, "a removed timer is in the table")
      assert(timer.handler != nil || timer.phase == .running, "an ended timer is in the table")
    }
    assert(timers.count { $0?.phase == .waiting } == heap.count, "a waiting timer is lost")
    assert(leavingCount >= 0, "more timers have begun than were due")
    assert(timers.count { $0 == nil } == freeSlots.count, "a free slot is lost")
    assert(freeSlots.allSatisfy { timers[$0] == nil }, "an occupied slot is in the free list")
  }

  private mutating func insert(_ timer: TimerRegistration) {
    timer.slot = freeSlots.popLast() ?? timers.count
    if timer.slot == timers.count { timers.append(timer) } else { timers[timer.slot] = timer }
  }

  private mutating func remove(_ timer: TimerRegistration) {
    timer.phase = .absent
    guard timer.slot >= 0 else { return }
    timers[timer.slot] = nil
    freeSlots.append(timer.slot)
    timer.slot = -1
  }

  private mutating func enqueue(_ timer: TimerRegistration) {
    timer.phase = .waiting
    hasFailed = false
    let (time, latest) = (timer.schedule.deadline, timer.schedule.latest)
    heap.insert(TimerDeadline(time, latest: latest, order: timer.order, slot: timer.slot))
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
    if let sleeper, sleeper.time <= first.latest { return (nil, nil) }
    let obsolete = sleeper?.task
    lastSleeper += 1
    sleeper = Sleeper(number: lastSleeper, time: wakeUp?.time ?? first.time)
    return (obsolete, lastSleeper)
  }

  /// Returns whether a sleeper has not been replaced.
  package func isCurrent(sleeper number: UInt) -> Bool { sleeper?.number == number }

  /// Stores the task of a sleeper.
  ///
  /// - Returns: `false` if the sleeper has been replaced.
  mutating func setTask(_ task: Task<Void, Never>, ofSleeper number: UInt) -> Bool {
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
    sleeper?.time = wakeUp.time
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
