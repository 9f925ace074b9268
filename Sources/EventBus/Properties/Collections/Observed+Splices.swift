// Helpers for the operations on elements. The collection itself checks indices and ranges: a helper that needs
// valid ones reads the elements there, before the write.
extension Observed where Value: RangeReplaceableCollection & RandomAccessCollection {
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
  /// - Returns: The replaced element.
  @inlinable
  func replaceElement(
    at index: Value.Index,
    with inserted: some Collection<Value.Element>
  ) -> Value.Element {
    clean()
    let removed = storage[index]
    replace(index..<storage.index(after: index), CollectionOfOne(removed), with: inserted)
    return removed
  }

  /// Finds the elements that satisfy a condition.
  ///
  /// The value is `inout` for the duration of the search, so that a condition that accesses the property
  /// traps, as it does in a mutation.
  ///
  /// - Returns: A splice for each run of adjacent elements, and the other elements after the first of them.
  /// - Throws: The error of the condition.
  @inlinable
  static func removals<Failure: Error>(
    in value: inout Value,
    where isRemoved: (Value.Element) throws(Failure) -> Bool
  ) throws(Failure) -> (splices: [Splice<Value.Element>], kept: [Value.Element]) {
    var splices: [Splice<Value.Element>] = []
    var kept: [Value.Element] = []
    var run: [Value.Element] = []
    var offset = 0
    for element in value {
      if try isRemoved(element) {
        run.append(element)
        continue
      }
      if !run.isEmpty {
        splices.append(Splice(at: offset, removed: run))
        run = []
      }
      if !splices.isEmpty { kept.append(element) }
      offset += 1
    }
    if !run.isEmpty { splices.append(Splice(at: offset, removed: run)) }
    return (splices, kept)
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
