/// One change of a set, as the observers of its elements see it.
///
/// ```swift
/// library.$readers.observeElements(owner: list) { list, change in
///   if change.isReset { list.removeAllRows() }
///   for reader in change.removed { list.removeRow(reader) }
///   for reader in change.inserted { list.addRow(reader) }
/// }
/// ```
public struct SetChange<Element: Hashable> {
  /// What is known of a change.
  public enum Kind: Hashable, Sendable {
    /// The value at the time of the registration.
    case initial
    /// What the operations of the property did.
    case elements
    /// The value as a whole is another one, or was changed in a way that nobody wrote down.
    case setting
  }

  /// Where what came and went is known from.
  @usableFromInline
  internal enum Source {
    case recorded(inserted: Set<Element>, removed: Set<Element>)
    case old(Set<Element>)
    case unknown
  }

  /// What is known of the change.
  public let kind: Kind
  /// The value after.
  public let new: Set<Element>
  @usableFromInline internal let source: Source

  /// - Returns: `nil` when the operations have undone each other.
  @inlinable
  internal init?(_ report: WriteReport<Set<Element>>) {
    new = report.new
    kind = report.isInitial ? .initial : report.records == nil ? .setting : .elements
    if let records = report.records {
      var sum = SetRecord<Element>.Sum()
      for record in records { if let record = record as? SetRecord<Element> { sum.add(record) } }
      if sum.inserted.isEmpty, sum.removed.isEmpty { return nil }
      source = .recorded(inserted: sum.inserted, removed: sum.removed)
    } else if let old = report.old {
      source = .old(old)
    } else {
      source = .unknown
    }
  }

  /// Whether the value before is not known, so that ``inserted`` is all there is.
  ///
  /// So it is for the initial value, and where ``CollectionChange/difference()`` would replace
  /// everything: after a plain mutation for which nobody kept the value.
  public var isReset: Bool { if case .unknown = source { true } else { false } }

  /// What came.
  ///
  /// - Complexity: O(1) for the kind ``Kind/elements``. For the kind ``Kind/setting`` it is found now, by
  ///   comparing the two values: O(*n*).
  public var inserted: Set<Element> {
    switch source {
    case .recorded(let inserted, _): inserted
    case .old(let old): new.subtracting(old)
    case .unknown: new
    }
  }

  /// What went; empty if that is not known.
  ///
  /// - Complexity: As for ``inserted``.
  public var removed: Set<Element> {
    switch source {
    case .recorded(_, let removed): removed
    case .old(let old): old.subtracting(new)
    case .unknown: []
    }
  }
}

extension SetChange: Sendable where Element: Sendable {}
extension SetChange.Source: Sendable where Element: Sendable {}

/// What one operation did to a set.
@usableFromInline
internal final class SetRecord<Element: Hashable> {
  /// What came; it was not there before.
  @usableFromInline internal let inserted: Set<Element>
  /// What went; it was there before.
  @usableFromInline internal let removed: Set<Element>

  @inlinable
  internal init(inserted: Set<Element> = [], removed: Set<Element> = []) {
    self.inserted = inserted
    self.removed = removed
  }

  /// What several operations did together.
  @usableFromInline
  internal struct Sum {
    /// What came.
    @usableFromInline internal var inserted: Set<Element> = []
    /// What went.
    @usableFromInline internal var removed: Set<Element> = []

    @inlinable
    internal init() {}

    /// Adds what was done next.
    @inlinable
    internal mutating func add(_ record: SetRecord<Element>) {
      let anew = record.inserted.subtracting(removed)
      removed.subtract(record.inserted)
      let gone = record.removed.subtracting(inserted)
      inserted.subtract(record.removed)
      inserted.formUnion(anew)
      removed.formUnion(gone)
    }
  }
}

extension SetRecord.Sum: Sendable where Element: Sendable {}

@available(*, unavailable)
extension SetRecord: Sendable {}
