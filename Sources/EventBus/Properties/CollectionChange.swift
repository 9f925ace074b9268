/// A change of a collection, as reported to the observers of its elements.
///
/// Applying the splices of ``difference()`` in order, each to the result of the previous one, leads from
/// the value that the observer knew to ``new``. For the initial change they lead from an empty collection.
///
/// ```swift
/// @MainActor final class Library {
///   @Observed private(set) var books = ["Emma", "Ulysses"]
///
///   func add(_ book: String) { _books.append(book) }
/// }
///
/// let library = Library()
/// var rows: [String] = []
/// let token = library.$books.observeElements(options: .initial) { change in
///   for splice in change.difference() { rows.replaceSubrange(splice.range, with: splice.inserted) }
/// }
/// library.add("Dune")
/// ```
public struct CollectionChange<Value: RangeReplaceableCollection> {
  /// The kinds of information about a change.
  public enum Kind: Hashable, Sendable {
    /// The value at registration.
    case initial
    /// Operations of the property, as described by ``CollectionChange/splices``.
    case splices
    /// An assignment of a whole value, or a mutation without a description.
    case setting
  }

  /// The kind of information about the change.
  public let kind: Kind
  /// The new value.
  public let new: Value
  /// The splices in order, each relative to the result of the previous one; empty for other kinds.
  public let splices: [Splice<Value.Element>]
  /// The value that the observer knew, if it was kept.
  @usableFromInline let old: Value?
  /// The element count of the value that the observer knew.
  @usableFromInline let oldCount: Int

  /// Creates the change that a report describes; `nil` for a batch whose operations cancel each other out.
  @inlinable
  init?(_ report: WriteReport<Value>, _ knownCount: Int) {
    new = report.new
    old = report.old
    oldCount = knownCount
    kind = report.isInitial ? .initial : report.records == nil ? .setting : .splices
    var splices: [Splice<Value.Element>] = []
    for edits in report.edits([Splice<Value.Element>].self) {
      if splices.isEmpty { splices = edits } else { splices += edits }
    }
    self.splices = splices
    if report.isOfBatch, kind == .splices, Self.cancelOut(splices, in: new) { return nil }
  }

  /// Returns whether splices lead back to the value with which they began.
  ///
  /// Only elements between the first and the last changed place are compared.
  ///
  /// - Complexity: O(*k* · *w*) for *k* splices between places that are *w* elements apart, if as many elements
  ///   were inserted as removed.
  @usableFromInline
  static func cancelOut(_ splices: [Splice<Value.Element>], in new: Value) -> Bool {
    let end = new.count
    var (count, head, tail) = (end, end, end)
    for splice in splices.reversed() {
      count += splice.removed.count - splice.inserted.count
      head = min(head, splice.range.lowerBound)
      tail = min(tail, count - splice.range.upperBound)
    }
    guard count == end else { return false }
    guard head < end - tail else { return true }
    let changed = Array(new.dropFirst(head).dropLast(tail))
    var former = changed
    for splice in splices.reversed() {
      let begin = splice.range.lowerBound - head
      former.replaceSubrange(begin..<begin + splice.inserted.count, with: splice.removed)
    }
    return zip(former, changed).allSatisfy { areKnownEqual($0, $1) }
  }

  /// Returns the splices that lead from the value that the observer knew to the new one.
  ///
  /// - For the kind ``Kind/splices``, the result is ``splices``.
  /// - For an assignment, the two values are compared now.
  /// - A plain mutation such as `items.sort()` leaves no value to compare with, unless an observer of
  ///   ``Change`` or a validator required the old value. The result is then a single splice that replaces
  ///   everything; its ``Splice/removed`` is empty. The same applies to several writes in a batch, unless
  ///   the first one kept the old value, and to the first change after a pause that missed some.
  /// - For the initial value, the result is one insertion of all elements.
  ///
  /// - Complexity: O((*n* + *m*) · *d*) comparisons for values of *n* and *m* elements of which *d*
  ///   differ. The splices remove and insert the fewest elements that are possible, in as many splices as
  ///   that takes; if more than 1,000 elements differ, one splice replaces everything from the first difference
  ///   to the last.
  public func difference() -> [Splice<Value.Element>] where Value.Element: Equatable {
    switch kind {
    case .splices: return splices
    case .initial: return replacement(of: 0)
    case .setting:
      guard let old else { return replacement(of: oldCount) }
      return ElementDifference(from: Array(old), to: Array(new)).splices
    }
  }

  private func replacement(of count: Int) -> [Splice<Value.Element>] {
    guard count > 0 || !new.isEmpty else { return [] }
    return [Splice(0..<count, removed: [], inserted: Array(new))]
  }
}

extension CollectionChange: Sendable where Value: Sendable, Value.Element: Sendable {}

/// A replacement of a range of elements by others.
///
/// Positions are offsets from the start of the collection, independent of its index type, so they can serve
/// as rows of a list.
public struct Splice<Element> {
  /// The effects of a splice on the rows of a list.
  public enum Kind: Hashable, Sendable {
    /// Elements were inserted and none removed.
    case insertion
    /// Elements were removed and none inserted.
    case removal
    /// Elements were replaced by others, possibly by more or fewer.
    case replacement
  }

  /// The offsets of the removed elements in the collection before this splice.
  ///
  /// The range of an insertion is empty; the elements are inserted before its lower bound.
  public let range: Range<Int>
  /// The removed elements, in order.
  ///
  /// If the elements are not known, this array is empty while the range is not: see
  /// ``CollectionChange/difference()``.
  public let removed: [Element]
  /// The inserted elements, in order; they now begin at the lower bound of ``range``.
  public let inserted: [Element]

  @inlinable
  init(_ range: Range<Int>, removed: [Element], inserted: [Element]) {
    self.range = range
    self.removed = removed
    self.inserted = inserted
  }

  /// Creates a splice whose removed elements are known.
  @inlinable
  init(at offset: Int, removed: [Element] = [], inserted: [Element] = []) {
    self.init(offset..<offset + removed.count, removed: removed, inserted: inserted)
  }

  /// The effect of the splice.
  public var kind: Kind {
    if range.isEmpty { return .insertion }
    return inserted.isEmpty ? .removal : .replacement
  }
}

extension Splice: Sendable where Element: Sendable {}
extension Splice: Equatable where Element: Equatable {}

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

  /// Creates a comparison of two arrays and excludes their common prefix and suffix.
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

  /// The splices in order of application, from left to right.
  var splices: [Splice<Element>] {
    guard !old.isEmpty || !new.isEmpty else { return [] }
    if old.isEmpty || new.isEmpty { return [splice(old.indices, new.indices)] }
    guard let kept = commonRuns() else { return [splice(old.indices, new.indices)] }
    var splices: [Splice<Element>] = []
    var (left, right) = (old.startIndex, new.startIndex)
    for run in kept {
      if left < run.old || right < run.new {
        splices.append(splice(left..<run.old, right..<run.new))
      }
      (left, right) = (run.old + run.count, run.new + run.count)
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

  /// A run of kept elements: its start in both arrays and its length.
  private struct Run {
    let old: Int
    let new: Int
    let count: Int
  }

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
        let (begin, other) = (old.startIndex + entry, new.startIndex + entry - diagonal)
        runs.append(Run(old: begin, new: other, count: row - entry))
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
