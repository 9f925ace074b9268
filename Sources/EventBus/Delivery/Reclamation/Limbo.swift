/// Retired items that a reader may still hold, oldest first.
///
/// A plain value: it decides which items may be freed, and frees nothing. Stamps never decrease from one
/// item to the next, because they are read under the lock that guards the advance of the epoch.
package struct Limbo<Item> {
  fileprivate struct Entry {
    let item: Item
    let stamp: UInt
  }

  private var entries: [Entry] = []
  private var head = 0

  /// An empty queue of retired items.
  package init() {}

  /// A Boolean value that indicates whether no item is waiting.
  package var isEmpty: Bool { head == entries.count }

  /// The number of waiting items.
  package var count: Int { entries.count - head }

  /// Adds an item that was unlinked.
  ///
  /// - Parameters:
  ///   - item: The item to free later.
  ///   - stamp: The epoch, read after the item was unlinked; never less than the previous stamp.
  /// - Complexity: Amortized O(1).
  package mutating func append(_ item: Item, stamped stamp: UInt) {
    entries.append(Entry(item: item, stamp: stamp))
  }

  /// Removes every item that no reader can hold any more.
  ///
  /// - Parameter epoch: The current epoch.
  /// - Returns: The items, oldest first, for the caller to free after unlocking.
  /// - Complexity: O(*k*) in the number of items returned, amortized.
  package mutating func takeFree(at epoch: UInt) -> [Item] {
    var end = head
    while end < entries.count, Epochs.mayFree(stamped: entries[end].stamp, at: epoch) { end += 1 }
    guard end > head else { return [] }
    let taken = entries[head..<end].map(\.item)
    head = end
    if head == entries.count {
      entries = []
      head = 0
    } else if head > entries.count / 2 {
      entries.removeSubrange(..<head)
      head = 0
    }
    return taken
  }
}

extension Limbo: Sendable where Item: Sendable {}
extension Limbo.Entry: Sendable where Item: Sendable {}
extension Limbo: Equatable where Item: Equatable {}
extension Limbo.Entry: Equatable where Item: Equatable {}
extension Limbo: Hashable where Item: Hashable {}
extension Limbo.Entry: Hashable where Item: Hashable {}

/// An unlinked object to release, or an unlinked slot block to free.
package struct Retired: Sendable {
  /// The address; the lowest bit is set for a block.
  private let word: UInt

  /// Wraps an object whose reference came from `ObjectAddress.retained`.
  package init(object address: UInt) { word = address }

  /// Wraps a slot block.
  package init(_ block: SlotBlock) { word = block.address | 1 }

  /// Releases the object, which may run arbitrary code, or frees the block.
  ///
  /// Call it once, without holding a lock.
  package func free() {
    if word & 1 == 1 {
      SlotBlock(address: word & ~1)?.deallocate()
    } else {
      ObjectAddress.release(word)
    }
  }
}

/// The items that one change to an observer list unlinked.
///
/// One or two items, the usual number, need no allocation.
package struct Retirees: Sendable {
  private var first: Retired?
  private var second: Retired?
  private var others: [Retired] = []

  /// An empty collection.
  package init() {}

  /// A Boolean value that indicates whether nothing was unlinked.
  package var isEmpty: Bool { first == nil }

  /// Adds an item.
  package mutating func append(_ item: Retired) {
    if first == nil {
      first = item
    } else if second == nil {
      second = item
    } else {
      others.append(item)
    }
  }

  /// Adds all items of another change.
  package mutating func append(contentsOf others: Retirees) { others.forEach { append($0) } }

  /// Calls a closure with each item, in the order of addition.
  package func forEach(_ body: (Retired) -> Void) {
    if let first { body(first) }
    if let second { body(second) }
    for item in others { body(item) }
  }
}

/// Latches that open once the readers present at an unlinking have left.
///
/// A plain value with one latch for all fences of a stamp, so its size depends neither on the number of
/// waiting tasks nor on their cancellation. It is guarded by the lock of the ``Limbo`` that it accompanies.
package struct Fences: Sendable {
  private var fences: [(stamp: UInt, latch: Latch)] = []

  /// An empty collection.
  package init() {}

  /// A Boolean value that indicates whether no fence is waiting.
  package var isEmpty: Bool { fences.isEmpty }

  /// The number of latches: after ``takeFree(at:)`` at most two, one for each stamp that still waits.
  package var count: Int { fences.count }

  /// The latch that opens when every item of a stamp has been freed.
  ///
  /// - Parameter stamp: The epoch, read after the unlinking.
  /// - Returns: The stamp's only latch, created on first use.
  /// - Complexity: O(1): there are at most three latches.
  package mutating func latch(stamped stamp: UInt) -> Latch {
    if let known = fences.first(where: { $0.stamp == stamp }) { return known.latch }
    let latch = Latch()
    fences.append((stamp, latch))
    return latch
  }

  /// Removes the latches whose items no reader can hold any more.
  ///
  /// - Parameter epoch: The current epoch.
  /// - Returns: The latches, for the caller to open after unlocking.
  package mutating func takeFree(at epoch: UInt) -> [Latch] {
    if fences.isEmpty { return [] }
    let free = fences.filter { Epochs.mayFree(stamped: $0.stamp, at: epoch) }
    if !free.isEmpty { fences.removeAll { Epochs.mayFree(stamped: $0.stamp, at: epoch) } }
    return free.map(\.latch)
  }
}
