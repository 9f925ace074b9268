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
  enum Source {
    case recorded(inserted: Set<Element>, removed: Set<Element>)
    case old(Set<Element>)
    case unknown
  }

  /// What is known of the change.
  public let kind: Kind
  /// The value after.
  public let new: Set<Element>
  @usableFromInline let source: Source

  /// - Returns: `nil` when the operations have undone each other.
  @inlinable
  init?(_ report: WriteReport<Set<Element>>) {
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
final class SetRecord<Element: Hashable> {
  /// What came; it was not there before.
  @usableFromInline let inserted: Set<Element>
  /// What went; it was there before.
  @usableFromInline let removed: Set<Element>

  @inlinable
  init(inserted: Set<Element> = [], removed: Set<Element> = []) {
    self.inserted = inserted
    self.removed = removed
  }

  /// What several operations did together.
  @usableFromInline
  struct Sum {
    /// What came.
    @usableFromInline var inserted: Set<Element> = []
    /// What went.
    @usableFromInline var removed: Set<Element> = []

    @inlinable
    init() {}

    /// Adds what was done next.
    @inlinable
    mutating func add(_ record: SetRecord<Element>) {
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

/// Operations on a set. Each works in place and tells the observers of elements what came and went; one
/// that changes nothing is no write.
extension Observed {
  /// Calls a handler with what comes into a set and goes, for as long as its owner lives.
  ///
  /// What the operations of the property do is told in O(*k*) for *k* elements; for other writes see
  /// ``SetChange``. The handler costs no copy of the value. The operations of a batch are told in one
  /// change, unless they undo each other.
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

  /// Calls a handler with what comes into a set and goes, for as long as the token is kept.
  ///
  /// - Parameters:
  ///   - options: ``ObserveOptions/initial`` or nothing.
  ///   - body: Called with the change.
  /// - Returns: The token. Dropping it ends the registration.
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

  /// Adds an element, unless the set has an equal one.
  ///
  /// - Parameter element: The element.
  /// - Returns: Whether the set had none.
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
  /// - Parameter element: The element, or an equal one.
  /// - Returns: The element the set had; `nil` if it had none.
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

  /// Adds the elements that the set does not have yet.
  ///
  /// - Parameter elements: The elements.
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

  /// Removes the elements that the set has.
  ///
  /// - Parameter elements: The elements.
  /// - Complexity: O(*k*) on average for *k* elements.
  @inlinable
  public func subtract<Element: Hashable>(_ elements: some Sequence<Element>)
  where Value == Set<Element> {
    let elements = Array(elements)
    clean()
    // The members themselves, so that none dies while the set is changed.
    let removed = Set(elements.compactMap { storage.firstIndex(of: $0).map { storage[$0] } })
    guard !removed.isEmpty else { return }
    write(describedBy: { SetRecord(removed: removed) }) { $0.subtract(removed) }
    withExtendedLifetime(removed) {}
  }
}
