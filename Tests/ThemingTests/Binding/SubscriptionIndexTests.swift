import EventBus
import TestSupport
import Testing
import Theming

@Suite("Subscription index")
struct SubscriptionIndexTests {
  typealias Index = SubscriptionIndex<String, Int>

  @Test("Registrations with the same keys share one group")
  func groups() {
    var index = Index()
    let ids = (0..<9).map { number in
      index.add(number, keys: [["a", "b"], ["b", "a"], ["b"]][number % 3], isSwept: false)
    }
    index._checkInvariants()
    #expect(Set(ids.map(\.group)).count == 3)
    #expect(ids.allSatisfy { $0.group == ids[Int($0.number - 1) % 3].group })
    #expect(index.groups(for: ["b"]).map(\.count) == [3, 3, 3])
    #expect(index.groups(for: ["a"]).map(\.count) == [3, 3])
  }

  @Test("The identifier of a registration that has ended leads to no other one")
  func numbers() {
    var index = Index()
    let first = index.add(0, keys: ["a"], isSwept: false)
    index._checkInvariants()
    _ = index.remove(first)
    index._checkInvariants()
    let second = index.add(1, keys: ["b"], isSwept: false)
    index._checkInvariants()
    #expect(first.group == second.group && first.number != second.number)
    #expect(index.contains(second) && !index.contains(first))
    #expect(index.remove(first) == nil)
    #expect(index.groups(for: ["a"]).isEmpty)
    #expect(NumberedList.merged(index.groups(for: ["b"])) == [1])
  }

  @Test("For any keys, lookup finds the same registrations as a plain list")
  func againstAList() {
    var random = SampleNumbers(seed: 7)
    var index = Index()
    var list: [(subscriber: Int, keys: [String], id: EntryID)] = []
    let names = ["a", "b", "c", "d"]
    let count = size(400, full: 2_000)
    for step in 0..<count {
      if list.isEmpty || Int.random(in: 0..<5, using: &random) < (step < count / 2 ? 3 : 1) {
        let number = Int.random(in: 0...4, using: &random)
        let keys = Array(names.shuffled(using: &random).prefix(number))
        list.append((step, keys, index.add(step, keys: keys, isSwept: step.isMultiple(of: 7))))
      } else {
        let member = list.remove(at: Int.random(in: list.indices, using: &random))
        #expect(index.remove(member.id) == member.subscriber)
        #expect(index.remove(member.id) == nil && !index.contains(member.id))
      }
      let wanted = Set(names.filter { _ in Bool.random(using: &random) })
      let expected = list.filter { !wanted.isDisjoint(with: $0.keys) }.map(\.subscriber)
      #expect(NumberedList.merged(index.groups(for: wanted)) == expected)
      #expect(index.count == list.count)
      let swept = list.filter { $0.subscriber.isMultiple(of: 7) }.map(\.subscriber)
      #expect(index.swept.elements == swept)
      index._checkInvariants()
    }
  }

  @Test("Many registrations with different keys leave nothing behind, removed in any order")
  func manyGroups() {
    var index = Index()
    let last = index.add(-1, keys: ["common"], isSwept: false)
    var ids = (0..<size(4_000, full: 40_000)).map { number in
      index.add(number, keys: ["common", "own \(number)"], isSwept: false)
    }
    var random = SampleNumbers(seed: 3)
    ids.shuffle(using: &random)
    for (step, id) in ids.enumerated() {
      _ = index.remove(id)
      // A check takes time in proportion to the number of registrations.
      if step.isMultiple(of: 2_000) { index._checkInvariants() }
    }
    index._checkInvariants()
    #expect(index.count == 1 && index.groups(for: ["common"]).count == 1)
    _ = index.remove(last)
    #expect(index.groups(for: ["common"]).isEmpty)
    #expect(index.groupCount == 0)
    #expect(!index.contains(last))
    #expect(index.remove(last) == nil)
  }
}

extension SubscriptionIndex {
  /// Adds a subscriber that does not need to know its identifier.
  fileprivate mutating func add(_ subscriber: Subscriber, keys: [Key], isSwept: Bool) -> EntryID {
    var known = EntryID(group: 0, number: 0)
    _ = add(keys: keys, isSwept: isSwept) { id in
      known = id
      return subscriber
    }
    return known
  }

  /// Returns the lists of the subscribers to any of the keys.
  fileprivate func groups(for keys: Set<Key>) -> [NumberedList<Subscriber>] {
    groups(for: keys) { keys.contains($0) }
  }
}
