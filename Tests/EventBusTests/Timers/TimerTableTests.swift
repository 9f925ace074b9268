import EventBus
import TestSupport
import Testing

@Suite("Timer table")
struct TimerTableTests {
  private typealias Table = TimerTable<ManualClock.Instant>

  private final class Body: TimerBody {
    var actor: (any Actor)? { nil }

    func call(_ tick: Tick) async -> Bool { true }
  }

  private func add(
    to table: inout Table,
    every interval: Int,
    tolerance: Int = 0,
    repeats: Bool = true
  ) -> UInt {
    let registration = TimerRegistration()
    table.add(
      TimerSchedule(
        from: .second(0),
        every: .seconds(interval),
        tolerance: .seconds(tolerance),
        missed: repeats ? .skip : nil
      ),
      Body(),
      for: registration
    )
    return registration.key
  }

  /// Everything that is due, as the queue takes it.
  private func takeDue(from table: inout Table, at second: Int) -> [UInt] {
    var due: [Table.Due] = []
    var batch = table.takeDue(at: .second(second))
    while !batch.isEmpty {
      due += batch
      batch = table.takeDue(at: .second(second))
    }
    Table.sort(&due)
    table._checkInvariants()
    return due.map(\.registration.key)
  }

  @Test("Due timers are called by deadline, then by registration")
  func order() {
    var table = Table()
    let late = add(to: &table, every: 3)
    let first = add(to: &table, every: 2)
    let early = add(to: &table, every: 1)
    let second = add(to: &table, every: 2)
    #expect(takeDue(from: &table, at: 2) == [early, first, second])
    #expect(takeDue(from: &table, at: 2) == [])
    #expect(takeDue(from: &table, at: 3) == [late])
  }

  @Test("Repeating timers keep their order among equals, whichever tick ends first")
  func orderIsKept() {
    var table = Table()
    let keys = (0..<5).map { _ in add(to: &table, every: 1) }
    for second in 1...20 {
      let now = ManualClock.Instant.second(second)
      #expect(takeDue(from: &table, at: second) == keys)
      for key in keys.reversed() { _ = table.begin(key, at: now) }
      for key in second.isMultiple(of: 2) ? keys : keys.reversed() {
        _ = table.finish(key, at: now)
      }
    }
  }

  @Test("Deadlines decide the order, not tolerances")
  func orderWithTolerance() {
    var table = Table()
    let patient = add(to: &table, every: 1, tolerance: 5)
    let strict = add(to: &table, every: 2)
    #expect(table.wakeUp?.instant == .second(2))
    #expect(takeDue(from: &table, at: 2) == [patient, strict])
  }

  @Test("For one deadline, registration decides the order, not tolerances")
  func orderWithTolerances() {
    var table = Table()
    let keys = [5, 3, 0, 4].map { add(to: &table, every: 1, tolerance: $0) }
    #expect(takeDue(from: &table, at: 1) == keys)
  }

  @Test("A batch is bounded however many timers are due, and the batches hold each timer once")
  func batches() {
    var table = Table()
    var numbers = SampleNumbers(seed: 1)
    let timers = (0..<1_000).map { _ in
      let second = 1 + numbers.next(below: 20)
      return (
        second: second,
        key: add(to: &table, every: second, tolerance: numbers.next(below: 9))
      )
    }
    var due: [Table.Due] = []
    var sizes: [Int] = []
    repeat {
      let batch = table.takeDue(at: .second(40))
      sizes.append(batch.count)
      due += batch
    } while sizes.last == Table.batch
    #expect(sizes == Array(repeating: 64, count: 15) + [40])
    Table.sort(&due)
    // Keys of a new table ascend with the registration.
    #expect(
      due.map(\.registration.key)
        == timers.sorted { ($0.second, $0.key) < ($1.second, $1.key) }.map(\.key)
    )
    #expect(table.wakeUp == nil)
  }

  @Test("With 10,000 timers due, no change of the table handles more than one batch of them")
  func boundedWork() {
    let comparisons = Counter()
    var table = TimerTable<CountingTime.Instant>()
    var most = 0
    func counted<Result>(_ change: (inout TimerTable<CountingTime.Instant>) -> Result) -> Result {
      let before = comparisons.value
      let result = change(&table)
      most = max(most, comparisons.value - before)
      return result
    }
    let start = CountingTime.Instant(offset: .zero, comparisons: comparisons)
    let now = start.advanced(by: .seconds(10_000))
    var numbers = SampleNumbers(seed: 7)
    let keys = (0..<10_000).map { _ in
      let schedule = TimerSchedule(
        from: start,
        every: .seconds(1 + numbers.next(below: 10_000)),
        missed: .delay
      )
      let registration = TimerRegistration()
      counted { $0.add(schedule, Body(), for: registration) }
      return registration.key
    }
    for key in keys.prefix(1_000) { counted { $0.setPaused(key, true, at: now) } }
    for key in keys.prefix(1_000) { counted { $0.setPaused(key, false, at: now) } }
    var due: [UInt] = []
    var batch: [TimerTable<CountingTime.Instant>.Due]
    repeat {
      batch = counted { $0.takeDue(at: now) }
      due += batch.map(\.registration.key)
    } while !batch.isEmpty
    #expect(due.count == 9_000)
    for key in due {
      _ = counted { $0.begin(key, at: now) }
      _ = counted { $0.finish(key, at: now) }
    }
    for key in keys { _ = counted { $0.end(key) } }
    #expect(table.count == 0)
    // Taking one from among 10,000 compares two entries a level, of which there are 14, on the way
    // down and up, and each twice.
    #expect(most <= 64 * (2 * 2 * 14 + 4))
    #expect(most > 64)
  }

  @Test("The key of an ended timer never names another, even in the same slot")
  func keysNeverComeBack() {
    var table = Table()
    var gone: Set<UInt> = []
    for _ in 0..<1_000 {
      let key = add(to: &table, every: 1)
      #expect(!gone.contains(key))
      for old in gone.prefix(3) {
        #expect(table.end(old) == nil)
        #expect(table.begin(old, at: .second(1)) == nil)
        table.setPaused(old, true, at: .second(0))
      }
      #expect(takeDue(from: &table, at: 1) == [key])
      #expect(table.end(key) != nil)
      gone.insert(key)
    }
    #expect(table.slotCount == 1)
  }

  @Test("An ended timer leaves nothing behind, and its slot is reused")
  func nothingIsLeft() {
    var numbers = SampleNumbers(seed: 3)
    var table = Table()
    var keys: [UInt] = []
    var most = 0
    for step in 0..<20_000 {
      if numbers.next(below: 5) < 2 || keys.isEmpty {
        keys.append(add(to: &table, every: 1 + numbers.next(below: 1_000)))
      } else {
        let key = keys.remove(at: numbers.next(below: keys.count))
        #expect(table.end(key) != nil)
        #expect(table.end(key) == nil)
      }
      most = max(most, keys.count)
      #expect(table.count == keys.count)
      if step.isMultiple(of: 100) { table._checkInvariants() }
    }
    for key in keys { _ = table.end(key) }
    #expect(table.count == 0)
    #expect(table.slotCount == most)
    #expect(table.wakeUp == nil)
  }

  @Test("Pausing removes a timer from the heap, and resuming inserts it once")
  func pausing() {
    var table = Table()
    let key = add(to: &table, every: 10)
    for second in 0..<100 {
      let now = ManualClock.Instant(offset: .milliseconds(second))
      table.setPaused(key, true, at: now)
      #expect(table.wakeUp == nil)
      table.setPaused(key, false, at: now)
      table._checkInvariants()
    }
    #expect(takeDue(from: &table, at: 10) == [key])
  }

  @Test("A sleeper is replaced only by one that wakes up earlier, and removed after the last timer")
  func sleeper() {
    var table = Table()
    #expect(table.updateSleeper().number == nil)
    let late = add(to: &table, every: 10)
    #expect(table.updateSleeper().number == 1)
    let last = add(to: &table, every: 20)
    #expect(table.updateSleeper().number == nil)
    let early = add(to: &table, every: 5)
    #expect(table.updateSleeper().number == 2)
    #expect(table.nextWakeUp(ofSleeper: 1) == nil)
    #expect(table.nextWakeUp(ofSleeper: 2)?.instant == .second(5))
    // The sleeper wakes up for nothing and goes on with the next timer.
    #expect(table.end(early) != nil)
    #expect(table.updateSleeper().number == nil)
    #expect(table.nextWakeUp(ofSleeper: 2)?.instant == .second(10))
    for key in [late, last] {
      #expect(table.isCurrent(sleeper: 2))
      #expect(table.end(key) != nil)
      #expect(table.updateSleeper().number == nil)
    }
    #expect(!table.isCurrent(sleeper: 2))
    #expect(table.nextWakeUp(ofSleeper: 2) == nil)
  }

  @Test("After its clock has failed, only a timer that begins to wait starts another sleeper")
  func failedSleeper() {
    var table = Table()
    let keys = (0..<3).map { _ in add(to: &table, every: 10) }
    #expect(table.updateSleeper().number == 1)
    table.removeSleeper(1)
    #expect(table.end(keys[0]) != nil)
    #expect(table.updateSleeper().number == nil)
    _ = add(to: &table, every: 20)
    #expect(table.updateSleeper().number == 2)
    table._checkInvariants()
  }

  @Test("A timer that ends while it is due is not called")
  func endedWhileDue() {
    var table = Table()
    let key = add(to: &table, every: 1)
    #expect(table.takeDue(at: .second(1)).count == 1)
    #expect(table.end(key) != nil)
    #expect(table.begin(key, at: .second(1)) == nil)
    #expect(table.count == 0)
  }

  @Test("A timer that ends during its tick stays in the table until the tick ends")
  func endedWhileRunning() {
    var table = Table()
    let key = add(to: &table, every: 1)
    _ = table.takeDue(at: .second(1))
    #expect(table.begin(key, at: .second(1)) != nil)
    #expect(table.end(key) != nil)
    #expect(table.end(key) == nil)
    #expect(table.count == 1)
    #expect(table.finish(key, at: .second(5)) == nil)
    #expect(table.count == 0)
    #expect(table.wakeUp == nil)
  }
}
