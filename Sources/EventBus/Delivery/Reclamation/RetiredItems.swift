/// Retired items that a reader may still hold, with the latches of tasks that wait for their release.
///
/// A plain value: it decides which items may be freed, and frees nothing. Items are grouped by their
/// *stamp*, the epoch read after they were unlinked. An item may be freed two epochs after its stamp; see
/// ``ReclamationDomain`` for the proof. The stamps of items never decrease from one ``append(_:stamped:)``
/// to the next, because they are read under the lock that guards the advance of the epoch.
///
/// All waiters for one stamp share a latch. The number of latches therefore depends neither on the number
/// of waiting tasks nor on their cancellation: at most one for each of the three stamps.
package struct RetiredItems<Item> {
  /// The items and the latch of each stamp, newest first.
  private var generations: [(stamp: UInt, items: [Item], latch: Latch?)] = []

  /// Creates a value without items and latches.
  package init() {}

  /// A Boolean value that indicates whether no item and no latch is waiting.
  package var isEmpty: Bool { generations.isEmpty }

  /// The number of waiting items and latches.
  package var count: Int {
    generations.reduce(0) { $0 + $1.items.count + ($1.latch == nil ? 0 : 1) }
  }

  /// The waiting items with their stamps, oldest first.
  package var entries: [(stamp: UInt, item: Item)] {
    generations.reversed().flatMap { generation in
      generation.items.map { (generation.stamp, $0) }
    }
  }

  /// Adds an item that was unlinked.
  ///
  /// - Parameters:
  ///   - item: The item to free later.
  ///   - stamp: The epoch, read after the item was unlinked; never less than the previous stamp.
  /// - Complexity: Amortized O(1).
  package mutating func append(_ item: Item, stamped stamp: UInt) {
    let index = index(of: stamp)
    generations[index].items.append(item)
  }

  /// Returns the latch to open when every item of a stamp has been freed.
  ///
  /// - Parameter stamp: The epoch, read after the unlinking.
  /// - Returns: The stamp's only latch, created on first use.
  /// - Complexity: O(1).
  package mutating func latch(stamped stamp: UInt) -> Latch {
    let index = index(of: stamp)
    if let known = generations[index].latch { return known }
    let latch = Latch()
    generations[index].latch = latch
    return latch
  }

  /// Removes every item that no reader can hold any more, and the latches of these items' stamps.
  ///
  /// - Parameter epoch: The current epoch.
  /// - Returns: The items, oldest first, and the latches. The caller frees the items, then opens the
  ///   latches, without a lock held.
  /// - Complexity: O(*k*) in the number of items returned.
  package mutating func takeFree(at epoch: UInt) -> (items: [Item], latches: [Latch]) {
    var free: (items: [Item], latches: [Latch]) = ([], [])
    while let oldest = generations.last, epoch >= oldest.stamp &+ 2 {
      generations.removeLast()
      free.items = free.items.isEmpty ? oldest.items : free.items + oldest.items
      if let latch = oldest.latch { free.latches.append(latch) }
    }
    return free
  }

  /// Stops the program if the order or the number of stamps is wrong.
  ///
  /// - Parameter epoch: The current epoch, after a call of ``takeFree(at:)``.
  package func _checkInvariants(at epoch: UInt) {
    let stamps = generations.map { $0.stamp }
    assert(zip(stamps, stamps.dropFirst()).allSatisfy { $0 > $1 }, "the stamps are out of order")
    assert(stamps.allSatisfy { $0 <= epoch && epoch < $0 &+ 2 }, "a stamp is too old or too new")
    assert(
      generations.allSatisfy { !$0.items.isEmpty || $0.latch != nil },
      "nothing waits for a stamp"
    )
  }

  /// Returns the index of the generation with a stamp, which is created if there is none.
  private mutating func index(of stamp: UInt) -> Int {
    let index = generations.firstIndex { $0.stamp <= stamp } ?? generations.count
    if index == generations.count || generations[index].stamp != stamp {
      generations.insert((stamp, [], nil), at: index)
    }
    return index
  }
}

extension RetiredItems: Sendable where Item: Sendable {}
