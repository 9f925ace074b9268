/// A list ordered by the numbers that callers assign to its elements, with removal by number.
///
/// Callers assign the numbers so that several lists can share one count and merge into one order.
///
/// A plain value. Removal leaves a gap. Gaps are closed when they outnumber the elements, so the
/// storage holds at most max(8, 2 × ``count``) places.
package struct OrderedLane<Element> {
  private typealias Place = (number: UInt, element: Element?)

  private var places: [Place] = []

  /// The number of elements.
  package private(set) var count = 0

  /// The number of places that removals have examined so far: a measure of their work.
  package private(set) var steps = 0

  /// The number of places in the storage, including gaps.
  package var placeCount: Int { places.count }

  /// Creates an empty list.
  package init() {}

  /// The elements with their numbers, in order.
  ///
  /// - Complexity: O(*n*).
  package var entries: [(number: UInt, element: Element)] {
    places.compactMap { number, element in element.map { (number, $0) } }
  }

  /// The elements, in order.
  ///
  /// - Complexity: O(*n*).
  package var elements: [Element] { places.compactMap(\.element) }

  /// Returns the element at an index of the storage, or `nil` for a gap.
  ///
  /// - Parameter index: At least 0 and less than ``placeCount``.
  /// - Returns: The element.
  package func element(at index: Int) -> Element? { places[index].element }

  /// Returns the element with a number, or `nil` if there is none.
  ///
  /// - Complexity: O(log *n*).
  package func element(number: UInt) -> Element? {
    var steps = 0
    return index(of: number, &steps).flatMap { places[$0].element }
  }

  /// Appends an element.
  ///
  /// - Parameters:
  ///   - element: The element.
  ///   - number: Its number, greater than all earlier numbers.
  /// - Complexity: Amortized O(1).
  package mutating func append(_ element: Element, number: UInt) {
    assert(places.last.map { $0.number < number } ?? true, "numbers must rise")
    places.append((number, element))
    count += 1
    closeGaps()
  }

  /// Removes the element with a number.
  ///
  /// - Returns: The element, which the caller releases outside its lock; `nil` if there is none.
  /// - Complexity: O(log *n*), amortized.
  package mutating func remove(number: UInt) -> Element? {
    guard let index = index(of: number, &steps), let element = places[index].element.take() else {
      return nil
    }
    count -= 1
    closeGaps()
    return element
  }

  /// Merges lists that share one count: each element once, in the order of the numbers.
  ///
  /// - Complexity: O(*n* log *k*) for *n* places in *k* lists.
  package static func merged(_ lanes: [Self]) -> [Element] {
    var lists = lanes.map(\.places)
    while lists.count > 1 {
      let next = stride(from: 0, to: lists.count, by: 2).map { index in
        index + 1 < lists.count ? merge(lists[index], lists[index + 1]) : lists[index]
      }
      lists = next
    }
    return lists.first?.compactMap(\.element) ?? []
  }

  private static func merge(_ left: [Place], _ right: [Place]) -> [Place] {
    var merged: [Place] = []
    merged.reserveCapacity(left.count + right.count)
    var (next, other) = (left[...], right[...])
    while let first = next.first, let second = other.first {
      if first.number <= second.number { merged.append(next.removeFirst()) }
      if second.number <= first.number { other.removeFirst() }
      if second.number < first.number { merged.append(second) }
    }
    return merged + next + other
  }

  private mutating func closeGaps() {
    guard places.count > max(8, 2 * count) else { return }
    steps += places.count
    places = places.filter { $0.element != nil }
  }

  private func index(of number: UInt, _ steps: inout Int) -> Int? {
    var low = 0
    var high = places.count
    while low < high {
      steps += 1
      let middle = low + (high - low) / 2
      if places[middle].number < number { low = middle + 1 } else { high = middle }
    }
    return low < places.count && places[low].number == number ? low : nil
  }
}

extension OrderedLane: Sendable where Element: Sendable {}
