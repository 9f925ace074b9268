import EventBus
import TestSupport
import Testing

@Suite("Heap")
struct HeapTests {
  private struct Job: HeapElement, Hashable {
    let rank: Int
    let slot: Int

    func precedes(_ other: Job) -> Bool { (rank, slot) < (other.rank, other.slot) }
  }

  @Test("Elements leave in order after any insertions and one removal in between")
  func everyOrder() {
    for permutation in (1...5).flatMap(permutations) {
      let count = permutation.count
      // After `pause` insertions, one of the elements so far is removed by its slot, or none.
      for pause in 1...count {
        for victim in 0...pause {
          var pair = Pair()
          for job in permutation[..<pause] { pair.insert(job) }
          if victim < pause { pair.remove(slot: permutation[victim]) }
          for job in permutation[pause...] { pair.insert(job) }
          pair.drain()
          guard pair.isRight else { return report(permutation, "removed \(victim) after \(pause)") }
        }
      }
    }
  }

  @Test("Elements leave in order if any insertions alternate with removals of the first")
  func everyInterleaving() {
    let count = size(6, full: 7)
    for permutation in permutations(of: count) {
      // After which insertions the first is removed depends on the permutation.
      var pair = Pair()
      for (index, job) in permutation.enumerated() {
        pair.insert(job)
        if permutation[count - 1 - index] % 2 == 0 { pair.popFirst() }
      }
      pair.drain()
      guard pair.isRight else { return report(permutation, "pops in between") }
    }
  }

  @Test("A heap behaves like a sorted array under random operations")
  func likeASortedArray() {
    var numbers = SampleNumbers(seed: 1)
    var pair = Pair()
    for slot in 0..<size(1_000, full: 5_000) {
      switch numbers.next(below: 10) {
      case 0...4: pair.insert(Job(rank: numbers.next(below: 30), slot: slot))
      case 5...7: pair.popFirst()
      default:
        // Also one that has been removed, and one that never was there.
        for _ in 0..<3 { pair.remove(slot: numbers.next(below: slot + 2)) }
      }
    }
    pair.drain()
    #expect(pair.isRight)
  }

  @Test("Numbers leave in ascending order, equal ones as often as they were inserted")
  func numbers() {
    var heap = Heap<Int>()
    for number in [3, 1, 2, 3, 1] { heap.insert(number) }
    heap._checkInvariants()
    #expect(heap.count == 5)
    var popped: [Int] = []
    while let number = heap.popFirst() { popped.append(number) }
    #expect(popped == [1, 1, 2, 3, 3])
    #expect(heap.isEmpty)
  }

  @Test("Elements without a slot cannot be removed by one")
  func noSlots() {
    var heap = Heap<Int>()
    heap.insert(0)
    #expect(heap.remove(slot: 0) == nil)
    #expect(heap.remove(slot: -1) == nil)
    #expect(heap.first == 0)
  }

  /// An element that counts how often it is compared.
  private struct Counted: HeapElement {
    let rank: Int
    let slot: Int
    let comparisons: Counter

    func precedes(_ other: Counted) -> Bool {
      comparisons.add()
      return (rank, slot) < (other.rank, other.slot)
    }
  }

  @Test("With 10,000 elements, no change compares more than two pairs on each level")
  func boundedWork() {
    let comparisons = Counter()
    var heap = Heap<Counted>()
    var numbers = SampleNumbers(seed: 7)
    var most = 0
    func counted(_ change: (inout Heap<Counted>) -> Void) {
      let before = comparisons.value
      change(&heap)
      most = max(most, comparisons.value - before)
    }
    for slot in 0..<10_000 {
      let element = Counted(rank: numbers.next(below: 5_000), slot: slot, comparisons: comparisons)
      counted { $0.insert(element) }
    }
    for slot in stride(from: 0, to: 10_000, by: 7) { counted { $0.remove(slot: slot) } }
    while !heap.isEmpty { counted { _ = $0.popFirst() } }
    // 14 levels, on the way down and back up.
    #expect(most <= 2 * 14)
    #expect(most > 10)
  }

  @Test("A prefix begins with the first element and has the requested length")
  func prefix() {
    var heap = Heap<Int>()
    #expect(heap.prefix(3).isEmpty)
    for number in (0..<10).reversed() { heap.insert(number) }
    #expect(heap.prefix(3).first == 0)
    #expect(heap.prefix(3).count == 3)
    #expect(Set(heap.prefix(20)) == Set(0..<10))
  }

  private func report(_ permutation: [Int], _ what: String) {
    Issue.record("\(permutation), \(what)")
  }

  private func permutations(of count: Int) -> [[Int]] {
    guard count > 0 else { return [[]] }
    return permutations(of: count - 1).flatMap { shorter in
      (0..<count).map { index in
        shorter.map { $0 < index ? $0 : $0 + 1 } + [index]
      }
    }
  }

  /// A heap beside its model; every operation compares the two.
  private struct Pair {
    private var heap = Heap<Job>()
    private var model: [Job] = []
    private(set) var isRight = true

    /// Inserts the job of a number; two successive numbers have one rank.
    mutating func insert(_ number: Int) { insert(Job(rank: number / 2, slot: number)) }

    mutating func insert(_ job: Job) {
      heap.insert(job)
      model.append(job)
      check()
    }

    mutating func popFirst() {
      let first = model.min { $0.precedes($1) }
      model.removeAll { $0 == first }
      isRight = heap.popFirst() == first && isRight
      check()
    }

    mutating func remove(slot: Int) {
      let job = model.first { $0.slot == slot }
      model.removeAll { $0.slot == slot }
      isRight = heap.remove(slot: slot) == job && isRight
      check()
    }

    mutating func drain() {
      while !model.isEmpty { popFirst() }
      popFirst()
    }

    private mutating func check() {
      heap._checkInvariants()
      isRight =
        isRight && heap.count == model.count && heap.isEmpty == model.isEmpty
        && heap.first == model.min { $0.precedes($1) }
    }
  }
}
