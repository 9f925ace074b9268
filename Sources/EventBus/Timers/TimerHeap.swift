/// Timers in the order in which they must be served.
///
/// A plain value: a binary heap. First comes what bears the least delay; among equals, what was registered
/// first. An entry is not removed when its timer ends; whoever keeps the heap knows which entries are
/// stale, and has them swept when they are too many.
package struct TimerHeap<Instant: InstantProtocol>: Sendable {
  /// A timer that waits for its deadline.
  package struct Entry: Sendable {
    /// When it wants to be served at the earliest.
    package let deadline: Instant
    /// When it wants to be served at the latest.
    package let latest: Instant
    /// The number of the timer's registration, which decides among equals.
    package let order: UInt
    /// Tells the entries of one timer apart.
    package let turn: UInt

    /// Describes a timer that waits.
    package init(deadline: Instant, latest: Instant, order: UInt, turn: UInt) {
      self.deadline = deadline
      self.latest = latest
      self.order = order
      self.turn = turn
    }

    fileprivate func precedes(_ other: Entry) -> Bool {
      if latest != other.latest { return latest < other.latest }
      return order < other.order
    }
  }

  /// How many of the first entries are looked at when a wake-up is planned.
  private static var lookAhead: Int { 16 }
  private var entries: [Entry] = []

  /// Creates an empty heap.
  package init() {}

  /// How many entries there are, stale ones included.
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

  /// Adds an entry.
  ///
  /// - Complexity: O(log *n*); O(1) when it comes last.
  package mutating func insert(_ entry: Entry) {
    entries.append(entry)
    siftUp(entries.count - 1)
  }

  /// Removes the entry that bears the least delay.
  ///
  /// - Complexity: O(log *n*).
  package mutating func popFirst() -> Entry? {
    guard let first = entries.first, let last = entries.popLast() else { return nil }
    if !entries.isEmpty {
      entries[0] = last
      siftDown(0)
    }
    return first
  }

  /// Removes the entries that a condition names.
  ///
  /// - Complexity: O(*n*).
  package mutating func removeAll(where isStale: (Entry) -> Bool) {
    entries.removeAll(where: isStale)
    for index in stride(from: entries.count / 2 - 1, through: 0, by: -1) { siftDown(index) }
  }

  private mutating func siftUp(_ start: Int) {
    var index = start
    while index > 0 {
      let parent = (index - 1) / 2
      guard entries[index].precedes(entries[parent]) else { return }
      entries.swapAt(index, parent)
      index = parent
    }
  }

  private mutating func siftDown(_ start: Int) {
    var index = start
    while true {
      let left = 2 * index + 1
      guard left < entries.count else { return }
      let right = left + 1
      let isRight = right < entries.count && entries[right].precedes(entries[left])
      let child = isRight ? right : left
      guard entries[child].precedes(entries[index]) else { return }
      entries.swapAt(index, child)
      index = child
    }
  }
}
