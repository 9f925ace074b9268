import EventBus
import Synchronization
import TestSupport
import Testing

@Suite("Priority lists of an observer list")
struct PriorityListsTests {
  /// Priority lists together with the observers that they should hold.
  private struct Bench: ~Copyable {
    let lists = PriorityLists()
    private(set) var expected: [(observer: AnyObserver, priority: Int)] = []
    private var lastLine: UInt = 0

    deinit { lists.removeAll().forEach(UnlinkedItems.free) }

    /// Adds an observer that is identified by its line.
    mutating func add(priority: Int) {
      lastLine += 1
      let observer = AnyObserver(at: CallSite(#fileID, lastLine))
      lists.append(retained: ObjectAddress.retained(observer), priority: priority)
        .forEach(UnlinkedItems.free)
      let index = expected.firstIndex { $0.priority < priority } ?? expected.count
      expected.insert((observer, priority), at: index)
      check()
    }

    /// Removes the observer at a position in the order of delivery.
    mutating func remove(at position: Int) {
      let observer = expected.remove(at: position).observer
      lists.remove(observer).forEach(UnlinkedItems.free)
      check()
      let again = lists.remove(observer)
      #expect(again.isEmpty)
    }

    mutating func removeAll() {
      lists.removeAll().forEach(UnlinkedItems.free)
      expected = []
      check()
    }

    var lines: [UInt32] {
      var lines: [UInt32] = []
      lists.forEach { observer, _ in lines.append(observer.site.line) }
      return lines
    }

    func check() {
      lists._checkInvariants()
      let (isSplit, live) = (lists.isSplit, lists.live.load(ordering: .relaxed))
      #expect(lines == expected.map(\.observer.site.line))
      #expect(live == expected.count)
      #expect(isSplit == (Set(expected.map(\.priority)).count > 1))
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

  @Test("Slots number at most twice the observers, from eight on")
  func staysSmall() {
    var bench = Bench()
    var numbers = SampleNumbers(seed: 1)
    for step in 0..<size(600, full: 1_500) {
      if (step / 100).isMultiple(of: 2) || bench.expected.isEmpty {
        bench.add(priority: 0)
      } else {
        bench.remove(at: numbers.next(below: bench.expected.count))
      }
      let slotCount = bench.lists.slotCount
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

  @Test("Emptying the list releases every observer")
  func releasesEverything() {
    let lists = PriorityLists()
    weak var probe: AnyObserver?
    do {
      let kept = AnyObserver(at: CallSite(#fileID, 1))
      probe = kept
      lists.append(retained: ObjectAddress.retained(kept), priority: 3)
        .forEach(UnlinkedItems.free)
    }
    #expect(probe != nil)
    lists.removeAll().forEach(UnlinkedItems.free)
    #expect(probe == nil)
    let live = lists.live.load(ordering: .relaxed)
    #expect(live == 0)
  }
}
