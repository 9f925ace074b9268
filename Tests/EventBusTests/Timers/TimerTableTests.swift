import EventBus
import TestSupport
import Testing

@Suite("Timer table")
struct TimerTableTests {
  private func add(
    to table: inout TimerTable,
    every interval: Int,
    tolerance: Int = 0,
    repeats: Bool = true
  ) -> TimerRegistration {
    let schedule = TimerSchedule(
      from: 0,
      every: Int128(interval),
      tolerance: Int128(tolerance),
      missed: repeats ? .skip : nil
    )
    let timer = TimerRegistration(schedule, .owned { _ in true })
    table.add(timer)
    return timer
  }

  /// The numbers of the timers that are due, as the queue takes them.
  private func takeDue(from table: inout TimerTable, at time: Int128) -> [UInt64] {
    var due: [TimerTable.Due] = []
    while table.takeDue(at: time, into: &due) {}
    TimerTable.sort(&due)
    table._checkInvariants()
    return due.map(\.order)
  }

  @Test("Due timers are called by deadline, then by registration")
  func order() {
    var table = TimerTable()
    let late = add(to: &table, every: 3)
    let first = add(to: &table, every: 2)
    let early = add(to: &table, every: 1)
    let second = add(to: &table, every: 2)
    #expect(takeDue(from: &table, at: 2) == [early.order, first.order, second.order])
    #expect(takeDue(from: &table, at: 2) == [])
    #expect(takeDue(from: &table, at: 3) == [late.order])
  }

  @Test("Repeating timers keep their order among equals, whichever tick ends first")
  func orderIsKept() {
    var table = TimerTable()
    let timers = (0..<5).map { _ in add(to: &table, every: 1) }
    for second in 1...20 {
      let now = Int128(second)
      #expect(takeDue(from: &table, at: Int128(second)) == timers.map(\.order))
      for timer in timers.reversed() { _ = table.begin(timer, at: now) }
      for timer in second.isMultiple(of: 2) ? timers : timers.reversed() {
        _ = table.finish(timer, at: now)
      }
    }
  }

  @Test("Deadlines decide the order, not tolerances")
  func orderWithTolerance() {
    var table = TimerTable()
    let patient = add(to: &table, every: 1, tolerance: 5)
    let strict = add(to: &table, every: 2)
    #expect(table.wakeUp?.time == 2)
    #expect(takeDue(from: &table, at: 2) == [patient.order, strict.order])
  }

  @Test("For one deadline, registration decides the order, not tolerances")
  func orderWithTolerances() {
    var table = TimerTable()
    let timers = [5, 3, 0, 4].map { add(to: &table, every: 1, tolerance: $0) }
    #expect(takeDue(from: &table, at: 1) == timers.map(\.order))
  }

  @Test("A batch is bounded however many timers are due, and the batches hold each timer once")
  func batches() {
    var table = TimerTable()
    var numbers = SampleNumbers(seed: 1)
    let timers = (0..<1_000).map { _ in
      let second = 1 + numbers.next(below: 20)
      return (
        second: second,
        order: add(to: &table, every: second, tolerance: numbers.next(below: 9)).order
      )
    }
    var due: [TimerTable.Due] = []
    var sizes: [Int] = []
    var isMore = true
    while isMore {
      let former = due.count
      isMore = table.takeDue(at: 40, into: &due)
      sizes.append(due.count - former)
    }
    #expect(sizes == Array(repeating: 64, count: 15) + [40])
    TimerTable.sort(&due)
    // Numbers ascend with the registration.
    #expect(
      due.map(\.order)
        == timers.sorted { ($0.second, $0.order) < ($1.second, $1.order) }.map(\.order)
    )
    #expect(table.wakeUp == nil)
  }

  @Test("An ended timer cannot change the timer that has its slot")
  func endedTimersAreInert() {
    var table = TimerTable()
    var ended: [TimerRegistration] = []
    for _ in 0..<200 {
      let timer = add(to: &table, every: 1)
      for old in ended.prefix(3) {
        #expect(table.end(old) == nil)
        #expect(table.begin(old, at: 1) == nil)
        #expect(table.finish(old, at: 1) == nil)
        table.setPaused(old, true, at: 0)
        table.setPaused(old, false, at: 0)
      }
      table._checkInvariants()
      #expect(takeDue(from: &table, at: 1) == [timer.order])
      #expect(table.end(timer) != nil)
      ended.append(timer)
    }
    #expect(table.slotCount == 1)
  }

  @Test("A timer with one tick leaves the table when the tick begins")
  func single() {
    var table = TimerTable()
    let timer = add(to: &table, every: 1, repeats: false)
    #expect(takeDue(from: &table, at: 1) == [timer.order])
    table.setPaused(timer, true, at: 1)
    #expect(table.begin(timer, at: 1) == nil)
    table.setPaused(timer, false, at: 5)
    #expect(table.wakeUp?.time == 1)
    #expect(takeDue(from: &table, at: 5) == [timer.order])
    #expect(table.begin(timer, at: 5)?.tick.lateness == 4)
    #expect(table.count == 0)
    #expect(table.end(timer) == nil)
    table._checkInvariants()
  }

  @Test("A due timer with one tick counts until the tick begins or the timer ends")
  func dueTimerCounts() {
    var table = TimerTable()
    let timers = (0..<3).map { _ in add(to: &table, every: 1, repeats: false) }
    #expect(takeDue(from: &table, at: 1).count == 3)
    // Otherwise the queue would be taken for empty, and a later timer of its clock would get another one.
    #expect(table.count == 3)
    #expect(table.begin(timers[0], at: 1) != nil)
    #expect(table.count == 2)
    _ = table.end(timers[1])
    #expect(table.begin(timers[1], at: 1) == nil)
    #expect(table.count == 1)
    table.setPaused(timers[2], true, at: 1)
    #expect(table.begin(timers[2], at: 1) == nil)
    #expect(table.count == 1)
    table.setPaused(timers[2], false, at: 1)
    #expect(takeDue(from: &table, at: 1) == [timers[2].order])
    #expect(table.count == 1)
    #expect(table.begin(timers[2], at: 1) != nil)
    #expect(table.count == 0)
  }

  @Test("An ended timer leaves nothing behind, and its slot is reused")
  func nothingIsLeft() {
    var numbers = SampleNumbers(seed: 3)
    var table = TimerTable()
    var timers: [TimerRegistration] = []
    var most = 0
    for step in 0..<size(3_000, full: 20_000) {
      if numbers.next(below: 5) < 2 || timers.isEmpty {
        timers.append(add(to: &table, every: 1 + numbers.next(below: 1_000)))
      } else {
        let timer = timers.remove(at: numbers.next(below: timers.count))
        #expect(table.end(timer) != nil)
        #expect(table.end(timer) == nil)
      }
      most = max(most, timers.count)
      #expect(table.count == timers.count)
      if step.isMultiple(of: 100) { table._checkInvariants() }
    }
    for timer in timers { _ = table.end(timer) }
    #expect(table.count == 0)
    #expect(table.slotCount == most)
    #expect(table.wakeUp == nil)
  }

  @Test("Pausing removes a timer from the heap, and resuming inserts it once")
  func pausing() {
    var table = TimerTable()
    let timer = add(to: &table, every: 10)
    for second in 0..<10 {
      let now = Int128(second)
      table.setPaused(timer, true, at: now)
      #expect(table.wakeUp == nil)
      table.setPaused(timer, false, at: now)
      table._checkInvariants()
    }
    #expect(takeDue(from: &table, at: 10) == [timer.order])
  }

  @Test("A sleeper is replaced only by one that wakes up earlier, and removed after the last timer")
  func sleeper() {
    var table = TimerTable()
    #expect(table.updateSleeper().number == nil)
    let late = add(to: &table, every: 10)
    #expect(table.updateSleeper().number == 1)
    let last = add(to: &table, every: 20)
    #expect(table.updateSleeper().number == nil)
    let early = add(to: &table, every: 5)
    #expect(table.updateSleeper().number == 2)
    #expect(table.nextWakeUp(ofSleeper: 1) == nil)
    #expect(table.nextWakeUp(ofSleeper: 2)?.time == 5)
    // The sleeper wakes up for nothing and goes on with the next timer.
    #expect(table.end(early) != nil)
    #expect(table.updateSleeper().number == nil)
    #expect(table.nextWakeUp(ofSleeper: 2)?.time == 10)
    for timer in [late, last] {
      #expect(table.isCurrent(sleeper: 2))
      #expect(table.end(timer) != nil)
      #expect(table.updateSleeper().number == nil)
    }
    #expect(!table.isCurrent(sleeper: 2))
    #expect(table.nextWakeUp(ofSleeper: 2) == nil)
  }

  @Test("After its clock has failed, only a timer that begins to wait starts another sleeper")
  func failedSleeper() {
    var table = TimerTable()
    let timers = (0..<3).map { _ in add(to: &table, every: 10) }
    #expect(table.updateSleeper().number == 1)
    table.removeSleeper(1)
    #expect(table.end(timers[0]) != nil)
    #expect(table.updateSleeper().number == nil)
    _ = add(to: &table, every: 20)
    #expect(table.updateSleeper().number == 2)
    table._checkInvariants()
  }

  @Test("A timer that ends during its tick stays in the table until the tick ends")
  func endedWhileRunning() {
    var table = TimerTable()
    let timer = add(to: &table, every: 1)
    _ = takeDue(from: &table, at: 1)
    #expect(table.begin(timer, at: 1) != nil)
    #expect(table.end(timer) != nil)
    #expect(table.end(timer) == nil)
    #expect(table.count == 1)
    #expect(table.finish(timer, at: 5) == nil)
    #expect(table.count == 0)
    #expect(table.wakeUp == nil)
  }

  @Test(
    "A pause exactly at the deadline of a due tick neither advances nor repeats the tick",
    arguments: [MissedTicks.skip, .burst, .delay]
  )
  func pausedAtTheDeadline(policy: MissedTicks) throws {
    var table = TimerTable()
    let schedule = TimerSchedule(from: 0, every: 10, missed: policy)
    let timer = TimerRegistration(schedule, .owned { _ in true })
    table.add(timer)
    #expect(takeDue(from: &table, at: 10).count == 1)
    table.setPaused(timer, true, at: 10)
    table.setPaused(timer, false, at: 10)
    let tick = try #require(table.begin(timer, at: 10)?.tick)
    #expect((tick.lateness, tick.missed) == (.zero, 0))
    _ = table.finish(timer, at: 10)
    #expect(table.wakeUp?.time == 20)
  }
}
