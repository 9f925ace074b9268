// What the operations on elements have in common: positions, and what is said about them.
extension Observed where Value: RangeReplaceableCollection & RandomAccessCollection {
  /// Replaces the elements of a range that the caller named.
  @inlinable
  func replace(
    _ range: Range<Value.Index>,
    with inserted: [Value.Element],
    _ task: String,
    _ site: PropertyPlace
  ) {
    clean()
    guard range.lowerBound >= storage.startIndex, range.upperBound <= storage.endIndex else {
      refuse(task, "\(range)", valid: "\(storage.startIndex)...\(storage.endIndex)", site)
    }
    guard !range.isEmpty || !inserted.isEmpty else { return }
    let begin = offset(of: range.lowerBound)
    let removed = elements(begin..<offset(of: range.upperBound))
    write(describedBy: { record(at: begin, removed: removed, inserted: inserted) }) {
      $0.replaceSubrange(range, with: inserted)
    }
    withExtendedLifetime(removed) {}
  }

  /// Replaces one element.
  @inlinable
  static func put(_ element: Value.Element, at index: Value.Index, in value: inout Value) {
    value.replaceSubrange(index..<value.index(after: index), with: CollectionOfOne(element))
  }

  /// The offsets of the elements that fulfil a condition, those that stand together in one range.
  ///
  /// The value is `inout` for the length of the search: whoever writes to the property in the condition
  /// is stopped, as in a mutation.
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

  /// How far a position is from the first one.
  @inlinable
  func offset(of index: Value.Index) -> Int {
    storage.distance(from: storage.startIndex, to: index)
  }

  /// The position of an offset.
  @inlinable
  func index(at offset: Int) -> Value.Index {
    storage.index(storage.startIndex, offsetBy: offset)
  }

  /// The elements at some offsets.
  ///
  /// An array of its own: one made from a whole array would share the storage of that, and the next
  /// change in place would copy it.
  @inlinable
  func elements(_ offsets: Range<Int>) -> [Value.Element] {
    storage[index(at: offsets.lowerBound)..<index(at: offsets.upperBound)].map { $0 }
  }

  /// Describes an operation of one step.
  @inlinable
  func record(
    at offset: Int,
    removed: [Value.Element] = [],
    inserted: [Value.Element] = []
  ) -> SpliceRecord<Value.Element> {
    let range = offset..<offset + removed.count
    return SpliceRecord([Splice(range, removed: removed, inserted: inserted)])
  }

  /// Stops the program unless there is an element at a position.
  @inlinable
  func requireElement(at index: Value.Index, _ task: String, _ site: PropertyPlace) {
    guard index >= storage.startIndex, index < storage.endIndex else {
      refuse(task, "\(index)", valid: "\(storage.startIndex)..<\(storage.endIndex)", site)
    }
  }

  /// Stops the program unless something may be inserted at a position.
  @inlinable
  func requireInsertion(at index: Value.Index, _ task: String, _ site: PropertyPlace) {
    guard index >= storage.startIndex, index <= storage.endIndex else {
      refuse(task, "\(index)", valid: "\(storage.startIndex)...\(storage.endIndex)", site)
    }
  }

  @usableFromInline
  func refuse(
    _ task: String,
    _ position: String,
    valid: String,
    _ site: PropertyPlace
  ) -> Never {
    trap(
      "\(site) asks the property at \(place) to \(task) at \(position), which is outside \(valid)",
      remedy: "Check the position against the indices of the value first"
    )
  }
}

extension Observed {
  /// Lets go of registrations that have ended, which may do anything, before positions are looked at.
  @inlinable
  func clean() { observers?.cleanIfSoiled() }

  /// Changes the value and describes what was done to those who want to know.
  ///
  /// In place, unless somebody wants the value before, or to decide. Where somebody may decide for another
  /// value, or may set the property before this one is stored, the description would not be true, and
  /// the change is told as an assignment.
  ///
  /// - Parameters:
  ///   - describe: Describes the change; asked before it is made, if at all. It must not use the property.
  ///   - change: Makes it. Nothing may die in it.
  @inlinable
  func write(
    describedBy describe: () -> AnyObject,
    _ change: (inout Value) -> Void
  ) {
    guard let observers else { return change(&storage) }
    let isDescribed = observers.wantsWrites
    if observers.allowsMutationInPlace {
      let write = isDescribed ? Write.described(describe()) : .mutation
      change(&storage)
      return didMutate(observers, write)
    }
    let write = isDescribed && !observers.isDecided ? Write.described(describe()) : .assignment
    var copy = storage
    change(&copy)
    assignInOrder(copy, observers, write)
  }
}
