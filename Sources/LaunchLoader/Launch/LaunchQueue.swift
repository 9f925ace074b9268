/// The turn of a row in a launch.
package struct LaunchTurn: Sendable {
  /// The position in the planned order: a lower rank comes first.
  package let rank: Int
  /// The place of the row.
  package let place: Int

  /// Creates a turn.
  package init(rank: Int, place: Int) {
    self.rank = rank
    self.place = place
  }
}

/// A queue of turns, ordered by rank.
///
/// Turns that arrive in order, which are almost all, are stored in an array, and the others in a heap.
package struct LaunchQueue: Sendable {
  private var ordered: [LaunchTurn] = []
  private var start = 0
  private var heap: [LaunchTurn] = []

  /// Creates an empty queue.
  package init() {}

  /// The turn of the lowest rank.
  ///
  /// - Complexity: O(1).
  package var first: LaunchTurn? {
    guard start < ordered.count else { return heap.first }
    guard let other = heap.first, other.rank < ordered[start].rank else { return ordered[start] }
    return other
  }

  /// Inserts a turn.
  ///
  /// - Complexity: O(1) if its rank is the highest, otherwise O(log *n*).
  package mutating func insert(_ turn: LaunchTurn) {
    if let last = ordered.last, start < ordered.count, last.rank > turn.rank {
      heap.append(turn)
      siftUp(heap.count - 1)
    } else {
      ordered.append(turn)
    }
  }

  /// Removes and returns the turn of the lowest rank.
  ///
  /// - Complexity: O(1) for turns that arrived in order, otherwise O(log *n*).
  @discardableResult
  package mutating func removeFirst() -> LaunchTurn? {
    guard start < ordered.count else { return removeFromHeap() }
    if let other = heap.first, other.rank < ordered[start].rank { return removeFromHeap() }
    defer {
      start += 1
      if start == ordered.count {
        ordered.removeAll(keepingCapacity: true)
        start = 0
      }
    }
    return ordered[start]
  }

  private mutating func removeFromHeap() -> LaunchTurn? {
    guard let first = heap.first, let last = heap.popLast() else { return nil }
    if !heap.isEmpty {
      heap[0] = last
      siftDown(0)
    }
    return first
  }

  private mutating func siftUp(_ index: Int) {
    var index = index
    while index > 0 {
      let parent = (index - 1) / 2
      guard heap[index].rank < heap[parent].rank else { return }
      heap.swapAt(index, parent)
      index = parent
    }
  }

  private mutating func siftDown(_ index: Int) {
    var index = index
    while true {
      var least = index
      for child in [2 * index + 1, 2 * index + 2]
      where child < heap.count && heap[child].rank < heap[least].rank {
        least = child
      }
      guard least != index else { return }
      heap.swapAt(index, least)
      index = least
    }
  }
}
