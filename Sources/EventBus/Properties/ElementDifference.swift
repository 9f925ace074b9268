/// The fewest splices that lead from one array to another.
///
/// What both have in common at either end is left out. For the rest, the search goes by the number of
/// differences and stops at the first way through: E. Myers, “An O(ND) Difference Algorithm and Its
/// Variations”, Algorithmica 1 (1986).
struct ElementDifference<Element: Equatable> {
  /// With more differences than this the middle is replaced as a whole: the search takes memory by the
  /// square of their number.
  static var limit: Int { 1_000 }

  private let old: ArraySlice<Element>
  private let new: ArraySlice<Element>

  /// Compares two arrays from both ends.
  init(from old: [Element], to new: [Element]) {
    var (begin, oldEnd, newEnd) = (0, old.count, new.count)
    while begin < oldEnd, begin < newEnd, old[begin] == new[begin] { begin += 1 }
    while oldEnd > begin, newEnd > begin, old[oldEnd - 1] == new[newEnd - 1] {
      oldEnd -= 1
      newEnd -= 1
    }
    self.old = old[begin..<oldEnd]
    self.new = new[begin..<newEnd]
  }

  /// The splices, in order of application, from left to right.
  var splices: [Splice<Element>] {
    guard !old.isEmpty || !new.isEmpty else { return [] }
    if old.isEmpty || new.isEmpty { return [splice(old.indices, new.indices)] }
    guard let kept = commonRuns() else { return [splice(old.indices, new.indices)] }
    var splices: [Splice<Element>] = []
    var (left, right) = (old.startIndex, new.startIndex)
    for (begin, count) in kept {
      if left < begin.old || right < begin.new {
        splices.append(splice(left..<begin.old, right..<begin.new))
      }
      (left, right) = (begin.old + count, begin.new + count)
    }
    if left < old.endIndex || right < new.endIndex {
      splices.append(splice(left..<old.endIndex, right..<new.endIndex))
    }
    return splices
  }

  /// When a splice is applied, all to its left is as in the new array: so it begins where that says.
  private func splice(_ gone: Range<Int>, _ come: Range<Int>) -> Splice<Element> {
    let begin = come.lowerBound
    return Splice(
      begin..<begin + gone.count,
      removed: Array(old[gone]),
      inserted: Array(new[come])
    )
  }

  /// A run of elements that stay: where it begins in both arrays, and its length.
  private typealias Run = (begin: (old: Int, new: Int), count: Int)

  /// The elements that stay, in order; `nil` beyond the limit.
  ///
  /// `reach[k]` is how far into the old array a way with *d* differences comes on the diagonal *k*,
  /// that is, at a place where *k* more old elements than new ones have been passed.
  private func commonRuns() -> [Run]? {
    let most = min(old.count + new.count, Self.limit)
    let middle = most + 1
    var reach = [Int](repeating: 0, count: 2 * most + 3)
    var trace: [[Int]] = []
    for differences in 0...most {
      // Where the round before has come, on its diagonals and one more to each side.
      trace.append(Array(reach[middle - differences - 1...middle + differences + 1]))
      for diagonal in stride(from: -differences, through: differences, by: 2) {
        let step = Step(
          below: reach[middle + diagonal - 1],
          above: reach[middle + diagonal + 1],
          diagonal,
          differences
        )
        var row = step.row
        while row < old.count, row - diagonal < new.count,
          old[old.startIndex + row] == new[new.startIndex + row - diagonal]
        {
          row += 1
        }
        reach[middle + diagonal] = row
        if row >= old.count, row - diagonal >= new.count { return runs(trace) }
      }
    }
    return nil
  }

  /// Goes the way back from the end.
  private func runs(_ trace: [[Int]]) -> [Run] {
    var runs: [Run] = []
    var (row, diagonal) = (old.count, old.count - new.count)
    for (differences, reach) in trace.enumerated().reversed() {
      let middle = differences + 1
      let step = Step(
        below: reach[middle + diagonal - 1],
        above: reach[middle + diagonal + 1],
        diagonal,
        differences
      )
      let entry = differences == 0 ? 0 : step.row
      if row > entry {
        let begin = (old.startIndex + entry, new.startIndex + entry - diagonal)
        runs.append((begin, row - entry))
      }
      row = step.inserts ? entry : entry - 1
      diagonal += step.inserts ? 1 : -1
    }
    return runs.reversed()
  }

  /// How a way comes onto a diagonal: by one difference, from the diagonal to either side.
  private struct Step {
    /// Whether the difference is an element that came.
    let inserts: Bool
    /// Where it stands then in the old array.
    let row: Int

    init(below: Int, above: Int, _ diagonal: Int, _ differences: Int) {
      inserts = diagonal == -differences || diagonal != differences && below < above
      row = inserts ? above : below + 1
    }
  }
}
