import EventBus
import TestSupport
import Testing

@Suite("Splices lead from the old value to the new value")
struct CollectionRandomTests {
  /// The observers beside the mirror.
  enum Company: CaseIterable, Sendable { case none, changes, validator, prior }

  /// Does one operation of many kinds.
  private func step(_ shelf: Shelf, _ numbers: inout SampleNumbers) {
    let items = shelf.itemsProperty
    let count = shelf.items.count
    let some = (0..<numbers.next(below: 4)).map { _ in numbers.next(below: 6) }
    let place = numbers.next(below: count + 1)
    let end = place + numbers.next(below: count - place + 1)
    let other = count == 0 ? 0 : numbers.next(below: count)
    switch numbers.next(below: 14) {
    case 0: items.append(numbers.next(below: 6))
    case 1: items.append(contentsOf: some)
    case 2: items.insert(numbers.next(below: 6), at: place)
    case 3: items.insert(contentsOf: some, at: place)
    case 4 where place < count: items.remove(at: place)
    case 5: items.removeSubrange(place..<end)
    case 6: items.replaceSubrange(place..<end, with: some)
    case 7 where place < count: items.replace(at: place, with: numbers.next(below: 6))
    case 8 where place < count: items.move(from: place, to: other)
    case 9 where place < count: items.swapAt(place, other)
    case 10: items.removeAll { $0 == place % 6 }
    case 11 where place == 0: items.removeAll()
    case 12: shelf.items = Array(shelf.items.reversed()) + some
    case 13: shelf.items += some
    default: items.append(contentsOf: some)
    }
  }

  @Test(
    "Any sequence of operations, assignments and mutations, batched, silent or paused, adds up",
    arguments: Company.allCases,
    0..<8
  )
  func mirrors(_ company: Company, _ seed: Int) {
    let shelf = Shelf()
    var numbers = SampleNumbers(seed: seed)
    var mirror: [Int] = []
    var recorded = 0
    let token = shelf.$items.observeElements(options: .initial) { change in
      if change.kind == .splices {
        var before = mirror
        let isExact = before.apply(change.splices, ==)
        #expect(isExact)
        recorded += 1
      }
      for splice in change.difference() { mirror.apply(splice) }
      #expect(mirror == change.new)
    }
    let other: Token? =
      switch company {
      case .none: nil
      case .changes: shelf.$items.observe { _ in }
      case .validator: shelf.itemsProperty.validate { _, proposed in proposed.count < 40 }
      case .prior: shelf.$items.observe(options: .prior) { _ in }
      }
    for _ in 0..<600 {
      switch numbers.next(below: 8) {
      case 0:
        batch { for _ in 0..<numbers.next(below: 6) { step(shelf, &numbers) } }
      case 1:
        shelf.itemsProperty.withoutNotifying { $0.append(7) }
        continue
      case 2:
        let pause = token.pause()
        step(shelf, &numbers)
        pause.cancel()
        continue
      case 3:
        shelf.itemsProperty.notifyChange(from: mirror)
      default: step(shelf, &numbers)
      }
      if shelf.items.count > 60 { shelf.itemsProperty.removeSubrange(10..<50) }
    }
    shelf.itemsProperty.append(1)
    #expect(mirror == shelf.items)
    #expect(recorded > 0 || company == .validator || company == .prior)
    withExtendedLifetime((token, other)) {}
  }

  /// Returns the least number of elements that must go and come.
  private func distance(_ old: [Int], _ new: [Int]) -> Int {
    var row = Array(0...new.count)
    for (left, element) in old.enumerated() {
      var diagonal = row[0]
      row[0] = left + 1
      for (right, other) in new.enumerated() {
        let cost = element == other ? diagonal : min(row[right], row[right + 1]) + 1
        (diagonal, row[right + 1]) = (row[right + 1], cost)
      }
    }
    return row[new.count]
  }

  /// Returns the splices of the whole assignment of `new` to a property that has `old`.
  private func difference(_ old: [Int], _ new: [Int]) -> [Splice<Int>] {
    let shelf = Shelf(old)
    var found: [Splice<Int>] = []
    let token = shelf.$items.observeElements { found = $0.difference() }
    shelf.items = new
    return withExtendedLifetime(token) { found }
  }

  @Test("The difference of a whole assignment is correct and minimal", arguments: 0..<8)
  func differences(_ seed: Int) {
    var numbers = SampleNumbers(seed: seed)
    for _ in 0..<300 {
      let alphabet = 1 + numbers.next(below: 8)
      let old = (0..<numbers.next(below: 20)).map { _ in numbers.next(below: alphabet) }
      let new = (0..<numbers.next(below: 20)).map { _ in numbers.next(below: alphabet) }
      let splices = difference(old, new)
      var value = old
      let isExact = value.apply(splices, ==)
      #expect(isExact)
      #expect(value == new)
      let touched = splices.reduce(0) { $0 + $1.removed.count + $1.inserted.count }
      #expect(touched == distance(old, new))
      // No two splices could be merged into one.
      for (left, right) in zip(splices, splices.dropFirst()) {
        #expect(left.range.lowerBound + left.inserted.count < right.range.lowerBound)
      }
    }
  }

  @Test("Past a thousand differences, one splice replaces everything between the first and last")
  func limit() {
    let old = [-1] + Array(0..<2_000) + [-2]
    let new = [-1] + Array(5_000..<7_000) + [-2]
    let splices = difference(old, new)
    #expect(splices.map(\.range) == [1..<2_001])
    #expect(splices.first?.removed == Array(0..<2_000))
    #expect(splices.first?.inserted == Array(5_000..<7_000))
    // A hundred differences among many elements are found.
    let sparse = Array(0..<10_000).filter { !$0.isMultiple(of: 100) }
    #expect(difference(Array(0..<10_000), sparse).count == 100)
  }
}
