/// A change of a dictionary, as reported to the observers of its elements.
///
/// ```swift
/// @MainActor final class Library {
///   @Observed private(set) var loans: [String: String] = [:]
///
///   func lend(_ book: String, to reader: String) { _loans[book] = reader }
///   func takeBack(_ book: String) { _loans[book] = nil }
/// }
///
/// let library = Library()
/// let token = library.$loans.observeElements { change in
///   if change.isReset { print("everything:") }
///   for book in change.removed.keys { print("\(book) is back") }
///   for (book, reader) in change.inserted { print("\(reader) has \(book)") }
///   for (book, update) in change.updated { print("\(book): \(update.old), now \(update.new)") }
/// }
/// library.lend("Dune", to: "Ada")
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

  /// The change of one key; a value is `nil` if the key is absent.
  @usableFromInline
  typealias Edit = (old: Value?, new: Value?)

  /// The kind of information about the change.
  public let kind: Kind
  /// The new dictionary.
  public let new: [Key: Value]
  /// The value that the observer knew, if it was kept.
  @usableFromInline let old: [Key: Value]?
  /// The combined effect of the operations; empty for other kinds.
  @usableFromInline let edits: [Key: Edit]

  @inlinable
  init?(_ report: WriteReport<[Key: Value]>, _ knownCount: Int) {
    new = report.new
    old = report.old
    kind = report.isInitial ? .initial : report.records == nil ? .setting : .elements
    var sum: [Key: Edit] = [:]
    func add(_ edit: Edit, of key: Key) {
      guard let former = sum[key] else {
        sum[key] = edit
        return
      }
      let edit = (old: former.old, new: edit.new)
      sum[key] = areKnownEqual(edit.old, edit.new) ? nil : edit
    }
    for record in report.records ?? [] {
      if let one = (record as? WriteRecord<(key: Key, edit: Edit)>)?.edits {
        add(one.edit, of: one.key)
      } else if let all = (record as? WriteRecord<[Key: Value]>)?.edits {
        for (key, value) in all { add((old: value, new: nil), of: key) }
      }
    }
    if report.isOfBatch { sum = sum.filter { !areKnownEqual($0.value.old, $0.value.new) } }
    edits = sum
    if kind == .elements, sum.isEmpty { return nil }
  }

  /// A Boolean value that indicates whether the old dictionary is unknown, so that ``inserted`` contains
  /// everything.
  ///
  /// It is `true` for the initial value, and wherever ``CollectionChange/difference()`` would replace
  /// everything, such as after a plain mutation for which the old value was not kept.
  public var isReset: Bool { kind != .elements && old == nil }

  /// The new keys, with their values.
  ///
  /// - Complexity: O(*k*) for *k* changed keys and the kind ``Kind/elements``. O(*n*) for the kind
  ///   ``Kind/setting``, which compares the two dictionaries.
  public var inserted: [Key: Value] {
    if kind == .elements { return edits.compactMapValues { $0.old == nil ? $0.new : nil } }
    return old.map { old in new.filter { old[$0.key] == nil } } ?? new
  }

  /// The removed keys, with their old values; empty if they are not known.
  ///
  /// - Complexity: As for ``inserted``.
  public var removed: [Key: Value] {
    if kind == .elements { return edits.compactMapValues { $0.new == nil ? $0.old : nil } }
    return old?.filter { new[$0.key] == nil } ?? [:]
  }

  /// The remaining keys that were assigned a value; empty if they are not known.
  ///
  /// For the kind ``Kind/setting``, keys with equal values are left out. If values cannot be compared, all
  /// remaining keys are included.
  ///
  /// - Complexity: As for ``inserted``.
  public var updated: [Key: Update] {
    if kind == .elements {
      return edits.compactMapValues { edit in
        guard let old = edit.old, let new = edit.new else { return nil }
        return Update(old: old, new: new)
      }
    }
    guard let old else { return [:] }
    var updated: [Key: Update] = [:]
    for (key, value) in new {
      guard let former = old[key], !areKnownEqual(former, value) else { continue }
      updated[key] = Update(old: former, new: value)
    }
    return updated
  }
}

extension DictionaryChange: Sendable where Key: Sendable, Value: Sendable {}
extension DictionaryChange.Update: Sendable where Value: Sendable {}
extension DictionaryChange.Update: Equatable where Value: Equatable {}

/// Returns `true` if two values are `Equatable` and equal, where NaN equals NaN, or both absent.
@usableFromInline
func areKnownEqual<Value>(_ left: Value?, _ right: Value?) -> Bool {
  guard let left, let right else { return left == nil && right == nil }
  func isEqual<Known: Equatable>(_ left: Known) -> Bool {
    (right as? Known).map { sameness()(left, $0) } ?? false
  }
  guard let left = left as? any Equatable else { return false }
  return isEqual(left)
}

extension ObservableProperty {
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
    readOnly.property.observeElements(options, body) { DictionaryChange($0, $1) }
  }

  /// Calls a handler with the changes of a dictionary's keys while its owner is alive.
  ///
  /// Reporting operations of the property costs O(*k*) for *k* keys; for other writes see
  /// ``DictionaryChange``. The handler does not cause a copy of the value. The operations of a batch are
  /// reported in one change, unless they cancel each other out.
  ///
  /// Silent writes, in manual mode or by ``Observed/withoutNotifying(_:)``, are reported with the next
  /// change.
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
    readOnly.property.observeElements(of: owner, id: id, options, body) { DictionaryChange($0, $1) }
  }
}

/// Operations on a dictionary. Each works in place and reports the change of its key to the observers of
/// elements. Removing an absent key is not a write.
extension Observed {
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
    write(key, from: former, to: value) { $0[key] = value }
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
    write(former.key, from: former.value, to: nil) { $0.removeValue(forKey: former.key) }
    withExtendedLifetime(former) {}
    return former.value
  }

  /// Removes all keys and their values.
  ///
  /// - Complexity: O(1), and O(*n*) for the report and the release of the elements.
  @inlinable
  public func removeAll<Key: Hashable, Element>() where Value == [Key: Element] {
    clean()
    let removed = storage
    guard !removed.isEmpty else { return }
    write(describedBy: { removed }) { $0 = [:] }
    withExtendedLifetime(removed) {}
  }

  /// Mutates the dictionary and reports the change of one key.
  @inlinable
  func write<Key: Hashable, Element>(
    _ key: Key,
    from old: Element?,
    to new: Element?,
    _ change: (inout [Key: Element]) -> Void
  ) where Value == [Key: Element] {
    typealias Edit = DictionaryChange<Key, Element>.Edit
    write(describedBy: { (key: key, edit: Edit(old: old, new: new)) }, change)
  }
}
