/// The last elements of a sequence, numbered from zero.
struct Ring<Element> {
  /// The maximum number of elements.
  let capacity: Int
  /// The number of elements that were ever appended, which is the number of the next one.
  private(set) var end = 0
  private var elements: [Element] = []

  /// Creates an empty ring.
  init(capacity: Int) {
    self.capacity = max(1, capacity)
  }

  /// The number of the oldest element that is kept.
  var start: Int { end - elements.count }

  /// Appends an element, which replaces the oldest in a full ring.
  ///
  /// - Complexity: Amortized O(1).
  mutating func append(_ element: Element) {
    if elements.count < capacity {
      elements.append(element)
    } else {
      elements[end % capacity] = element
    }
    end += 1
  }

  /// Returns the elements with these numbers, without those that are no longer kept.
  func elements(_ range: Range<Int>) -> [Element] {
    let range = range.clamped(to: start..<end)
    guard !range.isEmpty else { return [] }
    let (first, last) = (range.lowerBound % capacity, (range.upperBound - 1) % capacity)
    if first <= last { return Array(elements[first...last]) }
    return Array(elements[first...]) + elements[...last]
  }
}
