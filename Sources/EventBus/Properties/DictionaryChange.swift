/// One change of a dictionary, as the observers of its elements see it.
///
/// ```swift
/// library.$loans.observeElements(owner: list) { list, change in
///   if change.isReset { list.removeAllRows() }
///   for book in change.removed.keys { list.removeRow(book) }
///   for book in change.inserted.keys { list.addRow(book) }
///   for (book, update) in change.updated { print("\(book): \(update.old), now \(update.new)") }
/// }
/// ```
public struct DictionaryChange<Key: Hashable, Value> {
  /// What is known of a change.
  public enum Kind: Hashable, Sendable {
    /// The value at the time of the registration.
    case initial
    /// What the operations of the property did.
    case elements
    /// The value as a whole is another one, or was changed in a way that nobody wrote down.
    case setting
  }

  /// What became of the value of one key.
  public struct Update {
    /// The value before.
    public let old: Value
    /// The value after.
    public let new: Value
  }

  /// Where what became of the keys is known from.
  @usableFromInline
  internal enum Source {
    case recorded([Key: DictionaryRecord<Key, Value>.Edit])
    case old([Key: Value])
    case unknown
  }

  /// What is known of the change.
  public let kind: Kind
  /// The dictionary after.
  public let new: [Key: Value]
  @usableFromInline internal let source: Source

  /// - Returns: `nil` when the operations have undone each other.
  @inlinable
  internal init?(_ report: WriteReport<[Key: Value]>) {
    new = report.new
    kind = report.isInitial ? .initial : report.records == nil ? .setting : .elements
    if let records = report.records {
      let edits = DictionaryRecord<Key, Value>.sum(of: records)
      if edits.isEmpty { return nil }
      source = .recorded(edits)
    } else if let old = report.old {
      source = .old(old)
    } else {
      source = .unknown
    }
  }

  /// Whether the dictionary before is not known, so that ``inserted`` is all there is.
  ///
  /// So it is for the initial value, and where ``CollectionChange/difference()`` would replace
  /// everything: after a plain mutation for which nobody kept the value.
  public var isReset: Bool { if case .unknown = source { true } else { false } }

  /// The keys that came, with their values.
  ///
  /// - Complexity: O(*k*) for *k* changed keys and the kind ``Kind/elements``. For the kind
  ///   ``Kind/setting`` it is found now, by comparing the two dictionaries: O(*n*).
  public var inserted: [Key: Value] {
    switch source {
    case .recorded(let edits): edits.compactMapValues { $0.old == nil ? $0.new : nil }
    case .old(let old): new.filter { old[$0.key] == nil }
    case .unknown: new
    }
  }

  /// The keys that went, with the values they had; empty if that is not known.
  ///
  /// - Complexity: As for ``inserted``.
  public var removed: [Key: Value] {
    switch source {
    case .recorded(let edits): edits.compactMapValues { $0.new == nil ? $0.old : nil }
    case .old(let old): old.filter { new[$0.key] == nil }
    case .unknown: [:]
    }
  }

  /// The keys that stayed and were given a value; empty if that is not known.
  ///
  /// For the kind ``Kind/setting`` those are left out whose value is equal; if values cannot be compared,
  /// all keys that stayed are here.
  ///
  /// - Complexity: As for ``inserted``.
  public var updated: [Key: Update] {
    var updated: [Key: Update] = [:]
    switch source {
    case .recorded(let edits):
      for (key, edit) in edits {
        if let old = edit.old, let new = edit.new { updated[key] = Update(old: old, new: new) }
      }
    case .old(let old):
      for (key, value) in new {
        if let former = old[key], !Equality.areKnownEqual(former, value) {
          updated[key] = Update(old: former, new: value)
        }
      }
    case .unknown: break
    }
    return updated
  }
}

extension DictionaryChange: Sendable where Key: Sendable, Value: Sendable {}
extension DictionaryChange.Source: Sendable where Key: Sendable, Value: Sendable {}
extension DictionaryChange.Update: Sendable where Value: Sendable {}
extension DictionaryChange.Update: Equatable where Value: Equatable {}

/// Compares values of which only the running program knows whether they can be compared.
internal enum Equality {
  /// Whether two values are equal for certain.
  internal static func areKnownEqual<Value>(_ left: Value, _ right: Value) -> Bool {
    guard let left = left as? any Equatable else { return false }
    return isEqual(left, to: right)
  }

  private static func isEqual<Value: Equatable>(_ left: Value, to right: Any) -> Bool {
    (right as? Value) == left
  }
}
