// Helpers for the operations on elements: index checks, offsets and splice records.
extension Observed where Value: RangeReplaceableCollection & RandomAccessCollection {
  /// Replaces a range of elements, after checking it.
  @inlinable
  func replace(
    _ range: Range<Value.Index>,
    with inserted: [Value.Element],
    _ task: String,
    _ site: PropertySite
  ) {
    clean()
    guard range.lowerBound >= storage.startIndex, range.upperBound <= storage.endIndex else {
      refuse(task, "\(range)", valid: "\(storage.startIndex)...\(storage.endIndex)", site)
    }
    guard !range.isEmpty || !inserted.isEmpty else { return }
    let begin = offset(of: range.lowerBound)
    let removed = elements(begin..<offset(of: range.upperBound))
    write(describedBy: { splice(at: begin, removed: removed, inserted: inserted) }) {
      $0.replaceSubrange(range, with: inserted)
    }
    withExtendedLifetime(removed) {}
  }

  /// Replaces one element of a collection.
  @inlinable
  static func put(_ element: Value.Element, at index: Value.Index, in value: inout Value) {
    value.replaceSubrange(index..<value.index(after: index), with: CollectionOfOne(element))
  }

  /// The offsets of the elements that satisfy a condition, as ranges of adjacent elements.
  ///
  /// The value is `inout` for the duration of the search, so that a condition that accesses the property
  /// traps, as it does in a mutation.
  @inlinable
  static func runs(
    in value: inout Value,
    where condition: (Value.Element) throws -> Bool
  ) rethrows -> [Range<Int>] {
    var runs: [Range<Int>] = []
    var begin: Int?
    var offset = 0
    for element in value {
      if try condition(element) {
        begin = begin ?? offset
      } else if let first = begin {
        runs.append(first..<offset)
        begin = nil
      }
      offset += 1
    }
    if let begin { runs.append(begin..<offset) }
    return runs
  }

  /// The offset of an index from the start index.
  @inlinable
  func offset(of index: Value.Index) -> Int {
    storage.distance(from: storage.startIndex, to: index)
  }

  /// The index at an offset.
  @inlinable
  func index(at offset: Int) -> Value.Index {
    storage.index(storage.startIndex, offsetBy: offset)
  }

  /// Copies the elements in a range of offsets.
  ///
  /// The result never shares the storage of the collection; sharing would make the next mutation in place
  /// copy the whole collection.
  @inlinable
  func elements(_ offsets: Range<Int>) -> [Value.Element] {
    storage[index(at: offsets.lowerBound)..<index(at: offsets.upperBound)].map { $0 }
  }

  /// Describes an operation that consists of one splice.
  @inlinable
  func splice(
    at offset: Int,
    removed: [Value.Element] = [],
    inserted: [Value.Element] = []
  ) -> [Splice<Value.Element>] {
    [Splice(offset..<offset + removed.count, removed: removed, inserted: inserted)]
  }

  /// Traps unless an index refers to an element.
  @inlinable
  func requireElement(at index: Value.Index, _ task: String, _ site: PropertySite) {
    guard index >= storage.startIndex, index < storage.endIndex else {
      refuse(task, "\(index)", valid: "\(storage.startIndex)..<\(storage.endIndex)", site)
    }
  }

  /// Traps unless an index is valid for insertion.
  @inlinable
  func requireInsertion(at index: Value.Index, _ task: String, _ site: PropertySite) {
    guard index >= storage.startIndex, index <= storage.endIndex else {
      refuse(task, "\(index)", valid: "\(storage.startIndex)...\(storage.endIndex)", site)
    }
  }

  @usableFromInline
  func refuse(_ task: String, _ position: String, valid: String, _ site: PropertySite) -> Never {
    let property = propertySite
    trap(
      "\(site.fileID):\(site.line) asks the property at \(property.fileID):\(property.line) to "
        + "\(task) at \(position), which is outside \(valid)",
      remedy: "Check the position against the indices of the value first"
    )
  }
}
