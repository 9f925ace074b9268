/// An element of a ``Heap``.
@usableFromInline
package protocol HeapElement {
  /// A small number, at least zero and unique within the heap, by which the element can be removed.
  ///
  /// The default is −1: the element can only be removed as the first, and the heap keeps no table.
  var slot: Int { get }

  /// Returns whether this element leaves the heap before another one.
  func precedes(_ other: Self) -> Bool
}

extension HeapElement {
  /// −1: the element cannot be removed by its slot.
  @inlinable
  package var slot: Int { -1 }
}

/// Smaller numbers come first.
extension Int: HeapElement {
  /// Returns whether this number is the smaller one.
  @inlinable
  package func precedes(_ other: Int) -> Bool { self < other }
}

/// A priority queue: elements leave it in the order that ``HeapElement/precedes(_:)`` defines.
///
/// A plain value: a binary heap that knows the index of each slot's element. The order of elements of which
/// neither precedes the other is unspecified.
@usableFromInline
package struct Heap<Element: HeapElement> {
  @usableFromInline
  var elements: [Element] = []
  /// The index of each slot's element, or -1 if there is none; empty without slots.
  @usableFromInline
  var indices: [Int] = []

  /// Creates an empty heap.
  @inlinable
  package init() {}

  /// The number of elements.
  ///
  /// - Complexity: O(1).
  @inlinable
  package var count: Int { elements.count }

  /// A Boolean value that indicates whether the heap has no elements.
  ///
  /// - Complexity: O(1).
  @inlinable
  package var isEmpty: Bool { elements.isEmpty }

  /// The element that precedes all others, or `nil` if the heap is empty.
  ///
  /// - Complexity: O(1).
  @inlinable
  package var first: Element? { elements.first }

  /// Returns elements from the front of the heap.
  ///
  /// - Parameter maxLength: The maximum number of elements.
  /// - Returns: The first element, then some that are likely to follow soon.
  /// - Complexity: O(1).
  @inlinable
  package func prefix(_ maxLength: Int) -> ArraySlice<Element> { elements.prefix(maxLength) }

  /// Inserts an element, whose slot no other element has.
  ///
  /// - Complexity: O(log *n*), amortized; O(1) when it comes last.
  @inlinable
  package mutating func insert(_ element: Element) {
    while indices.count <= element.slot { indices.append(-1) }
    elements.append(element)
    siftUp(elements.count - 1)
  }

  /// Removes and returns the first element, or returns `nil` if the heap is empty.
  ///
  /// - Complexity: O(log *n*).
  @inlinable
  package mutating func popFirst() -> Element? {
    elements.isEmpty ? nil : remove(at: 0)
  }

  /// Removes and returns the element of a slot, or returns `nil` if there is none.
  ///
  /// - Complexity: O(log *n*).
  @inlinable
  @discardableResult
  package mutating func remove(slot: Int) -> Element? {
    guard indices.indices.contains(slot), indices[slot] >= 0 else { return nil }
    return remove(at: indices[slot])
  }

  /// Stops the program if the order of the elements or the index of an element is wrong.
  ///
  /// - Complexity: O(*n*).
  package func _checkInvariants() {
    for (index, element) in elements.enumerated() {
      assert(element.slot < 0 || indices[element.slot] == index, "the index of an element is wrong")
      assert(
        index == 0 || !element.precedes(elements[(index - 1) / 2]),
        "a child precedes its parent"
      )
    }
    assert(
      indices.count { $0 >= 0 } == elements.count { $0.slot >= 0 },
      "a slot refers to a missing element"
    )
  }

  @inlinable
  mutating func remove(at index: Int) -> Element {
    let removed = elements[index]
    if removed.slot >= 0 { indices[removed.slot] = -1 }
    let last = elements.removeLast()
    guard index < elements.count else { return removed }
    // Moves the gap to the bottom, near which the last element belongs.
    var gap = index
    while 2 * gap + 1 < elements.count {
      var child = 2 * gap + 1
      if child + 1 < elements.count, elements[child + 1].precedes(elements[child]) { child += 1 }
      put(elements[child], at: gap)
      gap = child
    }
    elements[gap] = last
    siftUp(gap)
    return removed
  }

  @inlinable
  mutating func siftUp(_ start: Int) {
    let element = elements[start]
    var index = start
    while index > 0 {
      let parent = (index - 1) / 2
      guard element.precedes(elements[parent]) else { break }
      put(elements[parent], at: index)
      index = parent
    }
    put(element, at: index)
  }

  @inlinable
  mutating func put(_ element: Element, at index: Int) {
    elements[index] = element
    if element.slot >= 0 { indices[element.slot] = index }
  }
}

extension Heap: Sendable where Element: Sendable {}
