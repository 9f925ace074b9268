/// The timers of one clock: what becomes of them when time passes, without the clock.
///
/// A plain value; the caller tells it the time. The heap holds at most max(8, 2 × waiting timers) entries
/// after any change.
package struct TimerTable<Instant: InstantProtocol>: Sendable {
  /// A timer whose time has come.
  package struct Due: Sendable {
    /// What it is known by.
    package let key: UInt
    /// Its handler.
    package let body: any TimerBody
  }

  /// A tick that begins.
  package struct Start: Sendable {
    /// The handler.
    package let body: any TimerBody
    /// What to call it with.
    package let tick: Tick
    /// What is left of the timer if this was its only tick.
    package let remains: TimerRemains?
  }

  /// What follows from the end of a tick.
  package struct Finish: Sendable {
    /// What is left of the timer if its owner has died.
    package var remains: TimerRemains?
    /// To be opened for those who wait for the end of the tick.
    package var idle: Latch?
    /// The handler, if the next tick is due already.
    package var next: (any TimerBody)?
  }

  private typealias Record = TimerRecord<Instant>

  private var records: [UInt: TimerRecord<Instant>] = [:]
  private var heap = TimerHeap<Instant>()
  private var waiting = 0
  private var lastKey: UInt = 0

  /// Creates an empty table.
  package init() {}

  /// How many timers there are, those included that ended during a tick under way.
  package var count: Int { records.count }

  /// How many entries the heap has, stale ones included.
  package var entryCount: Int { heap.count }

  /// Adds a timer.
  ///
  /// - Parameters:
  ///   - schedule: Its deadlines.
  ///   - tolerance: How much later than its deadline a tick may be.
  ///   - repeats: Whether it has more than one tick.
  ///   - body: Its handler.
  /// - Returns: What it is known by.
  /// - Complexity: O(log *n*).
  package mutating func add(
    _ schedule: TimerSchedule<Instant>,
    tolerance: Instant.Duration,
    repeats: Bool,
    body: any TimerBody
  ) -> UInt {
    repeat { lastKey &+= 1 } while records[lastKey] != nil
    let record = TimerRecord(
      schedule: schedule,
      tolerance: tolerance,
      repeats: repeats,
      body: body
    )
    enqueue(record, lastKey)
    return lastKey
  }

  /// Whether a timer is there and has not ended.
  package func isActive(_ key: UInt) -> Bool { records[key]?.body != nil }

  /// The latest instant at which somebody must wake up, or `nil` when no timer waits.
  ///
  /// - Complexity: O(log *n*), amortized.
  package mutating func latest() -> Instant? {
    while let first = heap.first {
      if isCurrent(first) { return first.latest }
      _ = heap.popFirst()
    }
    return nil
  }

  /// When to wake up, and how much later would do; `nil` when no timer waits.
  ///
  /// - Complexity: O(log *n*), amortized.
  package mutating func wakeUp() -> (instant: Instant, latest: Instant)? {
    latest() == nil ? nil : heap.wakeUp
  }

  /// Takes the timers whose time has come, by deadline and, among equals, by registration.
  ///
  /// One that still bears a delay may be left for the next time.
  ///
  /// - Complexity: O(*k* log *n*) for *k* timers.
  package mutating func takeDue(at now: Instant) -> [Due] {
    var due: [Due] = []
    var entries: [TimerHeap<Instant>.Entry] = []
    while let first = heap.first, first.deadline <= now, let entry = heap.popFirst() {
      if isCurrent(entry) { entries.append(entry) }
    }
    waiting -= entries.count
    let isSorted = zip(entries, entries.dropFirst()).allSatisfy { $0.deadline <= $1.deadline }
    if !isSorted { entries.sort { ($0.deadline, $0.order) < ($1.deadline, $1.order) } }
    due.reserveCapacity(entries.count)
    for entry in entries {
      guard let body = records[entry.order]?.body else { continue }
      records[entry.order]?.phase = .queued
      due.append(Due(key: entry.order, body: body))
    }
    sweep()
    return due
  }

  /// Begins a tick, for a timer that is due.
  ///
  /// - Parameters:
  ///   - key: The timer.
  ///   - now: The time.
  ///   - runner: The task that will call the handler.
  /// - Returns: `nil` when the timer has ended or is paused.
  package mutating func begin(_ key: UInt, at now: Instant, by runner: Int) -> Start? {
    guard let body = records[key]?.body else { return nil }
    guard records[key]?.pauses == 0 else {
      records[key]?.phase = .suspended
      return nil
    }
    records[key]?.phase = .running
    records[key]?.runner = runner
    if records[key]?.repeats == true {
      guard let tick = records[key]?.schedule.begin(at: now) else { return nil }
      return Start(body: body, tick: tick, remains: nil)
    }
    guard let tick = records[key]?.schedule.beginOnly(at: now) else { return nil }
    return Start(body: body, tick: tick, remains: end(key))
  }

  /// Ends a tick.
  ///
  /// - Parameters:
  ///   - key: The timer.
  ///   - now: The time.
  ///   - isOwned: Whether the owner, if there is one, was alive.
  /// - Returns: What follows.
  package mutating func finish(_ key: UInt, at now: Instant, isOwned: Bool) -> Finish {
    guard var record = records[key] else { return Finish() }
    var finish = Finish(idle: record.idle.take())
    record.runner = 0
    if record.hasEnded || !isOwned {
      records[key] = nil
      finish.remains = TimerRemains(of: &record)
      return finish
    }
    record.schedule.end(at: now)
    if record.pauses > 0 {
      record.phase = .suspended
    } else if record.schedule.deadline <= now {
      record.phase = .queued
      finish.next = record.body
    } else {
      enqueue(record, key)
      return finish
    }
    records[key] = record
    return finish
  }

  /// Ends a timer.
  ///
  /// - Returns: What is left of it, or `nil` when it had ended before.
  /// - Complexity: Amortized O(1).
  package mutating func end(_ key: UInt) -> TimerRemains? {
    guard var record = records[key], !record.hasEnded else { return nil }
    let remains = TimerRemains(of: &record)
    if record.phase == .running {
      records[key] = record
    } else {
      records[key] = nil
      if record.phase == .waiting { leaveHeap() }
    }
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
    guard var record = records[key], !record.hasEnded else { return }
    record.pauses += change
    if record.pauses > 0, record.phase == .waiting {
      record.phase = .suspended
      records[key] = record
      leaveHeap()
      return
    }
    if record.pauses == 0, record.phase == .suspended {
      if record.repeats { record.schedule.resume(at: now) }
      enqueue(record, key)
    } else {
      records[key] = record
    }
  }

  /// Remembers who is told when a timer ends by itself.
  ///
  /// - Returns: `false` when it has ended.
  package mutating func watch(_ key: UInt, by watcher: WeakCancellable) -> Bool {
    records[key]?.watcher = watcher
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
    records[key]?.members = members
    records[key]?.ticket = ticket
    return true
  }

  /// What to wait for until no call of a timer's handler is running.
  ///
  /// - Parameters:
  ///   - key: The timer.
  ///   - task: Who asks; the handler does not wait for itself.
  /// - Returns: `nil` when there is nothing to wait for.
  package mutating func idle(_ key: UInt, askedBy task: Int) -> Latch? {
    guard let record = records[key], record.phase == .running, record.runner != task else {
      return nil
    }
    let idle = record.idle ?? Latch()
    records[key]?.idle = idle
    return idle
  }

  private mutating func enqueue(_ record: consuming TimerRecord<Instant>, _ key: UInt) {
    record.phase = .waiting
    record.turn += 1
    waiting += 1
    let deadline = record.schedule.deadline
    heap.insert(
      TimerHeap.Entry(
        deadline: deadline,
        latest: deadline.advanced(by: record.tolerance),
        order: key,
        turn: record.turn
      )
    )
    records[key] = record
    sweep()
  }

  private mutating func leaveHeap() {
    waiting -= 1
    sweep()
  }

  /// Removes stale entries from the heap when they are too many.
  private mutating func sweep() {
    guard heap.count > max(8, 2 * waiting) else { return }
    let records = records
    heap.removeAll { entry in
      guard let record = records[entry.order] else { return true }
      return record.phase != .waiting || record.turn != entry.turn
    }
  }

  private func isCurrent(_ entry: TimerHeap<Instant>.Entry) -> Bool {
    guard let record = records[entry.order] else { return false }
    return record.phase == .waiting && record.turn == entry.turn
  }
}
