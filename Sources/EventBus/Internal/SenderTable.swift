package import Synchronization

/// The sender groups of one list, found by their sender's address without a lock.
///
/// A hash table with linear probing in one block of pairs, key and group. Groups are added at the first
/// free pair; one that is removed leaves its key behind, until the table is made anew. Readers may
/// therefore walk on while it changes. At most half the pairs are in use, so that a look-up takes O(1).
package struct SenderTable: Sendable {
  private static let smallest = 8
  private var groups: [SenderGroup] = []
  private var used = 0

  /// Creates an empty table.
  package init() {}

  /// The groups, in no order.
  package var all: [SenderGroup] { groups }

  /// Whether adding one more group makes the table grow.
  private func isFull(_ published: borrowing Atomic<UInt>) -> Bool {
    let pairs = (SlotBlock(address: published.load(ordering: .relaxed))?.count ?? 0) / 2
    return 2 * (used + 1) > pairs
  }

  /// The group of a sender.
  ///
  /// Called with the list's lock held or by an announced reader, who holds the sender.
  package static func find(
    _ sender: AnyObject,
    in published: borrowing Atomic<UInt>
  ) -> SenderGroup? {
    // Loads the sender the caller holds, or nothing: never the last reference.
    find(ObjectAddress.of(sender), in: published) { $0.sender === sender }
  }

  /// The group of the sender of an event that has waited.
  ///
  /// Called by an announced reader. The sender is not loaded.
  package static func find(
    _ sender: SenderIdentity,
    in published: borrowing Atomic<UInt>
  ) -> SenderGroup? {
    find(sender.key, in: published) { sender.isNamed(by: $0) }
  }

  private static func find(
    _ key: UInt,
    in published: borrowing Atomic<UInt>,
    where isMeant: (SenderGroup) -> Bool
  ) -> SenderGroup? {
    guard let table = SlotBlock(address: published.load(ordering: .sequentiallyConsistent))
    else { return nil }
    var found: SenderGroup?
    probe(table, key) { group in
      guard isMeant(group) else { return false }
      found = group
      return true
    }
    return found
  }

  /// Adds a group.
  ///
  /// - Returns: What the change unlinked.
  package mutating func insert(
    _ group: SenderGroup,
    _ published: borrowing Atomic<UInt>
  ) -> Retirees {
    var retirees = Retirees()
    let grows = isFull(published)
    group.index = groups.count
    groups.append(group)
    if grows {
      rebuild(published, &retirees)
    } else if let table = SlotBlock(address: published.load(ordering: .relaxed)) {
      Self.place(group, in: table)
      used += 1
    }
    return retirees
  }

  /// Removes a group whose last observer has left.
  ///
  /// - Returns: The group, to be retired.
  package mutating func remove(
    _ group: SenderGroup,
    _ published: borrowing Atomic<UInt>
  ) -> Retirees {
    var retirees = Retirees()
    let index = group.index
    guard index < groups.count, groups[index] === group else { return retirees }
    groups.swapAt(index, groups.count - 1)
    groups[index].index = index
    groups.removeLast()
    if let table = SlotBlock(address: published.load(ordering: .relaxed)) {
      var place = Self.start(group.key, table)
      while table[2 * place] != 0 {
        if table[2 * place + 1] == ObjectAddress.of(group) { table.replace(2 * place + 1, by: 0) }
        place = (place + 1) & (table.count / 2 - 1)
      }
      // What many senders took is given back; a rebuild follows as many removals as it takes steps.
      if table.count / 2 > max(Self.smallest, 16 * groups.count) {
        rebuild(published, &retirees)
      }
    }
    retirees.append(Retired(object: ObjectAddress.retained(group)))
    return retirees
  }

  /// Removes all groups.
  package mutating func removeAll(_ published: borrowing Atomic<UInt>) -> Retirees {
    var retirees = Retirees()
    for group in groups { retirees.append(Retired(object: ObjectAddress.retained(group))) }
    groups = []
    used = 0
    let old = published.exchange(0, ordering: .sequentiallyConsistent)
    if let old = SlotBlock(address: old) { retirees.append(Retired(old)) }
    return retirees
  }

  private mutating func rebuild(_ published: borrowing Atomic<UInt>, _ retirees: inout Retirees) {
    var pairs = Self.smallest
    while pairs < 4 * groups.count { pairs *= 2 }
    let table = SlotBlock(capacity: 2 * pairs)
    for _ in 0..<2 * pairs { _ = table.append(0) }
    for group in groups { Self.place(group, in: table) }
    used = groups.count
    let old = published.exchange(table.address, ordering: .sequentiallyConsistent)
    if let old = SlotBlock(address: old) { retirees.append(Retired(old)) }
  }

  private static func place(_ group: SenderGroup, in table: SlotBlock) {
    var place = start(group.key, table)
    while table[2 * place] != 0 { place = (place + 1) & (table.count / 2 - 1) }
    // The group first: a reader that sees the key sees the group.
    table.replace(2 * place + 1, by: ObjectAddress.of(group))
    table.replace(2 * place, by: group.key)
  }

  private static func probe(_ table: SlotBlock, _ key: UInt, _ visit: (SenderGroup) -> Bool) {
    var place = start(key, table)
    while true {
      let found = table[2 * place]
      if found == 0 { return }
      if found == key {
        let isDone = ObjectAddress.borrow(table[2 * place + 1]) { (group: SenderGroup) in
          visit(group)
        }
        if isDone == true { return }
      }
      place = (place + 1) & (table.count / 2 - 1)
    }
  }

  /// Where the probing for a key begins.
  ///
  /// Addresses are multiples of 16; the product spreads them.
  private static func start(_ key: UInt, _ table: SlotBlock) -> Int {
    Int(((key &* 0x9E37_79B9_7F4A_7C15) >> 32) & UInt(table.count / 2 - 1))
  }
}
