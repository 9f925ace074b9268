import Testing
import Theming

@Suite("SubscriptionIndex")
struct SubscriptionIndexTests {
  typealias Index = SubscriptionIndex<String, Int>

  @Test("A key leads to its subscribers and to nobody else, however many there are")
  func byKey() {
    var index = Index()
    for subscriber in 0..<1_000 {
      _ = index.add(subscriber, keys: [subscriber < 10 ? "rare" : "common"], isSwept: false)
    }
    let lanes = index.lanes(for: ["rare"])
    #expect(lanes.map(\.placeCount) == [10])
    #expect(OrderedLane.merged(lanes) == Array(0..<10))
  }

  @Test("A subscriber to several keys is found once, in the order of subscription")
  func severalKeys() {
    var index = Index()
    _ = index.add(0, keys: ["a", "b"], isSwept: false)
    _ = index.add(1, keys: ["b"], isSwept: false)
    _ = index.add(2, keys: ["a", "c"], isSwept: false)
    #expect(OrderedLane.merged(index.lanes(for: ["b", "a"])) == [0, 1, 2])
    #expect(OrderedLane.merged(index.lanes(for: ["c", "nobody"])) == [2])
  }

  @Test("Removal removes from every key, once, and returns what was there")
  func removal() {
    var index = Index()
    let number = index.add(7, keys: ["a", "b"], isSwept: true)
    let entry = index.remove(number)
    let again = index.remove(number)
    #expect(entry?.subscriber == 7)
    #expect(again == nil)
    #expect(index.lanes(for: ["a", "b"]).isEmpty)
    #expect(index.swept.count == 0)
    #expect(index.count == 0)
    #expect(!index.contains(number))
  }

  @Test("Numbers are never used again")
  func numbers() {
    var index = Index()
    let first = index.add(0, keys: [], isSwept: false)
    _ = index.remove(first)
    let second = index.add(1, keys: [], isSwept: false)
    #expect(first != second)
    #expect(index.contains(second))
  }

  @Test("Only what cannot tell its end is looked after")
  func swept() {
    var index = Index()
    _ = index.add(0, keys: ["a"], isSwept: false)
    _ = index.add(1, keys: ["a"], isSwept: true)
    #expect(index.swept.entries.map(\.element) == [1])
  }
}
