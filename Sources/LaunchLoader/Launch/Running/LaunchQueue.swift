internal import EventBus

/// A queue of turns, ordered by rank.
///
/// A plain value. Turns that arrive in order, which are almost all, are stored in an array, and the others
/// in a heap.
package struct LaunchQueue: Sendable {
  private var ordered: [RankedRow] = []
  private var start = 0
  private var heap = Heap<RankedRow>()

  /// Creates an empty queue.
  package init() {}

  /// The turn of the lowest rank.
  ///
  /// - Complexity: O(1).
  package var first: RankedRow? {
    guard start < ordered.count else { return heap.first }
    guard let other = heap.first, other.precedes(ordered[start]) else { return ordered[start] }
    return other
  }

  /// Inserts a turn.
  ///
  /// - Complexity: O(1) if its rank is the highest, otherwise O(log *n*).
  package mutating func insert(_ turn: RankedRow) {
    defer { checkInvariants(ofSize: ordered.count + heap.count, _checkInvariants()) }
    if start < ordered.count, let last = ordered.last, turn.precedes(last) {
      heap.insert(turn)
    } else {
      ordered.append(turn)
    }
  }

  /// Removes and returns the turn of the lowest rank.
  ///
  /// - Complexity: O(1) for turns that arrived in order, otherwise O(log *n*).
  package mutating func popFirst() -> RankedRow? {
    defer { checkInvariants(ofSize: ordered.count + heap.count, _checkInvariants()) }
    guard start < ordered.count else { return heap.isEmpty ? nil : heap.popFirst() }
    if !heap.isEmpty, let other = heap.first, other.precedes(ordered[start]) {
      return heap.popFirst()
    }
    defer {
      start += 1
      if start == ordered.count {
        ordered.removeAll(keepingCapacity: true)
        start = 0
      }
    }
    return ordered[start]
  }

  /// Stops the program if the turns are out of order.
  package func _checkInvariants() {
    heap._checkInvariants()
    assert(start == 0 || start < ordered.count, "the array was not emptied")
    assert(zip(ordered, ordered.dropFirst()).allSatisfy { $0.rank <= $1.rank }, "out of order")
  }
}

/// The turn of a row in a launch: a lower rank comes first.
package struct RankedRow: HeapElement, Sendable {
  /// The position in the planned order.
  package let rank: Int
  /// The row.
  package let row: Int

  /// Creates a turn.
  package init(rank: Int, row: Int) {
    self.rank = rank
    self.row = row
  }

  /// Returns whether this turn comes before another one.
  func precedes(_ other: RankedRow) -> Bool { rank < other.rank }
}
