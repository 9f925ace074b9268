import EventBus
import TestSupport
import Testing

@Suite("Bounded queue")
struct BoundedQueueTests {
  @Test(
    "Any five steps, in the whole run seven, give the same elements as an array",
    arguments: [BufferLimit.unlimited, .oldest(2), .newest(2), .oldest(1), .newest(1)]
  )
  func allShortSequences(limit: BufferLimit) {
    // Each digit appends, removes the first, removes the last, or removes everything.
    for code in 0..<size(1_024, full: 16_384) {
      var queue = BoundedQueue<Int>(limit)
      var expected: [Int] = []
      var (rest, isRight) = (code, true)
      for step in 0..<size(5, full: 7) {
        isRight = apply(rest % 4, step, limit, &queue, &expected) && isRight
        queue._checkInvariants()
        isRight = isRight && queue.count == expected.count && queue.first == expected.first
        rest /= 4
      }
      #expect(isRight, "The steps were the digits of \(code) in base 4, last digit first.")
    }
  }

  @Test("A long queue reclaims the space of removed elements")
  func reclaims() {
    var queue = BoundedQueue<Int>()
    var numbers = SampleNumbers(seed: 0)
    var expected: [Int] = []
    for step in 0..<4_000 {
      let isGrowing = (step / 500).isMultiple(of: 2)
      let choice = numbers.next(below: 10) < (isGrowing ? 7 : 3) ? 0 : 1
      #expect(apply(choice, step, .unlimited, &queue, &expected))
      queue._checkInvariants()
    }
    #expect(queue.removeAll() == expected)
  }

  /// Takes one step with both, and returns whether they agree.
  private func apply(
    _ choice: Int,
    _ element: Int,
    _ limit: BufferLimit,
    _ queue: inout BoundedQueue<Int>,
    _ expected: inout [Int]
  ) -> Bool {
    switch choice {
    case 0:
      switch limit {
      case .oldest(let size) where expected.count == size:
        return queue.append(element) == element
      case .newest(let size) where expected.count == size:
        expected.append(element)
        return queue.append(element) == expected.removeFirst()
      default:
        expected.append(element)
        return queue.append(element) == nil
      }
    case 1: return queue.popFirst() == (expected.isEmpty ? nil : expected.removeFirst())
    case 2: return queue.popLast() == expected.popLast()
    default:
      defer { expected = [] }
      return queue.removeAll() == expected
    }
  }
}
