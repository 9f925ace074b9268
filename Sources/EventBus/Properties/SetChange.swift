/// A change of a set, as reported to the observers of its elements.
///
/// ```swift
/// @MainActor final class Library {
///   @Observed var readers: Set<String> = []
/// }
///
/// let library = Library()
/// var shown: Set<String> = []
/// let token = library.$readers.observeElements { change in
///   if change.isReset { shown = [] }
///   shown.subtract(change.removed)
///   shown.formUnion(change.inserted)
/// }
/// library.$readers.insert("Ada")
/// ```
public struct SetChange<Element: Hashable> {
  /// The kinds of information about a change.
  public enum Kind: Hashable, Sendable {
    /// The value at registration.
    case initial
    /// Operations of the property.
    case elements
    /// An assignment of a whole value, or a mutation without a description.
    case setting
  }

  /// The source of the information about the elements.
  @usableFromInline
  enum Source {
    case recorded(inserted: Set<Element>, removed: Set<Element>)
    case old(Set<Element>)
    case unknown
  }

  /// The kind of information about the change.
  public let kind: Kind
  /// The new value.
  public let new: Set<Element>
  @usableFromInline let source: Source

  /// Creates the change that a report describes.
  ///
  /// - Returns: `nil` if the operations cancel each other out.
  @inlinable
  init?(_ report: WriteReport<Set<Element>>) {
    new = report.new
    kind = report.isInitial ? .initial : report.records == nil ? .setting : .elements
    if let records = report.records {
      let sum = SetRecord<Element>.sum(of: records)
      if sum.inserted.isEmpty, sum.removed.isEmpty { return nil }
      source = .recorded(inserted: sum.inserted, removed: sum.removed)
    } else if let old = report.old {
      source = .old(old)
    } else {
      source = .unknown
    }
  }

  /// A Boolean value that indicates whether the old set is unknown, so that ``inserted`` contains everything.
  ///
  /// It is `true` for the initial value, and wherever ``CollectionChange/difference()`` would replace
  /// everything, such as after a plain mutation for which the old value was not kept.
  public var isReset: Bool { if case .unknown = source { true } else { false } }

  /// The inserted elements.
  ///
  /// - Complexity: O(1) for the kind ``Kind/elements``. O(*n*) for the kind ``Kind/setting``, which compares
  ///   the two sets.
  public var inserted: Set<Element> {
    switch source {
    case .recorded(let inserted, _): inserted
    case .old(let old): new.subtracting(old)
    case .unknown: new
    }
  }

  /// The removed elements; empty if they are not known.
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

/// The record of one operation on a set.
@usableFromInline
final class SetRecord<Element: Hashable> {
  /// The inserted elements; all were absent before.
  @usableFromInline let inserted: Set<Element>
  /// The removed elements; all were present before.
  @usableFromInline let removed: Set<Element>

  @inlinable
  init(inserted: Set<Element> = [], removed: Set<Element> = []) {
    self.inserted = inserted
    self.removed = removed
  }

  /// Returns the combined effect of several operations.
  @inlinable
  static func sum(of records: [AnyObject]) -> (inserted: Set<Element>, removed: Set<Element>) {
    var inserted: Set<Element> = []
    var removed: Set<Element> = []
    for record in records {
      guard let record = record as? SetRecord else { continue }
      let added = record.inserted.subtracting(removed)
      removed.subtract(record.inserted)
      let gone = record.removed.subtracting(inserted)
      inserted.subtract(record.removed)
      inserted.formUnion(added)
      removed.formUnion(gone)
    }
    return (inserted, removed)
  }
}

/// Operations on a set. Each works in place and reports the inserted and removed elements to the observers
/// of elements. An operation without effect is not a write.
extension Observed {
  /// Calls a handler with the changes of a set's elements while its owner is alive.
  ///
  /// Reporting operations of the property costs O(*k*) for *k* elements; for other writes see ``SetChange``.
  /// The handler does not cause a copy of the value. The operations of a batch are reported in one change,
  /// unless they cancel each other out.
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
  public func observeElements<O: AnyObject, Element: Hashable>(
    owner: O,
    id: AnyHashable? = nil,
    options: ObserveOptions = [],
    _ body: @escaping (O, SetChange<Element>) -> Void
  ) -> Token where Value == Set<Element> {
    let memory = ElementsMemory()
    return observeWrites(owner: owner, id: id, options, memory) { owner, report in
      if let change = SetChange(memory.take(report).report) { body(owner, change) }
    }
  }

  /// Calls a handler with the changes of a set's elements while the returned token is retained.
  ///
  /// - Parameters:
  ///   - options: ``ObserveOptions/initial`` or none.
  ///   - body: The handler, called with the change.
  /// - Returns: A token that owns the registration: releasing the token ends it.
  /// - Complexity: Amortized O(1).
  @inlinable
  public func observeElements<Element: Hashable>(
    options: ObserveOptions = [],
    _ body: @escaping (SetChange<Element>) -> Void
  ) -> Token where Value == Set<Element> {
    let memory = ElementsMemory()
    return observeWrites(options, memory) { report in
      if let change = SetChange(memory.take(report).report) { body(change) }
    }
  }

  /// Inserts an element, unless the set contains an equal one.
  ///
  /// - Parameter element: The element to insert.
  /// - Returns: `true` if the element was inserted.
  /// - Complexity: O(1) on average.
  @inlinable
  @discardableResult
  public func insert<Element: Hashable>(_ element: Element) -> Bool where Value == Set<Element> {
    clean()
    guard !storage.contains(element) else { return false }
    write(describedBy: { SetRecord(inserted: [element]) }) { $0.insert(element) }
    return true
  }

  /// Removes an element.
  ///
  /// - Parameter element: The element to remove.
  /// - Returns: The removed member, which is equal to `element`; `nil` if the set contained none.
  /// - Complexity: O(1) on average.
  @inlinable
  @discardableResult
  public func remove<Element: Hashable>(_ element: Element) -> Element?
  where Value == Set<Element> {
    clean()
    guard let index = storage.firstIndex(of: element) else { return nil }
    let member = storage[index]
    write(describedBy: { SetRecord(removed: [member]) }) { $0.remove(member) }
    return member
  }

  /// Inserts the elements that the set does not contain.
  ///
  /// - Parameter elements: The elements to insert.
  /// - Complexity: O(*k*) on average for *k* elements.
  @inlinable
  public func formUnion<Element: Hashable>(_ elements: some Sequence<Element>)
  where Value == Set<Element> {
    let elements = Set(elements)
    clean()
    let inserted = elements.filter { !storage.contains($0) }
    guard !inserted.isEmpty else { return }
    write(describedBy: { SetRecord(inserted: inserted) }) { $0.formUnion(inserted) }
  }

  /// Removes the elements that the set contains.
  ///
  /// - Parameter elements: The elements to remove.
  /// - Complexity: O(*k*) on average for *k* elements.
  @inlinable
  public func subtract<Element: Hashable>(_ elements: some Sequence<Element>)
  where Value == Set<Element> {
    let elements = Array(elements)
    clean()
    // Retains the members themselves, so that none is released during the mutation.
    let removed = Set(elements.compactMap { storage.firstIndex(of: $0).map { storage[$0] } })
    guard !removed.isEmpty else { return }
    write(describedBy: { SetRecord(removed: removed) }) { $0.subtract(removed) }
    withExtendedLifetime(removed) {}
  }
}

@available(*, unavailable)
extension SetRecord: Sendable {}
