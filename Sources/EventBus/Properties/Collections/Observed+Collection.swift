/// Operations on the elements of a collection. Each works in place and reports its splices to the
/// observers of elements; the report costs O(*k*) for *k* inserted and removed elements.
///
/// As with any write, the collection is copied if an observer needs the old value. If a validator declines
/// the write, nothing changes, whatever the operation returns. An operation without effect, such as
/// appending no elements, is not a write. An index out of range stops the program, with a message that names the
/// caller's line and the property.
extension Observed where Value: RangeReplaceableCollection & RandomAccessCollection {
  /// Adds an element at the end.
  ///
  /// - Parameter element: The element to add.
  /// - Complexity: That of the collection: amortized O(1) for an array.
  @inlinable
  public func append(_ element: Value.Element) {
    // Without closures, which would cost as much as the append itself.
    guard cell.isObserved else { return storage.append(element) }
    clean()
    write(describedBy: { [Splice(at: storage.count, inserted: [element])] }) { $0.append(element) }
  }

  /// Adds elements at the end.
  ///
  /// - Parameter elements: The elements, in order.
  /// - Complexity: That of the collection: amortized O(*k*) for an array.
  @inlinable
  public func append(contentsOf elements: some Sequence<Value.Element>) {
    let elements = Array(elements)
    guard !elements.isEmpty else { return }
    clean()
    write(describedBy: { [Splice(at: storage.count, inserted: elements)] }) {
      $0.append(contentsOf: elements)
    }
  }

  /// Inserts an element before a position.
  ///
  /// - Parameters:
  ///   - element: The element to insert.
  ///   - index: A valid index, or the end index.
  ///   - fileID: The source file of the call; filled in by the compiler.
  ///   - line: The line in that file; filled in by the compiler.
  /// - Complexity: That of the collection: O(*n*) for an array.
  @inlinable
  public func insert(
    _ element: Value.Element,
    at index: Value.Index,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) {
    clean()
    check(index..<index, fileID, line)
    replace(index..<index, EmptyCollection(), with: CollectionOfOne(element))
  }

  /// Inserts elements before a position.
  ///
  /// - Parameters:
  ///   - elements: The elements, in order.
  ///   - index: A valid index, or the end index.
  ///   - fileID: The source file of the call; filled in by the compiler.
  ///   - line: The line in that file; filled in by the compiler.
  /// - Complexity: That of the collection: O(*n* + *k*) for an array.
  @inlinable
  public func insert(
    contentsOf elements: some Sequence<Value.Element>,
    at index: Value.Index,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) {
    replaceSubrange(index..<index, with: elements, fileID: fileID, line: line)
  }

  /// Removes an element.
  ///
  /// - Parameters:
  ///   - index: The index of the element.
  ///   - fileID: The source file of the call; filled in by the compiler.
  ///   - line: The line in that file; filled in by the compiler.
  /// - Returns: The removed element.
  /// - Complexity: That of the collection: O(*n*) for an array.
  @inlinable
  @discardableResult
  public func remove(
    at index: Value.Index,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) -> Value.Element {
    replaceElement(at: index, with: EmptyCollection(), fileID, line)
  }

  /// Removes the elements of a range.
  ///
  /// - Parameters:
  ///   - range: The indices of the elements.
  ///   - fileID: The source file of the call; filled in by the compiler.
  ///   - line: The line in that file; filled in by the compiler.
  /// - Complexity: That of the collection: O(*n*) for an array.
  @inlinable
  public func removeSubrange(
    _ range: Range<Value.Index>,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) {
    replaceSubrange(range, with: EmptyCollection(), fileID: fileID, line: line)
  }

  /// Removes all elements and keeps the capacity.
  ///
  /// - Complexity: O(*n*).
  @inlinable
  public func removeAll() {
    clean()
    replaceSubrange(storage.startIndex..<storage.endIndex, with: EmptyCollection())
  }

  /// Removes the elements that satisfy a condition.
  ///
  /// Each run of adjacent elements is reported as one splice. If the condition throws, nothing is removed.
  ///
  /// - Parameter isRemoved: The condition, evaluated once for each element, in order. It must not use the
  ///   property.
  /// - Throws: The error of the condition.
  /// - Complexity: O(*n*).
  @inlinable
  public func removeAll<Failure: Error>(
    where isRemoved: (Value.Element) throws(Failure) -> Bool
  ) throws(Failure) {
    clean()
    let (splices, kept) = try Self.removals(in: &storage, where: isRemoved)
    guard let first = splices.first?.range.lowerBound else { return }
    // The remaining elements after the first removed one move forward in a single operation.
    write(describedBy: { splices }) {
      $0.replaceSubrange($0.index($0.startIndex, offsetBy: first)..., with: kept)
    }
    withExtendedLifetime(splices) {}
  }

  /// Replaces a range of elements.
  ///
  /// - Parameters:
  ///   - range: The indices of the elements to replace; an empty range inserts.
  ///   - elements: The new elements, in order. Their number may differ from that of the old ones.
  ///   - fileID: The source file of the call; filled in by the compiler.
  ///   - line: The line in that file; filled in by the compiler.
  /// - Complexity: That of the collection: O(*n* + *k*) for an array.
  @inlinable
  public func replaceSubrange(
    _ range: Range<Value.Index>,
    with elements: some Sequence<Value.Element>,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) {
    let elements = Array(elements)
    clean()
    check(range, fileID, line)
    let removed = copy(range)
    guard !removed.isEmpty || !elements.isEmpty else { return }
    replace(range, removed, with: elements)
  }

  /// Replaces an element.
  ///
  /// - Parameters:
  ///   - index: The index of the element to replace.
  ///   - element: The new element.
  ///   - fileID: The source file of the call; filled in by the compiler.
  ///   - line: The line in that file; filled in by the compiler.
  /// - Returns: The replaced element.
  /// - Complexity: That of the collection: O(1) for an array.
  @inlinable
  @discardableResult
  public func replace(
    at index: Value.Index,
    with element: Value.Element,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) -> Value.Element {
    replaceElement(at: index, with: CollectionOfOne(element), fileID, line)
  }

  /// Moves an element to another index.
  ///
  /// The move is reported as a removal and an insertion.
  ///
  /// - Parameters:
  ///   - index: The current index of the element.
  ///   - destination: The index of the element after the move; the index of an existing element.
  ///   - fileID: The source file of the call; filled in by the compiler.
  ///   - line: The line in that file; filled in by the compiler.
  /// - Complexity: That of the collection: O(*n*) for an array.
  @inlinable
  public func move(
    from index: Value.Index,
    to destination: Value.Index,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) {
    clean()
    check(index, fileID, line)
    check(destination, fileID, line)
    let element = storage[index]
    let (from, to) = (offset(of: index), offset(of: destination))
    if from == to { return }
    let splices = [Splice(at: from, removed: [element]), Splice(at: to, inserted: [element])]
    write(describedBy: { splices }) {
      $0.remove(at: index)
      $0.insert(element, at: $0.index($0.startIndex, offsetBy: to))
    }
  }

  /// Exchanges two elements.
  ///
  /// The exchange is reported as two replacements. Equal indices have no effect.
  ///
  /// - Parameters:
  ///   - first: The index of one element.
  ///   - second: The index of the other element.
  ///   - fileID: The source file of the call; filled in by the compiler.
  ///   - line: The line in that file; filled in by the compiler.
  /// - Complexity: That of the collection: O(1) for an array.
  @inlinable
  public func swapAt(
    _ first: Value.Index,
    _ second: Value.Index,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) {
    clean()
    check(first, fileID, line)
    check(second, fileID, line)
    let (one, other) = (storage[first], storage[second])
    if first == second { return }
    let (left, right) = (offset(of: first), offset(of: second))
    let splices = [
      Splice(at: left, removed: [one], inserted: [other]),
      Splice(at: right, removed: [other], inserted: [one]),
    ]
    write(describedBy: { splices }) {
      let second = $0.index($0.startIndex, offsetBy: right)
      $0.replaceSubrange(first...first, with: CollectionOfOne(other))
      $0.replaceSubrange(second...second, with: CollectionOfOne(one))
    }
  }
}
