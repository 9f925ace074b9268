/// A change of a dictionary, as reported to the observers of its elements.
///
/// ```swift
/// @MainActor final class Library {
///   @Observed var loans: [String: String] = [:]
/// }
///
/// let library = Library()
/// let token = library.$loans.observeElements { change in
///   if change.isReset { print("everything:") }
///   for book in change.removed.keys { print("\(book) is back") }
///   for (book, reader) in change.inserted { print("\(reader) has \(book)") }
///   for (book, update) in change.updated { print("\(book): \(update.old), now \(update.new)") }
/// }
/// library.$loans["Dune"] = "Ada"
/// ```
public struct DictionaryChange<Key: Hashable, Value> {
  /// The kinds of information about a change.
  public enum Kind: Hashable, Sendable {
    /// The value at registration.
    case initial
    /// Operations of the property.
    case elements
    /// An assignment of a whole value, or a mutation without a description.
    case setting
  }

  /// A change of the value of one key.
  public struct Update {
    /// The old value.
    public let old: Value
    /// The new value.
    public let new: Value
  }

  /// The source of the information about the keys.
  @usableFromInline
  enum Source {
    case recorded([Key: DictionaryRecord<Key, Value>.Edit])
    case old([Key: Value])
    case unknown
  }

  /// The kind of information about the change.
  public let kind: Kind
  /// The new dictionary.
  public let new: [Key: Value]
  @usableFromInline let source: Source

  /// Creates the change that a report describes.
  ///
  /// - Returns: `nil` if the operations cancel each other out.
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

  /// A Boolean value that indicates whether the old dictionary is unknown, so that ``inserted`` contains
  /// everything.
  ///
  /// It is `true` for the initial value, and wherever ``CollectionChange/difference()`` would replace
  /// everything, such as after a plain mutation for which the old value was not kept.
  public var isReset: Bool { if case .unknown = source { true } else { false } }

  /// The new keys, with their values.
  ///
  /// - Complexity: O(*k*) for *k* changed keys and the kind ``Kind/elements``. O(*n*) for the kind
  ///   ``Kind/setting``, which compares the two dictionaries.
  public var inserted: [Key: Value] {
    switch source {
    case .recorded(let edits): edits.compactMapValues { $0.old == nil ? $0.new : nil }
    case .old(let old): new.filter { old[$0.key] == nil }
    case .unknown: new
    }
  }

  /// The removed keys, with their old values; empty if they are not known.
  ///
  /// - Complexity: As for ``inserted``.
  public var removed: [Key: Value] {
    switch source {
    case .recorded(let edits): edits.compactMapValues { $0.new == nil ? $0.old : nil }
    case .old(let old): old.filter { new[$0.key] == nil }
    case .unknown: [:]
    }
  }

  /// The remaining keys that were assigned a value; empty if they are not known.
  ///
  /// For the kind ``Kind/setting``, keys with equal values are left out. If values cannot be compared, all
  /// remaining keys are included.
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
        if let former = old[key], !areKnownEqual(former, value) {
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

/// Returns `true` if two values are `Equatable` and equal.
private func areKnownEqual<Value>(_ left: Value, _ right: Value) -> Bool {
  func isEqual<Known: Equatable>(_ left: Known) -> Bool { (right as? Known) == left }
  guard let left = left as? any Equatable else { return false }
  return isEqual(left)
}

/// The record of one operation on a dictionary, which sets or removes the value of one key.
@usableFromInline
final class DictionaryRecord<Key: Hashable, Value> {
  /// The change of one key.
  @usableFromInline
  struct Edit {
    /// The old value; `nil` if the key was absent.
    @usableFromInline let old: Value?
    /// The new value; `nil` if the key is absent.
    @usableFromInline let new: Value?

    @inlinable
    init(old: Value?, new: Value?) {
      self.old = old
      self.new = new
    }

    /// A Boolean value that indicates whether the key has its old value again.
    @usableFromInline var isUndone: Bool {
      switch (old, new) {
      case (nil, nil): true
      case (let old?, let new?): areKnownEqual(old, new)
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

  /// Returns the combined effect of several operations.
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

/// Operations on a dictionary. Each works in place and reports the change of its key to the observers of
/// elements. Removing an absent key is not a write.
extension Observed {
  /// Calls a handler with the changes of a dictionary's keys while its owner is alive.
  ///
  /// Reporting operations of the property costs O(*k*) for *k* keys; for other writes see
  /// ``DictionaryChange``. The handler does not cause a copy of the value. The operations of a batch are
  /// reported in one change, unless they cancel each other out.
  ///
  /// Silent writes, in manual mode or by ``withoutNotifying(_:)``, are reported with the next change.
  ///
  /// - Parameters:
  ///   - owner: The object whose lifetime limits the registration, held weakly.
  ///   - id: An identifier. A later registration of the same owner with an equal identifier replaces this
  ///     one.
  ///   - options: ``ObserveOptions/initial`` or none.
  ///   - body: The handler, called with the owner and the change.
  /// - Returns: A token that cancels the registration. Releasing the token does not.
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

  /// Calls a handler with the changes of a dictionary's keys while the returned token is retained.
  ///
  /// - Parameters:
  ///   - options: ``ObserveOptions/initial`` or none.
  ///   - body: The handler, called with the change.
  /// - Returns: A token that owns the registration: releasing the token ends it.
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

  /// The value of a key; assigning `nil` removes the key.
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

  /// Sets the value of a key.
  ///
  /// - Parameters:
  ///   - value: The new value.
  ///   - key: The key.
  /// - Returns: The old value; `nil` if the key is new.
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

  /// Removes a key and its value.
  ///
  /// - Parameter key: The key.
  /// - Returns: The removed value; `nil` if the key was absent.
  /// - Complexity: O(1) on average.
  @inlinable
  @discardableResult
  public func removeValue<Key: Hashable, Element>(forKey key: Key) -> Element?
  where Value == [Key: Element] {
    clean()
    guard let index = storage.index(forKey: key) else { return nil }
    // Retains the stored key as well, so that it is not released during the mutation.
    let former = storage[index]
    write(describedBy: { DictionaryRecord(former.key, old: former.value, new: nil) }) {
      $0.removeValue(forKey: former.key)
    }
    withExtendedLifetime(former) {}
    return former.value
  }
}

@available(*, unavailable)
extension DictionaryRecord: Sendable {}
