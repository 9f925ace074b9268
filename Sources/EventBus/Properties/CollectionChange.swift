/// One change of a collection, as the observers of its elements see it.
///
/// Applying the splices of ``difference()`` in order, each to what the one before left, leads from the
/// value the observer knew to ``new``; from an empty collection, if the change is the initial one.
///
/// ```swift
/// library.$books.observeElements(owner: list, options: .initial) { list, change in
///   for splice in change.difference() { list.replaceRows(splice.range, with: splice.inserted) }
/// }
/// ```
public struct CollectionChange<Value: RangeReplaceableCollection> {
  /// What is known of a change.
  public enum Kind: Hashable, Sendable {
    /// The value at the time of the registration.
    case initial
    /// What the operations of the property did: see ``CollectionChange/splices``.
    case splices
    /// The value as a whole is another one, or was changed in a way that nobody wrote down.
    case setting
  }

  /// What is known of the change.
  public let kind: Kind
  /// The value after.
  public let new: Value
  /// What was done, in order, each step to what the one before left; empty if the kind is another one.
  public let splices: [Splice<Value.Element>]
  /// The value that the observer knew, if somebody kept it.
  @usableFromInline let old: Value?
  /// How many elements it had.
  @usableFromInline let oldCount: Int

  /// - Parameter news: A report, and how many elements the value had that the observer knows.
  @inlinable
  init(_ news: (report: WriteReport<Value>, count: Int)) {
    let report = news.report
    new = report.new
    old = report.old
    oldCount = news.count
    var splices: [Splice<Value.Element>] = []
    if let records = report.records, !report.isInitial {
      kind = .splices
      for record in records {
        guard let record = record as? SpliceRecord<Value.Element> else { continue }
        if splices.isEmpty { splices = record.splices } else { splices += record.splices }
      }
    } else {
      kind = report.isInitial ? .initial : .setting
    }
    self.splices = splices
  }

  /// The steps from the value that the observer knew to the new one.
  ///
  /// - For the kind ``Kind/splices``, those.
  /// - For a whole assignment they are found now, by comparing the two values.
  /// - After a plain mutation such as `items.sort()` there is no value to compare with, if nobody needed
  ///   it: no observer of ``Change``, no validator. Then the only step replaces everything, and its
  ///   ``Splice/removed`` is empty. The same holds for several writes in a batch unless the first one
  ///   kept the value, and for the first change after a pause that missed some.
  /// - For the initial value, one insertion of everything.
  ///
  /// - Complexity: O((*n* + *m*) · *d*) comparisons for values of *n* and *m* elements of which *d*
  ///   differ. The steps are the fewest; where more than 1,000 elements differ, they are one step that
  ///   replaces all from the first difference to the last.
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

/// What one operation did to a collection.
@usableFromInline
final class SpliceRecord<Element> {
  /// The steps, in order.
  @usableFromInline let splices: [Splice<Element>]

  @inlinable
  init(_ splices: [Splice<Element>]) { self.splices = splices }
}

@available(*, unavailable)
extension SpliceRecord: Sendable {}

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
  init(_ range: Range<Int>, removed: [Element], inserted: [Element]) {
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
