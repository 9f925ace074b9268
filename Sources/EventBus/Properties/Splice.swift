/// One step from one collection to another: some elements in a row give way to others.
///
/// Positions are offsets, counted from zero whatever the collection's indices look like, so that they
/// serve as rows of a list.
public struct Splice<Element> {
  /// What a splice does to the rows of a list.
  public enum Kind: Hashable, Sendable {
    /// Elements came in; none went.
    case insertion
    /// Elements went; none came.
    case removal
    /// Elements came in the place of others, which may have been more or fewer.
    case replacement
  }

  /// Where it was done: the offsets, in the collection before this splice, of what went.
  ///
  /// Empty for an insertion, which stands before its lower bound.
  public let range: Range<Int>
  /// What went, in order.
  ///
  /// Empty, with a range that is not, where nobody kept the elements: see
  /// ``CollectionChange/difference()``.
  public let removed: [Element]
  /// What came, in order; it now begins at the lower bound of ``range``.
  public let inserted: [Element]

  @inlinable
  internal init(_ range: Range<Int>, removed: [Element], inserted: [Element]) {
    self.range = range
    self.removed = removed
    self.inserted = inserted
  }

  /// What the splice does.
  public var kind: Kind {
    if range.isEmpty { return .insertion }
    return inserted.isEmpty ? .removal : .replacement
  }
}

extension Splice: Sendable where Element: Sendable {}
extension Splice: Equatable where Element: Equatable {}
