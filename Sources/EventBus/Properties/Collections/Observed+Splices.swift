// Helpers for the operations on elements. The collection itself would stop the program as well, but name a line of the
// standard library.
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
  @inlinable
  func check(_ index: Value.Index, _ fileID: StaticString, _ line: UInt) {
    if index < storage.startIndex || index >= storage.endIndex {
      trapOutside("the index \(index)", "Pass the index of an element", fileID, line)
    }
  }

  /// Stops the program unless a range consists of indices of elements; an empty one may be at the end.
  @inlinable
  func check(_ range: Range<Value.Index>, _ fileID: StaticString, _ line: UInt) {
    if range.lowerBound < storage.startIndex || range.upperBound > storage.endIndex {
      trapOutside(
        range.isEmpty ? "the index \(range.lowerBound)" : "the range \(range)",
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
