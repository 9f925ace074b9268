/// The services that may start now, the one registered first in front.
///
/// A plain value: a binary heap of numbers.
internal struct ServiceQueue: Sendable {
  private var heap: [Int] = []

  /// Creates an empty queue.
  internal init() {}

  /// Whether nobody may start.
  internal var isEmpty: Bool { heap.isEmpty }

  /// Adds a service.
  ///
  /// - Complexity: O(log *n*).
  internal mutating func insert(_ service: Int) {
    heap.append(service)
    var place = heap.count - 1
    while place > 0, heap[place] < heap[(place - 1) / 2] {
      heap.swapAt(place, (place - 1) / 2)
      place = (place - 1) / 2
    }
  }

  /// Takes the first service.
  ///
  /// - Complexity: O(log *n*).
  internal mutating func popFirst() -> Int? {
    guard let first = heap.first, let last = heap.popLast() else { return nil }
    if heap.isEmpty { return first }
    heap[0] = last
    var place = 0
    while true {
      var least = place
      for child in [2 * place + 1, 2 * place + 2]
      where child < heap.count && heap[child] < heap[least] {
        least = child
      }
      if least == place { return first }
      heap.swapAt(place, least)
      place = least
    }
  }

  /// Forgets everybody.
  internal mutating func removeAll() { heap = [] }
}
