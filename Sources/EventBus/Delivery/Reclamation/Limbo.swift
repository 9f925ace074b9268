/// What was unlinked and may still be in somebody's hands, oldest first.
///
/// A plain value: it decides what may be freed and frees nothing. The stamps never decrease from one item
/// to the next: they are read where the epoch moves on, under one lock.
package struct Limbo<Item> {
  fileprivate struct Entry {
    let item: Item
    let stamp: UInt
  }

  private var entries: [Entry] = []
  private var head = 0

  /// Creates an empty limbo.
  package init() {}

  /// Whether nothing waits.
  package var isEmpty: Bool { head == entries.count }

  /// How many items wait.
  package var count: Int { entries.count - head }

  /// Adds an item that was unlinked.
  ///
  /// - Parameters:
  ///   - item: What to free later.
  ///   - stamp: The epoch, read after the unlinking; no older than that of the item before.
  /// - Complexity: Amortized O(1).
  package mutating func append(_ item: Item, stamped stamp: UInt) {
    entries.append(Entry(item: item, stamp: stamp))
  }

  /// Takes out everything that nobody can hold any more.
  ///
  /// - Parameter epoch: The epoch now.
  /// - Returns: The items, oldest first, for the caller to free outside its lock.
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

/// Something unlinked that is owed its end: an object to release, or a slot block to free.
package struct Retired: Sendable {
  /// The address; the lowest bit says that it is a block's.
  private let word: UInt

  /// An object whose reference, begun with `ObjectAddress.retained`, is to be released.
  package init(object address: UInt) { word = address }

  /// A slot block that is to be freed.
  package init(_ block: SlotBlock) { word = block.address | 1 }

  /// Releases the object, which may run code of anybody, or frees the block.
  ///
  /// Called once, under no lock.
  package func free() {
    if word & 1 == 1 {
      SlotBlock(address: word & ~1)?.deallocate()
    } else {
      ObjectAddress.release(word)
    }
  }
}

/// What one change to an observer list unlinked: usually one or two things, without an allocation.
package struct Retirees: Sendable {
  private var first: Retired?
  private var second: Retired?
  private var others: [Retired] = []

  /// Nothing.
  package init() {}

  /// Whether nothing was unlinked.
  package var isEmpty: Bool { first == nil }

  /// Adds one thing.
  package mutating func append(_ item: Retired) {
    if first == nil {
      first = item
    } else if second == nil {
      second = item
    } else {
      others.append(item)
    }
  }

  /// Adds all that another change unlinked.
  package mutating func append(contentsOf others: Retirees) { others.forEach { append($0) } }

  /// Calls a closure with each thing, in the order it was added.
  package func forEach(_ body: (Retired) -> Void) {
    if let first { body(first) }
    if let second { body(second) }
    for item in others { body(item) }
  }
}

/// What waits until the readers have left that were inside when something was unlinked.
///
/// A plain value: one latch for all fences of one stamp, so that it is as small however many wait, and
/// whether or not they are cancelled. Kept behind the lock of the ``Limbo`` that it accompanies.
package struct Fences: Sendable {
  private struct Fence: Sendable {
    let stamp: UInt
    let latch: Latch
  }

  private var fences: [Fence] = []

  /// Nothing waits.
  package init() {}

  /// Whether nothing waits.
  package var isEmpty: Bool { fences.isEmpty }

  /// How many latches there are: after ``takeFree(at:)`` at most two, one for each stamp that still waits.
  package var count: Int { fences.count }

  /// The latch that is opened when everything of a stamp has been freed.
  ///
  /// - Parameter stamp: The epoch, read after the unlinking.
  /// - Returns: The one latch of the stamp, made if there is none.
  /// - Complexity: O(1): there are at most three.
  package mutating func latch(stamped stamp: UInt) -> Latch {
    if let known = fences.first(where: { $0.stamp == stamp }) { return known.latch }
    let latch = Latch()
    fences.append(Fence(stamp: stamp, latch: latch))
    return latch
  }

  /// Takes out the latches of what no reader can hold any more.
  ///
  /// - Parameter epoch: The epoch now.
  /// - Returns: The latches, for the caller to open outside its lock.
  package mutating func takeFree(at epoch: UInt) -> [Latch] {
    if fences.isEmpty { return [] }
    let free = fences.filter { Epochs.mayFree(stamped: $0.stamp, at: epoch) }
    if !free.isEmpty { fences.removeAll { Epochs.mayFree(stamped: $0.stamp, at: epoch) } }
    return free.map(\.latch)
  }
}
