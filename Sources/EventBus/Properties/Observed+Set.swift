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
