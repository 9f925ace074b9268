/// A priority queue of timers, ordered by the latest instant at which they must be served.
///
/// A plain value: a binary heap that tracks the index of each entry. Among equals, the timer that was
/// registered first comes first.
package struct TimerHeap<Instant: InstantProtocol>: Sendable {
  /// A timer that waits for its deadline.
  package struct Entry: Sendable {
    /// The earliest instant at which the timer may be served.
    package let deadline: Instant
    /// The latest instant at which the timer must be served.
    package let latest: Instant
    /// The registration number, which decides among equals.
    package let order: UInt64
    /// The unique identifier of the entry, a small number.
    package let slot: Int

    /// Creates an entry.
    package init(deadline: Instant, latest: Instant, order: UInt64, slot: Int) {
      self.deadline = deadline
      self.latest = latest
      self.order = order
      self.slot = slot
    }

    fileprivate func precedes(_ other: Entry) -> Bool {
      // The first comparison usually decides.
      if latest < other.latest { return true }
      return order < other.order && !(other.latest < latest)
    }
  }

  /// The number of entries that the computation of a wake-up considers.
  private static var lookAhead: Int { 16 }
  private var entries: [Entry] = []
  /// The index of each slot's entry, or -1 if there is none.
  private var indices: [Int] = []

  /// Creates an empty heap.
  package init() {}

  /// The number of entries.
  package var count: Int { entries.count }

  /// The entry that must be served first.
  ///
  /// - Complexity: O(1).
  package var first: Entry? { entries.first }

  /// The instant of the next wake-up, and the latest instant that would do.
  ///
  /// A wake-up is postponed to later deadlines within every timer's tolerance, so that it serves several
  /// timers. Only the front of the heap is considered. A timer without a neighbour is not delayed.
  ///
  /// - Complexity: O(1).
  package var wakeUp: (instant: Instant, latest: Instant)? {
    guard let first = entries.first else { return nil }
    let near = entries.prefix(Self.lookAhead).lazy.map(\.deadline).filter { $0 <= first.latest }
    return (near.max() ?? first.deadline, first.latest)
  }

  /// Adds an entry for a slot without one.
  ///
  /// - Complexity: O(log *n*), amortized; O(1) when it comes last.
  package mutating func insert(_ entry: Entry) {
    while indices.count <= entry.slot { indices.append(-1) }
    entries.append(entry)
    siftUp(entries.count - 1)
  }

  /// Removes the entry of a slot; does nothing if there is none.
  ///
  /// - Complexity: O(log *n*).
  package mutating func remove(_ slot: Int) {
    guard indices.indices.contains(slot), indices[slot] >= 0, let last = entries.popLast() else {
      return
    }
    let index = indices[slot]
    indices[slot] = -1
    guard index < entries.count else { return }
    // Moves the gap to the bottom, near which the last entry belongs.
    var gap = index
    while 2 * gap + 1 < entries.count {
      var child = 2 * gap + 1
      if child + 1 < entries.count, entries[child + 1].precedes(entries[child]) { child += 1 }
      put(entries[child], at: gap)
      gap = child
    }
    entries[gap] = last
    siftUp(gap)
  }

  /// Stops the program if the heap order or the index of an entry is wrong.
  package func _checkInvariants() {
    for (index, entry) in entries.enumerated() {
      assert(indices[entry.slot] == index, "the index of an entry is wrong")
      assert(index == 0 || !entry.precedes(entries[(index - 1) / 2]), "a child precedes its parent")
    }
    assert(indices.count { $0 >= 0 } == entries.count, "a slot refers to a missing entry")
  }

  private mutating func put(_ entry: Entry, at index: Int) {
    entries[index] = entry
    indices[entry.slot] = index
  }

  private mutating func siftUp(_ start: Int) {
    let entry = entries[start]
    var index = start
    while index > 0 {
      let parent = (index - 1) / 2
      guard entry.precedes(entries[parent]) else { break }
      put(entries[parent], at: index)
      index = parent
    }
    put(entry, at: index)
  }
}
