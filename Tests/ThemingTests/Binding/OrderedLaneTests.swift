import TestSupport
import Testing
import Theming

@Suite("Ordered list")
struct OrderedLaneTests {
  @Test("Elements stay in the order of their numbers after any removals")
  func order() {
    // Every way to remove some of six elements, in either direction.
    for mask in 0..<64 {
      for backwards in [false, true] {
        var lane = filled(6)
        let doomed = (0..<6).filter { mask & (1 << $0) != 0 }
        for number in backwards ? doomed.reversed() : doomed {
          #expect(remove(UInt(number), from: &lane) == "\(number)")
        }
        let rest = (0..<6).filter { mask & (1 << $0) == 0 }
        #expect(lane.entries.map(\.element) == rest.map(String.init))
        #expect(lane.entries.map(\.number) == rest.map(UInt.init))
        #expect(lane.count == rest.count)
      }
    }
  }

  @Test("Removing a missing or removed element returns nil")
  func removesOnce() {
    var lane = filled(3)
    #expect(remove(7, from: &lane) == nil)
    #expect(remove(1, from: &lane) == "1")
    #expect(remove(1, from: &lane) == nil)
    #expect(lane.count == 2)
  }

  @Test("An element is found by its number")
  func finds() {
    var lane = filled(20)
    for number in stride(from: 0, to: 20, by: 3) { _ = lane.remove(number: UInt(number)) }
    for number in 0..<20 {
      #expect(lane.element(number: UInt(number)) == (number % 3 == 0 ? nil : "\(number)"))
    }
    #expect(lane.element(number: 99) == nil)
  }

  @Test("Slots number at most max(8, 2 × count) after every removal")
  func bounded() {
    var lane = filled(1_000)
    // 7 and 1,000 are coprime: every number comes once, in no simple order.
    for step in 0..<1_000 {
      _ = lane.remove(number: UInt(step * 7 % 1_000))
      #expect(lane.placeCount <= max(8, 2 * lane.count))
    }
    #expect(lane.count == 0)
  }

  @Test("Slots number at most max(8, 2 × count) after every addition")
  func boundedWhenAdding() {
    for survivors in 0...8 {
      var lane = filled(8)
      for number in survivors..<8 { _ = lane.remove(number: UInt(number)) }
      for number in 8..<40 {
        lane.append("\(number)", number: UInt(number))
        #expect(lane.placeCount <= max(8, 2 * lane.count))
      }
      #expect(lane.count == survivors + 32)
    }
  }

  @Test("Lists merge into one order, each element once")
  func merges() {
    // Every way to spread five elements over two lanes, in both of them allowed.
    for spread in 0..<243 {
      var lanes = [OrderedLane<String>(), OrderedLane<String>()]
      var choice = spread
      for number in 0..<5 {
        if choice % 3 != 1 { lanes[0].append("\(number)", number: UInt(number)) }
        if choice % 3 != 0 { lanes[1].append("\(number)", number: UInt(number)) }
        choice /= 3
      }
      #expect(OrderedLane.merged(lanes) == ["0", "1", "2", "3", "4"])
    }
  }

  @Test("Any number of lists of any lengths merge", arguments: 1...9)
  func mergesMany(_ count: Int) {
    var lanes = Array(repeating: OrderedLane<String>(), count: count)
    var random = SampleNumbers(seed: count)
    for number in 0..<200 {
      let lane = Int.random(in: 0..<count, using: &random) * Int.random(in: 0...1, using: &random)
      lanes[lane].append("\(number)", number: UInt(number))
    }
    #expect(OrderedLane.merged(lanes) == (0..<200).map(String.init))
  }

  @Test("A merge omits gaps, and no lists merge to an empty list")
  func mergesGaps() {
    var lane = filled(4)
    _ = lane.remove(number: 2)
    #expect(OrderedLane.merged([lane]) == ["0", "1", "3"])
    #expect(OrderedLane.merged([lane, lane]) == ["0", "1", "3"])
    #expect(OrderedLane<String>.merged([]) == [])
  }

  private func remove(_ number: UInt, from lane: inout OrderedLane<String>) -> String? {
    lane.remove(number: number)
  }

  private func filled(_ count: Int) -> OrderedLane<String> {
    var lane = OrderedLane<String>()
    for number in 0..<count { lane.append("\(number)", number: UInt(number)) }
    return lane
  }
}
