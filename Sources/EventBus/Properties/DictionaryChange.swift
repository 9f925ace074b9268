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
  enum Source {
    case recorded([Key: DictionaryRecord<Key, Value>.Edit])
    case old([Key: Value])
    case unknown
  }

  /// What is known of the change.
  public let kind: Kind
  /// The dictionary after.
  public let new: [Key: Value]
  @usableFromInline let source: Source

  /// - Returns: `nil` when the operations have undone each other.
  @inlinable
  init?(_ report: WriteReport<[Key: Value]>) {
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
enum Equality {
  /// Whether two values are equal for certain.
  static func areKnownEqual<Value>(_ left: Value, _ right: Value) -> Bool {
    guard let left = left as? any Equatable else { return false }
    return isEqual(left, to: right)
  }

  private static func isEqual<Value: Equatable>(_ left: Value, to right: Any) -> Bool {
    (right as? Value) == left
  }
}

/// What one operation did to a dictionary: it gave one key a value, another one, or none.
@usableFromInline
final class DictionaryRecord<Key: Hashable, Value> {
  /// What became of one key.
  @usableFromInline
  struct Edit {
    /// The value before; `nil` if the key was not there.
    @usableFromInline let old: Value?
    /// The value after; `nil` if the key is not there.
    @usableFromInline let new: Value?

    @inlinable
    init(old: Value?, new: Value?) {
      self.old = old
      self.new = new
    }

    /// Whether the key is again as it was.
    @usableFromInline var isUndone: Bool {
      switch (old, new) {
      case (nil, nil): true
      case (let old?, let new?): Equality.areKnownEqual(old, new)
      default: false
      }
    }
  }

  @usableFromInline let key: Key
  @usableFromInline let edit: Edit

  @inlinable
  init(_ key: Key, old: Value?, new: Value?) {
    self.key = key
    edit = Edit(old: old, new: new)
  }

  /// What several operations did together.
  @inlinable
  static func sum(of records: [AnyObject]) -> [Key: Edit] {
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

/// Operations on a dictionary. Each works in place and tells the observers of elements what became of
/// its key; removing a key that is not there is no write.
extension Observed {
  /// Calls a handler with what becomes of the keys of a dictionary, for as long as its owner lives.
  ///
  /// What the operations of the property do is told in O(*k*) for *k* keys; for other writes see
  /// ``DictionaryChange``. The handler costs no copy of the value. The operations of a batch are told in
  /// one change, unless they undo each other.
  ///
  /// What is stored silently, in manual mode or by ``withoutNotifying(_:)``, is told with the next change
  /// that is reported.
  ///
  /// - Parameters:
  ///   - owner: The object whose life the registration shares, held weakly.
  ///   - id: A name for the registration: another one of the same owner with the same name replaces it.
  ///   - options: ``ObserveOptions/initial`` or nothing.
  ///   - body: Called with the owner and the change.
  /// - Returns: The token, which may be dropped: the registration stays. Cancelling it ends it early.
  /// - Complexity: Amortized O(1).
  @inlinable
  @discardableResult
  public func observeElements<O: AnyObject, Key: Hashable, Element>(
    owner: O,
    id: AnyHashable? = nil,
    options: ObserveOptions = [],
    _ body: @escaping (O, DictionaryChange<Key, Element>) -> Void
  ) -> Token where Value == [Key: Element] {
    let memory = ElementsMemory()
    return observeWrites(owner: owner, id: id, options, memory) { owner, report in
      if let change = DictionaryChange(memory.take(report).report) { body(owner, change) }
    }
  }

  /// Calls a handler with what becomes of the keys of a dictionary, for as long as the token is kept.
  ///
  /// - Parameters:
  ///   - options: ``ObserveOptions/initial`` or nothing.
  ///   - body: Called with the change.
  /// - Returns: The token. Dropping it ends the registration.
  /// - Complexity: Amortized O(1).
  @inlinable
  public func observeElements<Key: Hashable, Element>(
    options: ObserveOptions = [],
    _ body: @escaping (DictionaryChange<Key, Element>) -> Void
  ) -> Token where Value == [Key: Element] {
    let memory = ElementsMemory()
    return observeWrites(options, memory) { report in
      if let change = DictionaryChange(memory.take(report).report) { body(change) }
    }
  }

  /// The value of a key; `nil` takes the key out.
  ///
  /// - Parameter key: The key.
  /// - Complexity: O(1) on average.
  @inlinable
  public subscript<Key: Hashable, Element>(key: Key) -> Element? where Value == [Key: Element] {
    get { storage[key] }
    set {
      if let newValue { updateValue(newValue, forKey: key) } else { removeValue(forKey: key) }
    }
  }

  /// Gives a key a value.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - key: The key.
  /// - Returns: The value it had; `nil` if the key is new.
  /// - Complexity: O(1) on average.
  @inlinable
  @discardableResult
  public func updateValue<Key: Hashable, Element>(_ value: Element, forKey key: Key) -> Element?
  where Value == [Key: Element] {
    clean()
    let former = storage[key]
    write(describedBy: { DictionaryRecord(key, old: former, new: value) }) { $0[key] = value }
    return former
  }

  /// Takes a key out.
  ///
  /// - Parameter key: The key, or an equal one.
  /// - Returns: The value it had; `nil` if it was not there.
  /// - Complexity: O(1) on average.
  @inlinable
  @discardableResult
  public func removeValue<Key: Hashable, Element>(forKey key: Key) -> Element?
  where Value == [Key: Element] {
    clean()
    guard let index = storage.index(forKey: key) else { return nil }
    // The key itself, too, so that it does not die while the dictionary is changed.
    let former = storage[index]
    write(describedBy: { DictionaryRecord(former.key, old: former.value, new: nil) }) {
      $0.removeValue(forKey: former.key)
    }
    withExtendedLifetime(former) {}
    return former.value
  }
}
