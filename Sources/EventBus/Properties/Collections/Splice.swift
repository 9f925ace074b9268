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
  /// ``CollectionChange/minimalSplices()``.
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
