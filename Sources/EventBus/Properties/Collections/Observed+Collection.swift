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
    // First: the sequence and what is released here may use the property.
    let elements = Array(elements)
    clean()
    replaceSubrange(storage.endIndex..<storage.endIndex, with: elements)
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
    let (splices, kept) = try Splice.removals(in: &storage, where: isRemoved)
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

extension Observed where Value: RangeReplaceableCollection & RandomAccessCollection {
  /// Mutates the value and reports a description of the mutation to observers of elements.
  ///
  /// The mutation happens in place unless an observer needs the old value or a validator is registered. A
  /// validator may replace the value, and a prior observer may set the property before the value is stored;
  /// the description could then be wrong, so the write is reported as an assignment.
  ///
  /// - Parameters:
  ///   - describe: Describes the mutation. It is called before the mutation, or not at all, and must not
  ///     write to the property.
  ///   - change: Performs the mutation. It must not release the last reference to any object.
  @inlinable
  func write(
    describedBy describe: () -> [Splice<Value.Element>],
    _ change: (inout Value) -> Void
  ) {
    guard cell.isObserved, let observers else { return change(&storage) }
    // Nothing is released between the checks of the operation and the mutation.
    let isInPlace = !observers.has(.preventsMutationInPlace)
    let isDescribed = observers.has(.writes) && !observers.has([.priors, .validators])
    let record = isDescribed ? SpliceRecord(describe()) : nil
    if isInPlace {
      change(&storage)
      return didMutate(observers, record)
    }
    var copy = storage
    change(&copy)
    assignInOrder(copy, observers, record)
  }

  /// Removes ended registrations.
  ///
  /// Their release may run arbitrary code. Every operation calls this first; ``write(describedBy:_:)``
  /// releases none, so that indices and descriptions remain valid.
  @inlinable
  func clean() {
    if cell.isObserved { observers?.cleanIfDirty() }
  }

  /// Replaces elements and reports one splice.
  ///
  /// - Parameters:
  ///   - range: The indices of the elements to replace.
  ///   - removed: These elements, which the caller has read.
  ///   - inserted: The new elements.
  @inlinable
  func replace(
    _ range: Range<Value.Index>,
    _ removed: some Collection<Value.Element>,
    with inserted: some Collection<Value.Element>
  ) {
    write(
      describedBy: {
        let begin = offset(of: range.lowerBound)
        return [Splice(at: begin, removed: Array(removed), inserted: Array(inserted))]
      }
    ) {
      $0.replaceSubrange(range, with: inserted)
    }
    // The mutation must not release the last reference to an element.
    withExtendedLifetime(removed) {}
  }

  /// Replaces one element.
  ///
  /// - Parameters:
  ///   - index: The index of the element to replace.
  ///   - inserted: The new elements.
  ///   - fileID: The caller's file.
  ///   - line: The caller's line.
  /// - Returns: The replaced element.
  @inlinable
  func replaceElement(
    at index: Value.Index,
    with inserted: some Collection<Value.Element>,
    _ fileID: StaticString,
    _ line: UInt
  ) -> Value.Element {
    clean()
    check(index, fileID, line)
    let removed = storage[index]
    replace(index..<storage.index(after: index), CollectionOfOne(removed), with: inserted)
    return removed
  }

  /// Stops the program unless an index is that of an element.
  ///
  /// The collection itself would stop the program as well, but name a line of the standard library.
  @inlinable
  func check(_ index: Value.Index, _ fileID: StaticString, _ line: UInt) {
    if index < storage.startIndex || index >= storage.endIndex {
      trapOutside("The index \(index)", "Pass the index of an element", fileID, line)
    }
  }

  /// Stops the program unless a range consists of indices of elements; an empty one may be at the end.
  @inlinable
  func check(_ range: Range<Value.Index>, _ fileID: StaticString, _ line: UInt) {
    if range.lowerBound < storage.startIndex || range.upperBound > storage.endIndex {
      trapOutside(
        range.isEmpty ? "The index \(range.lowerBound)" : "The range \(range)",
        "Pass indices of elements, or the end index to insert there",
        fileID,
        line
      )
    }
  }

  /// Stops the program because of a position outside the value.
  @usableFromInline
  func trapOutside(_ position: String, _ remedy: String, _ fileID: StaticString, _ line: UInt)
    -> Never
  {
    let (value, site) = (storage, propertySite)
    trap(
      "\(position) is out of range for the property at \(site.fileID):\(site.line), whose indices are "
        + "\(value.startIndex)..<\(value.endIndex)",
      remedy: remedy,
      fileID: fileID,
      line: line
    )
  }

  /// The offset of an index from the start index.
  @inlinable
  func offset(of index: Value.Index) -> Int {
    storage.distance(from: storage.startIndex, to: index)
  }

  /// Copies the elements in a range of indices.
  ///
  /// The result never shares the storage of the collection; sharing would make the next mutation in place
  /// copy the whole collection.
  @inlinable
  func copy(_ range: Range<Value.Index>) -> [Value.Element] { storage[range].map { $0 } }
}
