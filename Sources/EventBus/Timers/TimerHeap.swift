/// Timers in the order in which they must be served.
///
/// A plain value: a binary heap that knows the place of each of its entries. First comes what bears the
/// least delay; among equals, what was registered first.
package struct TimerHeap<Instant: InstantProtocol>: Sendable {
  /// A timer that waits for its deadline.
  package struct Entry: Sendable {
    /// When it wants to be served at the earliest.
    package let deadline: Instant
    /// When it wants to be served at the latest.
    package let latest: Instant
    /// The number of the timer's registration, which decides among equals.
    package let order: UInt64
    /// Names the entry; a small number that no other entry has.
    package let slot: Int

    /// Describes a timer that waits.
    package init(deadline: Instant, latest: Instant, order: UInt64, slot: Int) {
      self.deadline = deadline
      self.latest = latest
      self.order = order
      self.slot = slot
    }

    fileprivate func precedes(_ other: Entry) -> Bool {
      // Most often the first comparison decides.
      if latest < other.latest { return true }
      return order < other.order && !(other.latest < latest)
    }
  }

  /// How many of the first entries are looked at when a wake-up is planned.
  private static var lookAhead: Int { 16 }
  private var entries: [Entry] = []
  /// The index of the entry of each slot; -1 where there is none.
  private var places: [Int] = []

  /// Creates an empty heap.
  package init() {}

  /// How many entries there are.
  package var count: Int { entries.count }

  /// The entry that bears the least delay.
  ///
  /// - Complexity: O(1).
  package var first: Entry? { entries.first }

  /// When to wake up, and how much later would do.
  ///
  /// A wake-up is put off to the deadlines that follow as long as every timer bears it, so that one serves
  /// many; only the front of the heap is looked at. A timer that has nobody near it is not delayed.
  ///
  /// - Complexity: O(1).
  package var wakeUp: (instant: Instant, latest: Instant)? {
    guard let first = entries.first else { return nil }
    let near = entries.prefix(Self.lookAhead).lazy.map(\.deadline).filter { $0 <= first.latest }
    return (near.max() ?? first.deadline, first.latest)
  }

  /// Adds an entry, whose slot has none.
  ///
  /// - Complexity: O(log *n*), amortized; O(1) when it comes last.
  package mutating func insert(_ entry: Entry) {
    while places.count <= entry.slot { places.append(-1) }
    entries.append(entry)
    siftUp(entries.count - 1)
  }

  /// Removes the entry that bears the least delay.
  ///
  /// - Complexity: O(log *n*).
  package mutating func popFirst() -> Entry? {
    guard let first = entries.first else { return nil }
    remove(first.slot)
    return first
  }

  /// Removes the entry of a slot; nothing happens if there is none.
  ///
  /// - Complexity: O(log *n*).
  package mutating func remove(_ slot: Int) {
    guard places.indices.contains(slot), places[slot] >= 0, let last = entries.popLast() else {
      return
    }
    let index = places[slot]
    places[slot] = -1
    guard index < entries.count else { return }
    // The gap goes to the bottom: what comes last belongs near there.
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

  /// Stops the program if the heap is not in order.
  package func _checkInvariants() {
    for (index, entry) in entries.enumerated() {
      assert(places[entry.slot] == index, "an entry is not where it is looked for")
      assert(index == 0 || !entry.precedes(entries[(index - 1) / 2]), "an entry is too far back")
    }
    assert(places.count { $0 >= 0 } == entries.count, "a slot names an entry that is not there")
  }

  private mutating func put(_ entry: Entry, at index: Int) {
    entries[index] = entry
    places[entry.slot] = index
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
