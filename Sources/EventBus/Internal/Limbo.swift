/// What was unlinked and may still be in somebody's hands, oldest first.
///
/// A plain value: it decides what may be freed and frees nothing. The stamps never decrease from one item
/// to the next.
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

  /// Adds an item that was unlinked, behind all others that are no younger.
  ///
  /// - Parameters:
  ///   - item: What to free later.
  ///   - stamp: The epoch, read after the unlinking.
  /// - Complexity: Amortized O(1) with the youngest stamp; O(*k*) in the number of younger items.
  package mutating func append(_ item: Item, stamped stamp: UInt) {
    var place = entries.count
    while place > head, entries[place - 1].stamp > stamp { place -= 1 }
    entries.insert(Entry(item: item, stamp: stamp), at: place)
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
