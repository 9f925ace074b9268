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

  @inlinable
  init(_ report: WriteReport<Value>, knownCount: Int) {
    new = report.new
    old = report.old
    oldCount = knownCount
    kind = report.isInitial ? .initial : report.records == nil ? .setting : .splices
    var splices: [Splice<Value.Element>] = []
    for edits in report.edits([Splice<Value.Element>].self) {
      if splices.isEmpty { splices = edits } else { splices += edits }
    }
    self.splices = splices
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
  ///   differ. The number of splices is minimal; if more than 1,000 elements differ, one splice replaces
  ///   everything from the first difference to the last.
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

extension CollectionChange: ElementsChange {}
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

  /// The effect of the splice.
  public var kind: Kind {
    if range.isEmpty { return .insertion }
    return inserted.isEmpty ? .removal : .replacement
  }
}

extension Splice: Sendable where Element: Sendable {}
extension Splice: Equatable where Element: Equatable {}
