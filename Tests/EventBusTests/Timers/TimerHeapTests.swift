import EventBus
import TestSupport
import Testing

@Suite("Timer heap")
struct TimerHeapTests {
  private static func entry(_ second: Int, tolerance: Int = 0, order: UInt64) -> TimerDeadline {
    let (time, latest) = (Int128(second), Int128(second + tolerance))
    return TimerDeadline(time, latest: latest, order: order, slot: Int(order))
  }

  private static func precedes(_ left: TimerDeadline, _ right: TimerDeadline) -> Bool {
    (left.latest, left.order) < (right.latest, right.order)
  }

  @Test("The heap behaves like a sorted array under any operations", arguments: 1...40)
  func likeASortedArray(seed: Int) {
    var numbers = SampleNumbers(seed: seed)
    var heap = Heap<TimerDeadline>()
    var array: [TimerDeadline] = []
    for order in 0..<1_000 {
      switch numbers.next(below: 10) {
      case 0...4:
        let entry = Self.entry(
          numbers.next(below: 30),
          tolerance: numbers.next(below: 3),
          order: UInt64(order)
        )
        heap.insert(entry)
        array.append(entry)
        array.sort(by: Self.precedes)
      case 5...8:
        let popped = heap.popFirst()
        #expect(popped?.order == (array.isEmpty ? nil : array.removeFirst().order))
      default:
        // Also one that has been removed, and one that never was there.
        for _ in 0..<3 {
          let slot = numbers.next(below: order + 2)
          heap.remove(slot: slot)
          array.removeAll { $0.slot == slot }
        }
      }
      heap._checkInvariants()
      #expect(heap.count == array.count)
      #expect(heap.first?.order == array.first?.order)
    }
    while let popped = heap.popFirst() { #expect(popped.order == array.removeFirst().order) }
    #expect(array.isEmpty)
  }

  @Test("Every insertion order of seven entries, some equal, produces the same order")
  func everyPermutation() {
    let deadlines = [3, 1, 2, 1, 3, 1, 2]
    var permutation = Array(deadlines.indices)
    repeat {
      var heap = Heap<TimerDeadline>()
      for index in permutation { heap.insert(Self.entry(deadlines[index], order: UInt64(index))) }
      var popped: [UInt64] = []
      while let entry = heap.popFirst() { popped.append(entry.order) }
      #expect(popped == [1, 3, 5, 2, 6, 0, 4])
    } while permutation.step()
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

  @Test("No wake-up is later than any timer tolerates", arguments: 1...20)
  func neverTooLate(seed: Int) {
    var numbers = SampleNumbers(seed: seed)
    var heap = Heap<TimerDeadline>()
    var latest: [Int128] = []
    for order in 0..<200 {
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

extension [Int] {
  /// Advances to the next permutation in lexicographic order.
  fileprivate mutating func step() -> Bool {
    guard let pivot = indices.dropLast().last(where: { self[$0] < self[$0 + 1] }) else {
      return false
    }
    guard let next = indices.last(where: { self[$0] > self[pivot] }) else { return false }
    swapAt(pivot, next)
    self[(pivot + 1)...].reverse()
    return true
  }
}
