/// Operations on the elements. Each works in place, and tells the observers of elements the splices it
/// made; what it tells costs O(*k*) for *k* elements that go or come.
///
/// As with any write, the collection is copied if somebody wants the value before; a validator may
/// decline, and then nothing is changed, whatever the operation returns. An operation that does nothing,
/// such as appending no elements, is no write. Indices out of range stop the program.
extension Observed where Value: RangeReplaceableCollection & RandomAccessCollection {
  /// Adds an element at the end.
  ///
  /// - Parameter element: The element.
  /// - Complexity: That of the collection: amortized O(1) for an array.
  @inlinable
  public func append(_ element: Value.Element) {
    clean()
    write(describedBy: { record(at: storage.count, inserted: [element]) }) { $0.append(element) }
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
    write(describedBy: { record(at: storage.count, inserted: elements) }) {
      $0.append(contentsOf: elements)
    }
  }

  /// Inserts an element before a position.
  ///
  /// - Parameters:
  ///   - element: The element.
  ///   - index: The position, at most the end.
  ///   - fileID: Where the call is written; filled in by the compiler.
  ///   - line: Its line.
  /// - Complexity: That of the collection: O(*n*) for an array.
  @inlinable
  public func insert(
    _ element: Value.Element,
    at index: Value.Index,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) {
    clean()
    let site = PropertyPlace(fileID: fileID, line: line)
    requireInsertion(at: index, "insert an element", site)
    write(describedBy: { record(at: offset(of: index), inserted: [element]) }) {
      $0.insert(element, at: index)
    }
  }

  /// Inserts elements before a position.
  ///
  /// - Parameters:
  ///   - elements: The elements, in order.
  ///   - index: The position, at most the end.
  ///   - fileID: Where the call is written; filled in by the compiler.
  ///   - line: Its line.
  /// - Complexity: That of the collection: O(*n* + *k*) for an array.
  @inlinable
  public func insert(
    contentsOf elements: some Sequence<Value.Element>,
    at index: Value.Index,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) {
    let elements = Array(elements)
    clean()
    let site = PropertyPlace(fileID: fileID, line: line)
    requireInsertion(at: index, "insert elements", site)
    guard !elements.isEmpty else { return }
    write(describedBy: { record(at: offset(of: index), inserted: elements) }) {
      $0.insert(contentsOf: elements, at: index)
    }
  }

  /// Removes an element.
  ///
  /// - Parameters:
  ///   - index: Where it stands.
  ///   - fileID: Where the call is written; filled in by the compiler.
  ///   - line: Its line.
  /// - Returns: The element.
  /// - Complexity: That of the collection: O(*n*) for an array.
  @inlinable
  @discardableResult
  public func remove(
    at index: Value.Index,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) -> Value.Element {
    clean()
    requireElement(at: index, "remove an element", PropertyPlace(fileID: fileID, line: line))
    let element = storage[index]
    write(describedBy: { record(at: offset(of: index), removed: [element]) }) {
      $0.remove(at: index)
    }
    return element
  }

  /// Removes the elements of a range.
  ///
  /// - Parameters:
  ///   - range: The positions of the elements.
  ///   - fileID: Where the call is written; filled in by the compiler.
  ///   - line: Its line.
  /// - Complexity: That of the collection: O(*n*) for an array.
  @inlinable
  public func removeSubrange(
    _ range: Range<Value.Index>,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) {
    replace(range, with: [], "remove a range", PropertyPlace(fileID: fileID, line: line))
  }

  /// Removes all elements, and keeps the room they took.
  ///
  /// - Complexity: O(*n*).
  @inlinable
  public func removeAll() {
    clean()
    guard !storage.isEmpty else { return }
    let removed = elements(0..<storage.count)
    write(describedBy: { record(at: 0, removed: removed) }) {
      $0.removeAll(keepingCapacity: true)
    }
    withExtendedLifetime(removed) {}
  }

  /// Removes the elements that fulfil a condition.
  ///
  /// What stood together is told as one splice. If the condition throws, nothing is removed.
  ///
  /// - Parameter isRemoved: The condition, asked once for each element, in order. It must not use the
  ///   property.
  /// - Throws: What the condition throws.
  /// - Complexity: O(*n*).
  @inlinable
  public func removeAll(where isRemoved: (Value.Element) throws -> Bool) rethrows {
    clean()
    let runs = try Self.runs(in: &storage, where: isRemoved)
    guard let first = runs.first else { return }
    // What stays behind the first that goes moves forward, in one operation.
    var stays: [Value.Element] = []
    var splices: [Splice<Value.Element>] = []
    var (end, gone) = (first.lowerBound, 0)
    for run in runs {
      stays += elements(end..<run.lowerBound)
      let begin = run.lowerBound - gone
      let removed = elements(run)
      splices.append(Splice(begin..<begin + run.count, removed: removed, inserted: []))
      (end, gone) = (run.upperBound, gone + run.count)
    }
    stays += elements(end..<storage.count)
    let begin = index(at: first.lowerBound)
    write(describedBy: { SpliceRecord(splices) }) {
      $0.replaceSubrange(begin..<$0.endIndex, with: stays)
    }
    withExtendedLifetime(splices) {}
  }

  /// Puts elements in the place of others.
  ///
  /// - Parameters:
  ///   - range: The positions of the elements that go; an empty range inserts.
  ///   - elements: Those that come, in order; as many as one likes.
  ///   - fileID: Where the call is written; filled in by the compiler.
  ///   - line: Its line.
  /// - Complexity: That of the collection: O(*n* + *k*) for an array.
  @inlinable
  public func replaceSubrange(
    _ range: Range<Value.Index>,
    with elements: some Sequence<Value.Element>,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) {
    let site = PropertyPlace(fileID: fileID, line: line)
    replace(range, with: Array(elements), "replace a range", site)
  }

  /// Puts an element in the place of another one.
  ///
  /// - Parameters:
  ///   - index: Where that stands.
  ///   - element: The one that comes.
  ///   - fileID: Where the call is written; filled in by the compiler.
  ///   - line: Its line.
  /// - Returns: The one that went.
  /// - Complexity: That of the collection: O(1) for an array.
  @inlinable
  @discardableResult
  public func replace(
    at index: Value.Index,
    with element: Value.Element,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) -> Value.Element {
    clean()
    requireElement(at: index, "replace an element", PropertyPlace(fileID: fileID, line: line))
    let former = storage[index]
    write(
      describedBy: { record(at: offset(of: index), removed: [former], inserted: [element]) }
    ) {
      Self.put(element, at: index, in: &$0)
    }
    return former
  }

  /// Takes an element from its place and puts it into another one.
  ///
  /// It is told as a removal and an insertion.
  ///
  /// - Parameters:
  ///   - index: Where it stands.
  ///   - destination: Where it is to stand when it has been moved: the position of another element now.
  ///   - fileID: Where the call is written; filled in by the compiler.
  ///   - line: Its line.
  /// - Complexity: That of the collection: O(*n*) for an array.
  @inlinable
  public func move(
    from index: Value.Index,
    to destination: Value.Index,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) {
    clean()
    let site = PropertyPlace(fileID: fileID, line: line)
    requireElement(at: index, "move an element", site)
    requireElement(at: destination, "move an element to a place", site)
    guard index != destination else { return }
    let element = storage[index]
    let (from, to) = (offset(of: index), offset(of: destination))
    let splices = [
      Splice(from..<from + 1, removed: [element], inserted: []),
      Splice(to..<to, removed: [], inserted: [element]),
    ]
    write(describedBy: { SpliceRecord(splices) }) {
      $0.remove(at: index)
      $0.insert(element, at: $0.index($0.startIndex, offsetBy: to))
    }
  }

  /// Exchanges two elements.
  ///
  /// It is told as two replacements; nothing is done with one and the same position.
  ///
  /// - Parameters:
  ///   - first: Where one of them stands.
  ///   - second: Where the other one stands.
  ///   - fileID: Where the call is written; filled in by the compiler.
  ///   - line: Its line.
  /// - Complexity: That of the collection: O(1) for an array.
  @inlinable
  public func swapAt(
    _ first: Value.Index,
    _ second: Value.Index,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) {
    clean()
    let site = PropertyPlace(fileID: fileID, line: line)
    requireElement(at: first, "swap an element", site)
    requireElement(at: second, "swap an element", site)
    guard first != second else { return }
    let (one, other) = (storage[first], storage[second])
    let (left, right) = (offset(of: first), offset(of: second))
    let splices = [
      Splice(left..<left + 1, removed: [one], inserted: [other]),
      Splice(right..<right + 1, removed: [other], inserted: [one]),
    ]
    write(describedBy: { SpliceRecord(splices) }) {
      let second = $0.index($0.startIndex, offsetBy: right)
      Self.put(other, at: first, in: &$0)
      Self.put(one, at: second, in: &$0)
    }
  }
}
