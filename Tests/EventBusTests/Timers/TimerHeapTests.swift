import EventBus
import TestSupport
import Testing

@Suite("Timer heap")
struct TimerHeapTests {
  private static func entry(_ second: Int, tolerance: Int = 0, order: UInt64) -> TimerDeadline {
    let (time, latest) = (Int128(second), Int128(second + tolerance))
    return TimerDeadline(time, latest: latest, order: order, slot: Int(order))
  }

  @Test("A wake-up is delayed to a later deadline as long as every timer tolerates it")
  func wakeUp() {
    var heap = Heap<TimerDeadline>()
    heap.insert(Self.entry(10, tolerance: 5, order: 1))
    // No neighbor: on time.
    #expect(heap.wakeUp()?.time == 10)
    #expect(heap.wakeUp()?.latest == 15)
    heap.insert(Self.entry(14, order: 2))
    #expect(heap.wakeUp()?.time == 14)
    #expect(heap.wakeUp()?.latest == 14)
    heap.insert(Self.entry(12, order: 3))
    #expect(heap.wakeUp()?.time == 12)
    heap.insert(Self.entry(16, order: 4))
    #expect(heap.wakeUp()?.time == 12)
  }

  @Test("No wake-up is later than any timer tolerates")
  func neverTooLate() {
    var numbers = SampleNumbers(seed: 1)
    var heap = Heap<TimerDeadline>()
    var latest: [Int128] = []
    for order in 0..<500 {
      let entry = Self.entry(
        numbers.next(below: 100),
        tolerance: numbers.next(below: 20),
        order: UInt64(order)
      )
      heap.insert(entry)
      latest.append(entry.latest)
      let wakeUp = heap.wakeUp()
      #expect(wakeUp?.latest == latest.min())
      #expect(wakeUp.map { $0.time <= $0.latest } == true)
    }
  }
}
