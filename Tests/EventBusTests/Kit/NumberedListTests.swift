import EventBus
import TestSupport
import Testing

@Suite("Numbered list")
struct NumberedListTests {
  @Test("Elements stay in the order of their numbers after any removals")
  func order() {
    // Every way to remove some of six elements, in either direction.
    for mask in 0..<64 {
      for backwards in [false, true] {
        var list = filled(6)
        let doomed = (0..<6).filter { mask & (1 << $0) != 0 }
        for number in backwards ? doomed.reversed() : doomed {
          #expect(remove(UInt(number), from: &list) == "\(number)")
          list._checkInvariants()
        }
        let rest = (0..<6).filter { mask & (1 << $0) == 0 }
        #expect(list.entries.map(\.element) == rest.map(String.init))
        #expect(list.entries.map(\.number) == rest.map(UInt.init))
        #expect(list.count == rest.count)
      }
    }
  }

  @Test("Removing a missing or removed element returns nil")
  func removesOnce() {
    var list = filled(3)
    #expect(remove(7, from: &list) == nil)
    #expect(remove(1, from: &list) == "1")
    #expect(remove(1, from: &list) == nil)
    #expect(list.count == 2)
  }

  @Test("An element is found by its number")
  func finds() {
    var list = filled(20)
    for number in stride(from: 0, to: 20, by: 3) { _ = list.remove(number: UInt(number)) }
    for number in 0..<20 {
      #expect(list.element(number: UInt(number)) == (number % 3 == 0 ? nil : "\(number)"))
    }
    #expect(list.element(number: 99) == nil)
  }

  @Test("Lists merge into one order")
  func merges() {
    // Every way to spread five elements over two lists.
    for spread in 0..<32 {
      var lists = [NumberedList<String>(), NumberedList<String>()]
      var choice = spread
      for number in 0..<5 {
        lists[choice % 2].append("\(number)", number: UInt(number))
        choice /= 2
      }
      #expect(NumberedList.merged(lists) == ["0", "1", "2", "3", "4"])
    }
  }

  @Test("Any number of lists of any lengths merge")
  func mergesMany() {
    for count in 1...9 {
      var lists = Array(repeating: NumberedList<String>(), count: count)
      var random = SampleNumbers(seed: count)
      for number in 0..<200 {
        let list = random.next(below: count) * random.next(below: 2)
        lists[list].append("\(number)", number: UInt(number))
      }
      #expect(NumberedList.merged(lists) == (0..<200).map(String.init), "\(count) lists")
    }
  }

  @Test("A merge omits gaps, and no lists merge to an empty list")
  func mergesGaps() {
    var list = filled(4)
    _ = list.remove(number: 2)
    #expect(NumberedList.merged([list]) == ["0", "1", "3"])
    #expect(NumberedList<String>.merged([]) == [])
  }

  @Test("A number from before the list was emptied finds nothing")
  func staleTicket() {
    var list = NumberedList<String>()
    let stale = list.append("a")
    #expect(list.removeAll() == ["a"])
    _ = list.append("b")
    #expect(list.remove(number: stale) == nil)
    #expect(list.elements == ["b"])
  }

  @Test("Slots number at most twice the elements, from eight on")
  func staysSmall() {
    var (list, numbers) = (NumberedList<Int>(), [UInt]())
    var random = SampleNumbers(seed: 1)
    for value in 0..<size(750, full: 1_500) {
      // It grows for a while, and then shrinks.
      let additions = (value / 250).isMultiple(of: 2) ? 7 : 2
      if random.next(below: 10) < additions || numbers.isEmpty {
        numbers.append(list.append(value))
      } else {
        let index = random.next(below: numbers.count)
        #expect(list.remove(number: numbers.remove(at: index)) != nil)
      }
      list._checkInvariants()
      #expect(list.slotCount <= max(8, 2 * list.count))
      #expect(list.count == numbers.count)
    }
  }

  private func remove(_ number: UInt, from list: inout NumberedList<String>) -> String? {
    list.remove(number: number)
  }

  private func filled(_ count: Int) -> NumberedList<String> {
    var list = NumberedList<String>()
    for number in 0..<count { list.append("\(number)", number: UInt(number)) }
    return list
  }
}
