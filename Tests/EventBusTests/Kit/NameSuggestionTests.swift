import EventBus
import TestSupport
import Testing

@Suite("The closest of several names")
struct NameSuggestionTests {
  @Test("The search finds the same names as a comparison of all letters of all names")
  func agreesWithTheFullTable() {
    var random = SampleNumbers(seed: 17)
    func word(_ length: Int) -> String {
      String((0..<length).map { _ in "abc"[random.next(below: 3)] })
    }
    for _ in 0..<size(500, full: 2_000) {
      let names = (0..<(1 + random.next(below: 8))).map { _ in word(random.next(below: 13)) }
      let written = word(random.next(below: 13))
      #expect(
        NameSuggestions(names).nearest(to: written) == nearest(names, written),
        "\(names), \(written)"
      )
    }
  }

  @Test("No name is closest among none")
  func none() { #expect(NameSuggestions([]).nearest(to: "a") == nil) }

  /// The definition: the whole table of distances for every name.
  private func nearest(_ names: [String], _ written: String) -> String? {
    let close = names.compactMap { name -> (Int, String)? in
      let distance = distance(Array(written), Array(name))
      return distance <= max(1, max(written.count, name.count) / 3) ? (distance, name) : nil
    }
    return close.min { $0 < $1 }?.1
  }

  private func distance(_ left: [Character], _ right: [Character]) -> Int {
    var table = (0...left.count).map { row in
      (0...right.count).map { row == 0 ? $0 : $0 == 0 ? row : 0 }
    }
    for row in left.indices {
      for column in right.indices {
        let replaced = table[row][column] + (left[row] == right[column] ? 0 : 1)
        var best = min(replaced, table[row][column + 1] + 1, table[row + 1][column] + 1)
        if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
          best = min(best, table[row - 1][column - 1] + 1)
        }
        table[row + 1][column + 1] = best
      }
    }
    return table[left.count][right.count]
  }
}

extension String {
  fileprivate subscript(_ offset: Int) -> Character { self[index(startIndex, offsetBy: offset)] }
}
