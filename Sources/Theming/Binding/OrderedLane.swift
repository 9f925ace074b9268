/// A list in the order of the numbers its elements are entered with, removed by number.
///
/// The numbers come from outside so that several lanes may share one count, and be merged into one
/// order.
///
/// A plain value. Removal leaves a gap; gaps are closed when they outnumber the elements, so that a
/// lane takes at most max(8, 2 × ``count``) places.
package struct OrderedLane<Element> {
  fileprivate struct Place {
    let number: UInt
    var element: Element?
  }

  private var places: [Place] = []

  /// How many elements there are.
  package private(set) var count = 0

  /// The number of places that removals have looked at so far: a measure of their work.
  package private(set) var steps = 0

  /// How many places they take, gaps included.
  package var placeCount: Int { places.count }

  /// Creates an empty lane.
  package init() {}

  /// The elements with their numbers, in order.
  ///
  /// - Complexity: O(*n*).
  package var entries: [(number: UInt, element: Element)] {
    places.compactMap { place in place.element.map { (place.number, $0) } }
  }

  /// The elements, in order.
  ///
  /// - Complexity: O(*n*).
  package var elements: [Element] { places.compactMap(\.element) }

  /// The element at a place, or `nil` for a gap.
  ///
  /// - Parameter place: At least 0 and less than ``placeCount``.
  /// - Returns: The element.
  package func element(at place: Int) -> Element? { places[place].element }

  /// The element with a number, or `nil` when there is none.
  ///
  /// - Complexity: O(log *n*).
  package func element(number: UInt) -> Element? {
    var steps = 0
    return index(of: number, &steps).flatMap { places[$0].element }
  }

  /// Adds an element behind all others.
  ///
  /// - Parameters:
  ///   - element: The element.
  ///   - number: Its number, greater than every number before it.
  /// - Complexity: Amortized O(1).
  package mutating func append(_ element: Element, number: UInt) {
    assert(places.last.map { $0.number < number } ?? true, "numbers must rise")
    places.append(Place(number: number, element: element))
    count += 1
    closeGaps()
  }

  /// Removes the element with a number.
  ///
  /// - Returns: The element, for the caller to let go of outside its lock; `nil` when there is
  ///   none.
  /// - Complexity: O(log *n*), amortized.
  package mutating func remove(number: UInt) -> Element? {
    guard let index = index(of: number, &steps), let element = places[index].element.take() else {
      return nil
    }
    count -= 1
    closeGaps()
    return element
  }

  /// Merges lanes that share one count of numbers: each element once, in the order of the numbers.
  ///
  /// - Complexity: O(*n* log *k*) for *n* places in *k* lanes.
  package static func merged(_ lanes: [Self]) -> [Element] {
    var lists = lanes.map(\.places)
    while lists.count > 1 {
      let next = stride(from: 0, to: lists.count, by: 2).map { place in
        place + 1 < lists.count ? merge(lists[place], lists[place + 1]) : lists[place]
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

  /// Closes the gaps when they outnumber the elements.
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
extension OrderedLane.Place: Sendable where Element: Sendable {}
