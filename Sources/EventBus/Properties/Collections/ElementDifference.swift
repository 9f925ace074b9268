/// The splices that lead from one array to another, and remove and insert the fewest elements.
///
/// The common prefix and suffix are excluded. For the rest, the search proceeds by the number of differences
/// and stops at the first complete path: E. Myers, “An O(ND) Difference Algorithm and Its Variations”,
/// Algorithmica 1 (1986).
struct ElementDifference<Element: Equatable> {
  /// The maximum number of differences.
  ///
  /// Beyond it the middle is replaced as a whole, because the search needs memory proportional to the
  /// square of that number.
  static var limit: Int { 1_000 }

  private let old: ArraySlice<Element>
  private let new: ArraySlice<Element>
  /// Returns whether two elements are equal, where NaN equals NaN.
  private let areSame: (Element, Element) -> Bool

  /// Creates a comparison of two arrays and excludes their common prefix and suffix.
  init(from old: [Element], to new: [Element]) {
    let areSame = sameness(of: Element.self)
    var (begin, oldEnd, newEnd) = (0, old.count, new.count)
    while begin < oldEnd, begin < newEnd, areSame(old[begin], new[begin]) { begin += 1 }
    while oldEnd > begin, newEnd > begin, areSame(old[oldEnd - 1], new[newEnd - 1]) {
      oldEnd -= 1
      newEnd -= 1
    }
    self.old = old[begin..<oldEnd]
    self.new = new[begin..<newEnd]
    self.areSame = areSame
  }

  /// The splices in order of application, from left to right.
  var splices: [Splice<Element>] {
    guard !old.isEmpty || !new.isEmpty else { return [] }
    if old.isEmpty || new.isEmpty { return [splice(old.indices, new.indices)] }
    guard let kept = commonRuns() else { return [splice(old.indices, new.indices)] }
    var splices: [Splice<Element>] = []
    var (left, right) = (old.startIndex, new.startIndex)
    for run in kept {
      if left < run.old.lowerBound || right < run.new.lowerBound {
        splices.append(splice(left..<run.old.lowerBound, right..<run.new.lowerBound))
      }
      (left, right) = (run.old.upperBound, run.new.upperBound)
    }
    if left < old.endIndex || right < new.endIndex {
      splices.append(splice(left..<old.endIndex, right..<new.endIndex))
    }
    return splices
  }

  /// When a splice is applied, everything to its left already matches the new array, so it begins at the new
  /// offset.
  private func splice(_ removed: Range<Int>, _ inserted: Range<Int>) -> Splice<Element> {
    Splice(
      at: inserted.lowerBound,
      removed: Array(old[removed]),
      inserted: Array(new[inserted])
    )
  }

  /// A run of kept elements: its indices in both arrays.
  private typealias Run = (old: Range<Int>, new: Range<Int>)

  /// The runs of kept elements, in order; `nil` beyond the limit.
  ///
  /// `reach[k]` is the farthest offset in the old array that a path with *d* differences reaches on the
  /// diagonal *k*, where *k* more old elements than new ones have been consumed.
  private func commonRuns() -> [Run]? {
    let most = min(old.count + new.count, Self.limit)
    let middle = most + 1
    var reach = [Int](repeating: 0, count: 2 * most + 3)
    var trace: [[Int]] = []
    for differences in 0...most {
      // The reach of the previous round, on its diagonals and one more on each side.
      trace.append(Array(reach[middle - differences - 1...middle + differences + 1]))
      for diagonal in stride(from: -differences, through: differences, by: 2) {
        let step = step(reach, at: middle + diagonal, diagonal, differences)
        var row = step.row
        while row < old.count, row - diagonal < new.count,
          areSame(old[old.startIndex + row], new[new.startIndex + row - diagonal])
        {
          row += 1
        }
        reach[middle + diagonal] = row
        if row >= old.count, row - diagonal >= new.count { return runs(trace) }
      }
    }
    return nil
  }

  /// Traces the path back from the end.
  private func runs(_ trace: [[Int]]) -> [Run] {
    var runs: [Run] = []
    var (row, diagonal) = (old.count, old.count - new.count)
    for differences in trace.indices.reversed() {
      let reach = trace[differences]
      let middle = differences + 1
      let step = step(reach, at: middle + diagonal, diagonal, differences)
      let entry = differences == 0 ? 0 : step.row
      if row > entry {
        let (begin, end) = (old.startIndex + entry, old.startIndex + row)
        let shift = new.startIndex - old.startIndex - diagonal
        runs.append((begin..<end, begin + shift..<end + shift))
      }
      row = step.inserts ? entry : entry - 1
      diagonal += step.inserts ? 1 : -1
    }
    return runs.reversed()
  }

  /// Returns the step by which a path enters a diagonal: one difference, from one of the adjacent diagonals.
  ///
  /// - Parameters:
  ///   - reach: The reach before the step.
  ///   - index: The position of the diagonal in the reach.
  ///   - diagonal: The diagonal.
  ///   - differences: The number of differences after the step.
  /// - Returns: Whether the difference is an insertion, and the offset in the old array after the step.
  private func step(
    _ reach: [Int],
    at index: Int,
    _ diagonal: Int,
    _ differences: Int
  ) -> (inserts: Bool, row: Int) {
    let (below, above) = (reach[index - 1], reach[index + 1])
    let inserts = diagonal == -differences || diagonal != differences && below < above
    return (inserts, inserts ? above : below + 1)
  }
}
