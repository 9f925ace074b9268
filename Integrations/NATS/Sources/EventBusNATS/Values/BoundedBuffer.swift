/// A queue with limits of number and size, from which the oldest elements drop.
package struct BoundedBuffer<Element> {
  fileprivate struct Entry {
    var element: Element
    var size: Int
  }

  private var elements: [Entry?] = []
  private var head = 0
  /// The largest number of elements.
  package let limit: Int
  /// The largest sum of the sizes of several elements; a single one may be larger.
  package let sizeLimit: Int
  /// The sum of the sizes.
  package private(set) var size = 0
  /// The number of elements that were dropped.
  package private(set) var droppedCount = 0

  /// Creates an empty buffer.
  ///
  /// - Parameters:
  ///   - limit: The largest number of elements, at least one.
  ///   - sizeLimit: The largest sum of the sizes of several elements.
  package init(limit: Int, sizeLimit: Int = .max) {
    self.limit = max(1, limit)
    self.sizeLimit = max(0, sizeLimit)
  }

  /// The number of elements.
  package var count: Int { elements.count - head }

  package var isEmpty: Bool { count == 0 }

  /// The oldest element.
  package var first: Element? { isEmpty ? nil : elements[head]?.element }

  /// Adds an element without a size at the end.
  ///
  /// - Returns: The oldest element, if the buffer was full and dropped it.
  /// - Complexity: Amortized O(1).
  package mutating func append(_ element: Element) -> Element? { append(element, size: 0).first }

  /// Adds an element at the end.
  ///
  /// - Parameters:
  ///   - element: The element.
  ///   - size: Its size, for the limit of sizes.
  /// - Returns: The elements that dropped, the oldest first.
  /// - Complexity: Amortized O(1).
  package mutating func append(_ element: Element, size: Int) -> [Element] {
    elements.append(Entry(element: element, size: size))
    self.size += size
    return dropExcess()
  }

  /// The element at an index, counted from the oldest one.
  package subscript(index: Int) -> Element? {
    index >= 0 && index < count ? elements[head + index]?.element : nil
  }

  /// Replaces the element at an index, counted from the oldest one.
  ///
  /// - Returns: The elements that dropped, as the new one is larger.
  package mutating func replace(at index: Int, by element: Element, size: Int) -> [Element] {
    guard index >= 0, index < count, let former = elements[head + index] else { return [] }
    elements[head + index] = Entry(element: element, size: size)
    self.size += size - former.size
    return dropExcess()
  }

  private mutating func dropExcess() -> [Element] {
    guard count > limit || size > sizeLimit else { return [] }
    var dropped: [Element] = []
    while count > limit || size > sizeLimit, count > 1, let element = removeFirst() {
      dropped.append(element)
    }
    droppedCount += dropped.count
    return dropped
  }

  /// Removes the oldest element.
  ///
  /// - Complexity: Amortized O(1).
  package mutating func removeFirst() -> Element? {
    guard head < elements.count, let entry = elements[head].take() else { return nil }
    size -= entry.size
    head += 1
    if head == elements.count {
      elements.removeAll(keepingCapacity: elements.capacity <= 4096)
      head = 0
    } else if head >= 64, head * 2 >= elements.count {
      elements.removeFirst(head)
      head = 0
    }
    return entry.element
  }

  /// Removes the oldest elements.
  ///
  /// - Parameter most: The largest number of elements to remove.
  /// - Returns: The elements, the oldest first.
  /// - Complexity: O(*n*) in the number of elements removed, amortized.
  package mutating func take(_ most: Int = .max) -> [Element] {
    if head == 0, most >= elements.count {
      let taken = elements.compactMap { $0?.element }
      elements.removeAll(keepingCapacity: elements.capacity <= 4096)
      size = 0
      return taken
    }
    var taken: [Element] = []
    taken.reserveCapacity(min(most, count))
    while taken.count < most, let element = removeFirst() { taken.append(element) }
    return taken
  }

  /// Puts elements back in front, in their order; those beyond the limit drop, the oldest first.
  ///
  /// - Parameters:
  ///   - former: The elements.
  ///   - sizeOf: The size of each.
  /// - Returns: The elements that dropped.
  /// - Complexity: O(*n*) in the number of all elements, O(1) if none is put back.
  package mutating func putBack(
    _ former: some Collection<Element>,
    size sizeOf: (Element) -> Int = { _ in 0 }
  ) -> [Element] {
    if former.isEmpty { return [] }
    let entries = former.map { Entry(element: $0, size: sizeOf($0)) }
    var (room, rest) = (max(0, limit - count), max(0, sizeLimit - size))
    var kept = entries.count
    while kept > 0, room > 0, entries[kept - 1].size <= rest {
      kept -= 1
      room -= 1
      rest -= entries[kept].size
    }
    elements.replaceSubrange(..<head, with: entries[kept...].map { $0 })
    head = 0
    size += entries[kept...].reduce(0) { $0 + $1.size }
    droppedCount += kept
    return entries[..<kept].map(\.element)
  }
}

extension BoundedBuffer.Entry: Sendable where Element: Sendable {}

extension BoundedBuffer: Sendable where Element: Sendable {}
