/// What one operation did to a dictionary: it gave one key a value, another one, or none.
@usableFromInline
internal final class DictionaryRecord<Key: Hashable, Value> {
  /// What became of one key.
  @usableFromInline
  internal struct Edit {
    /// The value before; `nil` if the key was not there.
    @usableFromInline internal let old: Value?
    /// The value after; `nil` if the key is not there.
    @usableFromInline internal let new: Value?

    @inlinable
    internal init(old: Value?, new: Value?) {
      self.old = old
      self.new = new
    }

    /// Whether the key is again as it was.
    @usableFromInline internal var isUndone: Bool {
      switch (old, new) {
      case (nil, nil): true
      case (let old?, let new?): Equality.areKnownEqual(old, new)
      default: false
      }
    }
  }

  @usableFromInline internal let key: Key
  @usableFromInline internal let edit: Edit

  @inlinable
  internal init(_ key: Key, old: Value?, new: Value?) {
    self.key = key
    edit = Edit(old: old, new: new)
  }

  /// What several operations did together.
  @inlinable
  internal static func sum(of records: [AnyObject]) -> [Key: Edit] {
    var edits: [Key: Edit] = [:]
    for record in records {
      guard let record = record as? DictionaryRecord else { continue }
      guard let former = edits[record.key] else {
        edits[record.key] = record.edit
        continue
      }
      let edit = Edit(old: former.old, new: record.edit.new)
      edits[record.key] = edit.isUndone ? nil : edit
    }
    return edits
  }
}

extension DictionaryRecord.Edit: Sendable where Key: Sendable, Value: Sendable {}

@available(*, unavailable)
extension DictionaryRecord: Sendable {}
