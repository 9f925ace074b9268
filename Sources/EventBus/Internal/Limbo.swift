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
