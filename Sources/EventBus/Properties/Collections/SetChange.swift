/// A change of a set, as reported to the observers of its elements.
///
/// ```swift
/// @MainActor final class Library {
///   @Observed private(set) var readers: Set<String> = []
///
///   func admit(_ reader: String) { _readers.insert(reader) }
///   func dismissAll() { readers = [] }
/// }
///
/// let library = Library()
/// var shown: Set<String> = []
/// let token = library.$readers.observeElements { change in
///   if change.isReset { shown = [] }
///   shown.subtract(change.removed)
///   shown.formUnion(change.inserted)
/// }
/// library.admit("Ada")
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

  /// Inserted elements, which were absent before, and removed elements, which were present.
  @usableFromInline
  typealias Edits = (inserted: Set<Element>, removed: Set<Element>)

  /// The kind of information about the change.
  public let kind: Kind
  /// The new value.
  public let new: Set<Element>
  /// The value that the observer knew, if it was kept.
  @usableFromInline let old: Set<Element>?
  /// The combined effect of the operations; empty for other kinds.
  @usableFromInline let edits: Edits

  @inlinable
  init?(_ report: WriteReport<Set<Element>>, _ knownCount: Int) {
    new = report.new
    old = report.old
    kind = report.isInitial ? .initial : report.records == nil ? .setting : .elements
    var sum: Edits = ([], [])
    for edits in report.edits(Edits.self) {
      let added = edits.inserted.subtracting(sum.removed)
      sum.removed.subtract(edits.inserted)
      let gone = edits.removed.subtracting(sum.inserted)
      sum.inserted.subtract(edits.removed)
      sum.inserted.formUnion(added)
      sum.removed.formUnion(gone)
    }
    edits = sum
    if kind == .elements, sum.inserted.isEmpty, sum.removed.isEmpty { return nil }
  }

  /// A Boolean value that indicates whether the old set is unknown, so that ``inserted`` contains everything.
  ///
  /// It is `true` for the initial value, and wherever ``CollectionChange/difference()`` would replace
  /// everything, such as after a plain mutation for which the old value was not kept.
  public var isReset: Bool { kind != .elements && old == nil }

  /// The inserted elements.
  ///
  /// - Complexity: O(1) for the kind ``Kind/elements``. O(*n*) for the kind ``Kind/setting``, which compares
  ///   the two sets.
  public var inserted: Set<Element> {
    if kind == .elements { return edits.inserted }
    return old.map { new.subtracting($0) } ?? new
  }

  /// The removed elements; empty if they are not known.
  ///
  /// - Complexity: As for ``inserted``.
  public var removed: Set<Element> {
    kind == .elements ? edits.removed : old?.subtracting(new) ?? []
  }
}

extension SetChange: Sendable where Element: Sendable {}

extension ObservableProperty {
  /// Calls a handler with the changes of a set's elements while its owner is alive.
  ///
  /// Reporting operations of the property costs O(*k*) for *k* elements; for other writes see ``SetChange``.
  /// The handler does not cause a copy of the value. The operations of a batch are reported in one change,
  /// unless they cancel each other out.
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
  public func observeElements<O: AnyObject, Element: Hashable>(
    owner: O,
    id: AnyHashable? = nil,
    options: ObserveOptions = [],
    _ body: @escaping (O, SetChange<Element>) -> Void
  ) -> Token where Value == Set<Element> {
    readOnly.property.observeElements(of: owner, id: id, options, body) { SetChange($0, $1) }
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
    readOnly.property.observeElements(options, body) { SetChange($0, $1) }
  }
}

/// Operations on a set. Each works in place and reports the inserted and removed elements to the observers
/// of elements. An operation without effect is not a write.
extension Observed {
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
    write(inserted: [element]) { $0.insert(element) }
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
    write(removed: [member]) { $0.remove(member) }
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
    write(inserted: inserted) { $0.formUnion(inserted) }
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
    write(removed: removed) { $0.subtract(removed) }
    withExtendedLifetime(removed) {}
  }

  /// Removes all elements.
  ///
  /// - Complexity: O(1), and O(*n*) for the release of the elements.
  @inlinable
  public func removeAll<Element: Hashable>() where Value == Set<Element> {
    clean()
    let removed = storage
    guard !removed.isEmpty else { return }
    write(removed: removed) { $0 = [] }
    withExtendedLifetime(removed) {}
  }

  /// Mutates the set and reports the inserted and removed elements.
  @inlinable
  func write<Element: Hashable>(
    inserted: @autoclosure () -> Set<Element> = [],
    removed: @autoclosure () -> Set<Element> = [],
    _ change: (inout Set<Element>) -> Void
  ) where Value == Set<Element> {
    write(describedBy: { (inserted: inserted(), removed: removed()) }, change)
  }
}
