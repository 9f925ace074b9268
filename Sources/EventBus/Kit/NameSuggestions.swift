/// The known names among which the closest one to a misspelt name is searched.
///
/// The distance of two names is the number of letters to insert, remove, replace or exchange with
/// a neighbor to turn one into the other (the restricted Damerau–Levenshtein distance). Case is
/// ignored. A name is close if that number is at most a third of the letters of the longer name, or
/// one. A letter is a Unicode scalar of the name in lowercase.
package struct NameSuggestions: Sendable {
  private struct Known: Sendable {
    let name: String
    let letters: [Unicode.Scalar]
  }

  /// The names in alphabetical order, so that the first of several equally close ones is found.
  private let known: [Known]

  /// Prepares the search.
  ///
  /// - Parameter names: The known names.
  /// - Complexity: O(*n* · log *n*) for *n* names.
  package init(_ names: some Sequence<String>) {
    known = names.sorted().map { Known(name: $0, letters: Self.letters($0)) }
  }

  /// Returns the known name closest to a misspelt one.
  ///
  /// - Parameters:
  ///   - name: The misspelt name.
  ///   - excluded: A known name that is not meant, such as that of the part that names the other.
  /// - Returns: The closest name, or the alphabetically first of several; `nil` if none is close.
  /// - Complexity: O(*n* · *l* · *d*) for *n* names of *l* letters, where *d* is the distance of the
  ///   closest one, at most *l* / 3. Names whose lengths differ by more than *d* cost O(1).
  package func nearest(to name: String, except excluded: String? = nil) -> String? {
    let written = Self.letters(name)
    var rows = DistanceRows()
    var found: (distance: Int, name: String)?
    for candidate in known where candidate.name != excluded {
      let allowed = max(1, max(written.count, candidate.letters.count) / 3)
      let limit = min(allowed, found.map { $0.distance - 1 } ?? allowed)
      if let distance = rows.distance(written, candidate.letters, atMost: limit) {
        found = (distance, candidate.name)
        if distance == 0 { break }
      }
    }
    return found?.name
  }

  private static func letters(_ name: String) -> [Unicode.Scalar] {
    Array(name.lowercased().unicodeScalars)
  }
}

/// Three rows of the table of distances, which searches use again.
private struct DistanceRows {
  private var beforeLast: [Int] = []
  private var last: [Int] = []
  private var current: [Int] = []

  /// Returns the distance of two names, or `nil` if it exceeds a limit.
  ///
  /// Only the cells within the limit of the diagonal are computed: a cell at distance *d* from it
  /// is at least *d* (Ukkonen, "Algorithms for approximate string matching", 1985).
  mutating func distance(
    _ left: [Unicode.Scalar],
    _ right: [Unicode.Scalar],
    atMost limit: Int
  ) -> Int? {
    guard limit >= 0, abs(left.count - right.count) <= limit else { return nil }
    let tooFar = limit + 1
    prepare(right.count + 1, tooFar)
    for column in 0...min(limit, right.count) { last[column] = column }
    for row in left.indices {
      let columns = max(0, row - limit)..<max(0, min(right.count, row + limit + 1))
      current[columns.lowerBound] = columns.lowerBound == 0 ? min(row + 1, tooFar) : tooFar
      var best = current[columns.lowerBound]
      for column in columns {
        let replaced = last[column] + (left[row] == right[column] ? 0 : 1)
        var cell = min(replaced, last[column + 1] + 1, current[column] + 1, tooFar)
        if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
          cell = min(cell, beforeLast[column - 1] + 1)
        }
        current[column + 1] = cell
        best = min(best, cell)
      }
      // An exchange of neighbors reaches back two rows and costs one: the row between is as good.
      if best > limit { return nil }
      swap(&beforeLast, &last)
      swap(&last, &current)
    }
    return last[right.count] <= limit ? last[right.count] : nil
  }

  private mutating func prepare(_ count: Int, _ value: Int) {
    Self.fill(&beforeLast, count, value)
    Self.fill(&last, count, value)
    Self.fill(&current, count, value)
  }

  private static func fill(_ row: inout [Int], _ count: Int, _ value: Int) {
    row.removeAll(keepingCapacity: true)
    row.append(contentsOf: repeatElement(value, count: count))
  }
}
