/// A list in ascending order of numbers, with removal by number.
///
/// The list assigns the numbers itself, or its user does, so that several lists can share one count and be
/// merged into one order. A number is never reused.
///
/// A plain value. A removal leaves a gap. Gaps are closed when they outnumber the elements: the storage has
/// at most max(8, 2 × ``count``) slots after every append and removal.
///
/// Inlinable, so that the index of themed views is specialized: unspecialized, a switch of 10,000 views
/// takes 2.5 times as long and allocates once for each view.
@usableFromInline
package struct NumberedList<Element> {
  @usableFromInline
  typealias Slot = (number: UInt, element: Element?)

  @usableFromInline var slots: [Slot] = []
  @usableFromInline var nextNumber: UInt = 0

  /// The number of elements.
  @usableFromInline package internal(set) var count = 0

  /// The number of slots that compactions have examined so far: a measure of their work.
  @usableFromInline package internal(set) var steps = 0

  /// Creates an empty list.
  @inlinable
  package init() {}

  /// The number of slots, including gaps.
  @inlinable
  package var slotCount: Int { slots.count }

  /// The elements, in order.
  ///
  /// - Complexity: O(*n*).
  @inlinable
  package var elements: [Element] { slots.compactMap(\.element) }

  /// The elements with their numbers, in order.
  ///
  /// - Complexity: O(*n*).
  @inlinable
  package var entries: [(number: UInt, element: Element)] {
    slots.compactMap { number, element in element.map { (number, $0) } }
  }

  /// Calls a closure with every element, in order.
  @inlinable
  package func forEach(_ body: (Element) -> Void) {
    for slot in slots {
      if let element = slot.element { body(element) }
    }
  }

  /// Returns the element in a slot, or `nil` if the slot is a gap.
  ///
  /// - Parameter slot: At least 0 and less than ``slotCount``.
  /// - Returns: The element.
  @inlinable
  package func element(at slot: Int) -> Element? { slots[slot].element }

  /// Returns the element with a number, or `nil` if there is none.
  ///
  /// - Complexity: O(log *n*).
  @inlinable
  package func element(number: UInt) -> Element? {
    slot(of: number).flatMap { slots[$0].element }
  }

  /// Appends an element.
  ///
  /// - Returns: Its number, one more than the largest so far.
  /// - Complexity: Amortized O(1).
  @inlinable
  package mutating func append(_ element: Element) -> UInt {
    let number = nextNumber
    append(element, number: number)
    return number
  }

  /// Appends an element with a number.
  ///
  /// - Parameters:
  ///   - element: The element.
  ///   - number: Its number, greater than all earlier numbers.
  /// - Complexity: Amortized O(1).
  @inlinable
  package mutating func append(_ element: Element, number: UInt) {
    assert(number >= nextNumber, "the numbers must ascend")
    nextNumber = number + 1
    slots.append((number, element))
    count += 1
    closeGaps()
  }

  /// Removes the element with a number.
  ///
  /// - Returns: The element, which the caller releases outside its lock; `nil` if there is none.
  /// - Complexity: O(log *n*), amortized.
  @inlinable
  package mutating func remove(number: UInt) -> Element? {
    guard let slot = slot(of: number), let element = slots[slot].element.take() else {
      return nil
    }
    count -= 1
    closeGaps()
    return element
  }

  /// Removes all elements.
  ///
  /// - Returns: The elements in order, which the caller releases outside its lock.
  /// - Complexity: O(*n*).
  @inlinable
  package mutating func removeAll() -> [Element] {
    let all = elements
    slots = []
    count = 0
    return all
  }

  /// Calls a closure with every element of lists that share one count, in the order of the numbers.
  ///
  /// - Complexity: O(*n* log *n*) for *n* elements in several lists; O(*n*), without a copy, if there is one.
  @inlinable
  package static func forEachMerged(_ lists: [Self], _ body: (Element) -> Void) {
    if lists.count == 1 { return lists[0].forEach(body) }
    for element in merged(lists) { body(element) }
  }

  /// Merges lists that share one count, in the order of the numbers.
  ///
  /// - Complexity: O(*n* log *n*) for *n* elements.
  @inlinable
  package static func merged(_ lists: [Self]) -> [Element] {
    lists.flatMap(\.entries).sorted { $0.number < $1.number }.map(\.element)
  }

  /// Stops the program if the order, the count or the bound on the storage is wrong.
  package func _checkInvariants() {
    assert(zip(slots, slots.dropFirst()).allSatisfy { $0.number < $1.number }, "out of order")
    assert(slots.last.map { $0.number < nextNumber } ?? true, "a number may be assigned twice")
    assert(slots.count { $0.element != nil } == count, "the count is wrong")
    assert(slots.count <= max(8, 2 * count), "too many gaps")
  }

  @inlinable
  mutating func closeGaps() {
    guard slots.count > max(8, 2 * count) else { return }
    steps += slots.count
    slots = slots.filter { $0.element != nil }
  }

  @inlinable
  func slot(of number: UInt) -> Int? { slots.indices.index(ofNumber: number) { slots[$0].number } }
}

extension NumberedList: Sendable where Element: Sendable {}

extension Sequence {
  /// Returns the sorted elements, where speed matters less than size.
  ///
  /// The compiler copies the standard library's sort for each type of element, some 3 kB each. This method
  /// calls the one copy that the library has for all types.
  ///
  /// - Complexity: O(*n* log *n*).
  @_semantics("optimize.sil.specialize.generic.never")
  package func ordered(by precedes: (Element, Element) -> Bool) -> [Element] {
    sorted(by: precedes)
  }
}

extension Range<Int> {
  /// Returns the first index that does not satisfy a predicate, which all indices before it satisfy.
  ///
  /// - Complexity: O(log *n*).
  @inlinable
  package func partitionPoint(_ precedes: (Int) -> Bool) -> Int {
    var (low, high) = (lowerBound, upperBound)
    while low < high {
      let middle = low + (high - low) / 2
      if precedes(middle) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Returns the index with a number.
  ///
  /// - Parameters:
  ///   - number: The number.
  ///   - numberAt: Returns the number of an index; the numbers ascend.
  /// - Returns: The index, or `nil` if there is none.
  /// - Complexity: O(1) if no numbers are missing before it, otherwise O(log *n*).
  @inlinable
  @inline(__always)
  package func index<Number: BinaryInteger>(
    ofNumber number: Number,
    _ numberAt: (Int) -> Number
  ) -> Int? {
    if isEmpty { return nil }
    var index = lowerBound + Int(number) - Int(numberAt(lowerBound))
    if !contains(index) || numberAt(index) != number {
      index = partitionPoint { numberAt($0) < number }
    }
    return index < upperBound && numberAt(index) == number ? index : nil
  }
}
