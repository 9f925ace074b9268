/// A queue with a limit, from which the oldest elements drop.
package struct BoundedBuffer<Element> {
  private var elements: [Element?] = []
  private var head = 0
  /// The largest number of elements.
  package let limit: Int
  /// The number of elements that were dropped.
  package private(set) var droppedCount = 0

  /// Creates an empty buffer.
  ///
  /// - Parameter limit: The largest number of elements, at least one.
  package init(limit: Int) { self.limit = max(1, limit) }

  /// The number of elements.
  package var count: Int { elements.count - head }

  /// A Boolean value that indicates whether the buffer has no element.
  package var isEmpty: Bool { count == 0 }

  /// The oldest element.
  package var first: Element? { isEmpty ? nil : elements[head] }

  /// Adds an element at the end.
  ///
  /// - Returns: The oldest element, if the buffer was full and dropped it.
  /// - Complexity: Amortized O(1).
  package mutating func append(_ element: Element) -> Element? {
    elements.append(element)
    guard count > limit else { return nil }
    droppedCount += 1
    return removeFirst()
  }

  /// Removes the oldest element.
  ///
  /// - Complexity: Amortized O(1).
  package mutating func removeFirst() -> Element? {
    guard head < elements.count else { return nil }
    let element = elements[head].take()
    head += 1
    if head == elements.count {
      elements.removeAll(keepingCapacity: elements.capacity <= 4096)
      head = 0
    } else if head >= 64, head * 2 >= elements.count {
      elements.removeFirst(head)
      head = 0
    }
    return element
  }

  /// Removes the oldest elements.
  ///
  /// - Parameter most: The largest number of elements to remove.
  /// - Returns: The elements, the oldest first.
  /// - Complexity: O(*n*) in the number of elements removed, amortized.
  package mutating func take(_ most: Int = .max) -> [Element] {
    if head == 0, most >= elements.count {
      let taken = elements.compactMap { $0 }
      elements.removeAll(keepingCapacity: elements.capacity <= 4096)
      return taken
    }
    var taken: [Element] = []
    taken.reserveCapacity(min(most, count))
    while taken.count < most, let element = removeFirst() { taken.append(element) }
    return taken
  }

  /// Puts elements back in front, in their order; those beyond the limit drop, the oldest first.
  ///
  /// - Returns: The elements that dropped.
  /// - Complexity: O(*n*) in the number of all elements.
  package mutating func putBack(_ former: some Collection<Element>) -> [Element] {
    let room = max(0, limit - count)
    let dropped = Array(former.dropLast(room))
    droppedCount += dropped.count
    elements.replaceSubrange(..<head, with: former.suffix(room).map { $0 })
    head = 0
    return dropped
  }
}

extension BoundedBuffer: Sendable where Element: Sendable {}
