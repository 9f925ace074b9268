import EventBus
import TestSupport
import Testing

@Suite("Blocks of sinks")
struct SlotBlockTests {
  /// A block together with the sinks that it should hold.
  private struct Bench: ~Copyable {
    private let list = ObserverList(counts: ListCounts())
    private(set) var block = SlotBlock()
    private(set) var expected: [AnySink] = []
    private var lastNumber: UInt = 0

    deinit {
      var rest = block
      Self.free(&rest, expected)
    }

    static func free(_ block: inout SlotBlock, _ sinks: [AnySink]) {
      var unlinked = UnlinkedItems()
      for sink in sinks { block.remove(sink, &unlinked) }
      block.removeBlock(&unlinked)
      unlinked.forEach(UnlinkedItems.free)
    }

    /// Adds a sink, and returns it.
    @discardableResult
    mutating func add(priority: Int) -> AnySink {
      lastNumber += 1
      let site = CallSite(#fileID, #line)
      let sink = AnySink(ObserverRegistration(list, at: site), priority: priority)
      sink.number = lastNumber
      _ = ObjectAddress.retained(sink)
      var unlinked = UnlinkedItems()
      block.insert(sink, &unlinked)
      unlinked.forEach(UnlinkedItems.free)
      let index = expected.firstIndex { $0.priority < priority } ?? expected.count
      expected.insert(sink, at: index)
      check()
      return sink
    }

    /// Removes the sink at a position in the order of delivery.
    mutating func remove(at position: Int) {
      let sink = expected.remove(at: position)
      var unlinked = UnlinkedItems()
      block.remove(sink, &unlinked)
      unlinked.forEach(UnlinkedItems.free)
      check()
    }

    mutating func removeAll() {
      Self.free(&block, expected)
      expected = []
      check()
    }

    func check() {
      block._checkInvariants()
      var numbers: [UInt] = []
      block.block?.forEachSink { numbers.append($0.number) }
      #expect(numbers == expected.map(\.number))
      #expect(block.live == expected.count)
    }
  }

  @Test(
    "The order holds after any four additions and removals, in the whole run five, with three priorities"
  )
  func allShortSequences() {
    // Each digit adds an observer of a priority, or removes the first or the last one.
    for code in 0..<size(625, full: 3_125) {
      var bench = Bench()
      var rest = code
      for _ in 0..<size(4, full: 5) {
        let step = rest % 5
        rest /= 5
        if step < 3 {
          bench.add(priority: step)
        } else if !bench.expected.isEmpty {
          bench.remove(at: step == 3 ? 0 : bench.expected.count - 1)
        }
      }
      bench.removeAll()
      bench.add(priority: 1)
    }
  }

  @Test("Slots number at most twice the sinks, from eight on")
  func staysSmall() {
    var bench = Bench()
    var numbers = SampleNumbers(seed: 1)
    for step in 0..<size(600, full: 1_500) {
      if (step / 100).isMultiple(of: 2) || bench.expected.isEmpty {
        bench.add(priority: 0)
      } else {
        bench.remove(at: numbers.next(below: bench.expected.count))
      }
      let slotCount = bench.block.slotCount
      #expect(slotCount <= max(8, 2 * bench.expected.count))
    }
  }

  @Test("The bound and the order hold for several priorities")
  func severalPriorities() {
    var bench = Bench()
    var numbers = SampleNumbers(seed: 1)
    for step in 0..<600 {
      let percentage = (step / 150).isMultiple(of: 2) ? 70 : 30
      if numbers.next(below: 100) < percentage || bench.expected.isEmpty {
        bench.add(priority: numbers.next(below: 4))
      } else {
        bench.remove(at: numbers.next(below: bench.expected.count))
      }
    }
  }

  @Test("A block is replaced only by a sink that is not the last one, or when it is full or sparse")
  func replaced() {
    var bench = Bench()
    bench.add(priority: 1)
    let first = bench.block.block?.address
    bench.add(priority: 1)
    bench.add(priority: 0)
    bench.remove(at: 0)
    #expect(bench.block.block?.address == first)
    bench.add(priority: 1)
    #expect(bench.block.block?.address != first)
  }

  @Test("Emptying a block releases every sink")
  func releasesEverything() {
    var bench = Bench()
    weak let probe = bench.add(priority: 3)
    #expect(probe != nil)
    bench.removeAll()
    #expect(probe == nil)
    #expect(bench.block.block == nil)
  }
}
