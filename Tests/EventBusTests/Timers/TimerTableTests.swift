import EventBus
import TestSupport
import Testing

@Suite("The table of timers, as a value")
struct TimerTableTests {
  private typealias Table = TimerTable<ManualClock.Instant>

  private final class Body: TimerBody {
    var place: TimerPlace { .anywhere }

    func call(_ tick: Tick) async -> Bool { true }
  }

  private func add(
    to table: inout Table,
    every interval: Int,
    tolerance: Int = 0,
    repeats: Bool = true
  ) -> UInt {
    table.add(
      TimerSchedule(from: .second(0), every: .seconds(interval), missed: .skip),
      tolerance: .seconds(tolerance),
      repeats: repeats,
      body: Body()
    )
  }

  @Test("What is due comes by deadline, and among equals by registration")
  func order() {
    var table = Table()
    let late = add(to: &table, every: 3)
    let first = add(to: &table, every: 2)
    let early = add(to: &table, every: 1)
    let second = add(to: &table, every: 2)
    #expect(table.takeDue(at: .second(2)).map(\.key) == [early, first, second])
    #expect(table.takeDue(at: .second(2)).isEmpty)
    #expect(table.takeDue(at: .second(3)).map(\.key) == [late])
  }

  @Test("Timers that repeat keep their places among equals, in whatever order their ticks end")
  func orderIsKept() {
    var table = Table()
    let keys = (0..<5).map { _ in add(to: &table, every: 1) }
    for second in 1...20 {
      let now = ManualClock.Instant.second(second)
      #expect(table.takeDue(at: now).map(\.key) == keys)
      for key in keys.reversed() { _ = table.begin(key, at: now, by: 1) }
      for key in second.isMultiple(of: 2) ? keys : keys.reversed() {
        _ = table.finish(key, at: now, isOwned: true)
      }
    }
  }

  @Test("Deadlines decide, not what timers would bear")
  func orderWithTolerance() {
    var table = Table()
    let patient = add(to: &table, every: 1, tolerance: 5)
    let strict = add(to: &table, every: 2)
    #expect(table.wakeUp()?.instant == .second(2))
    #expect(table.takeDue(at: .second(2)).map(\.key) == [patient, strict])
  }

  @Test("Entries of timers that have ended are at most as many as max(8, 2 × those that wait)")
  func garbageIsBounded() {
    var numbers = SampleNumbers(seed: 3)
    var table = Table()
    var keys: [UInt] = []
    for _ in 0..<20_000 {
      if numbers.next(below: 5) < 2 || keys.isEmpty {
        keys.append(add(to: &table, every: 1 + numbers.next(below: 1_000)))
      } else {
        let key = keys.remove(at: numbers.next(below: keys.count))
        #expect(table.end(key) != nil)
        #expect(table.end(key) == nil)
      }
      #expect(table.count == keys.count)
      #expect(table.entryCount <= max(8, 2 * keys.count))
    }
    for key in keys { _ = table.end(key) }
    #expect(table.count == 0)
    #expect(table.entryCount <= 8)
    #expect(table.wakeUp() == nil)
  }

  @Test("Pausing takes a timer out of the heap and going on brings it back once")
  func pausing() {
    var table = Table()
    let key = add(to: &table, every: 10)
    for second in 0..<100 {
      let now = ManualClock.Instant(offset: .milliseconds(second))
      table.changePauses(key, by: 1, at: now)
      #expect(table.wakeUp() == nil)
      table.changePauses(key, by: -1, at: now)
      #expect(table.entryCount <= 8)
    }
    #expect(table.takeDue(at: .second(10)).map(\.key) == [key])
  }

  @Test("A timer that ends while it is due is not called")
  func endedWhileDue() {
    var table = Table()
    let key = add(to: &table, every: 1)
    #expect(table.takeDue(at: .second(1)).count == 1)
    #expect(table.end(key) != nil)
    #expect(table.begin(key, at: .second(1), by: 1) == nil)
    #expect(table.count == 0)
  }

  @Test("A timer that ends during its tick is there until the tick has ended, and is not active")
  func endedWhileRunning() {
    var table = Table()
    let key = add(to: &table, every: 1)
    _ = table.takeDue(at: .second(1))
    #expect(table.begin(key, at: .second(1), by: 7) != nil)
    #expect(table.idle(key, askedBy: 7) == nil)
    #expect(table.end(key) != nil)
    #expect(!table.isActive(key))
    #expect(table.idle(key, askedBy: 8) != nil)
    #expect(table.finish(key, at: .second(5), isOwned: true).idle != nil)
    #expect(table.count == 0)
    #expect(table.wakeUp() == nil)
  }
}
