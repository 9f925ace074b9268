import EventBus
import TestSupport
import Testing

@Suite("Differences of whole assignments")
struct CollectionRandomTests {
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
  private func minimalSplices(_ old: [Int], _ new: [Int]) -> [Splice<Int>] {
    let shelf = Shelf(old)
    var found: [Splice<Int>] = []
    let token = shelf.$items.observeElements { found = $0.minimalSplices() }
    shelf.items = new
    return withExtendedLifetime(token) { found }
  }

  @Test("The difference of a whole assignment is correct and minimal")
  func differences() {
    var numbers = SampleNumbers(seed: 1)
    for _ in 0..<size(600, full: 2_400) {
      let alphabet = 1 + numbers.next(below: 8)
      let old = (0..<numbers.next(below: 20)).map { _ in numbers.next(below: alphabet) }
      let new = (0..<numbers.next(below: 20)).map { _ in numbers.next(below: alphabet) }
      let splices = minimalSplices(old, new)
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
    let splices = minimalSplices(old, new)
    #expect(splices.map(\.range) == [1..<2_001])
    #expect(splices.first?.removed == Array(0..<2_000))
    #expect(splices.first?.inserted == Array(5_000..<7_000))
    // A hundred differences among many elements are found.
    let sparse = Array(0..<10_000).filter { !$0.isMultiple(of: 100) }
    #expect(minimalSplices(Array(0..<10_000), sparse).count == 100)
  }
}
