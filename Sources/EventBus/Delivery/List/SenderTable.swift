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

/// The observers of one list that named the same sender.
package final class SenderGroup: @unchecked Sendable {  // Reason: list's lock.
  /// The sender, by whose identity posts are matched.
  ///
  /// A new object at the same address is another.
  package weak let sender: AnyObject?
  /// The sender's address, the key in the table.
  package let key: UInt
  /// What readers see of the observers.
  package let published = PublishedLanes()
  /// The observers, guarded by the lock of the list.
  package var lanes = ObserverLanes()

  /// The number of the registration that made the group; zero if the sender was in its `deinit`.
  package let birth: UInt

  /// Its place among the groups of the list, guarded by the lock of the list.
  package var index = 0

  /// Creates an empty group.
  ///
  /// - Parameters:
  ///   - sender: The sender, held by the caller.
  ///   - birth: The number of the registration that makes the group.
  package init(_ sender: AnyObject, birth: UInt) {
    self.sender = sender
    self.birth = self.sender == nil ? 0 : birth
    key = ObjectAddress.of(sender)
  }

  /// Whether its sender has died.
  ///
  /// Never asked under a lock: the answer loads the sender.
  package var hasLostSender: Bool { sender == nil }
}

/// The sender of an event that is delivered later: its identity, with neither a strong nor a weak
/// reference.
///
/// An address alone is not enough, since a new object may have it. An unowned reference, which is never
/// read, keeps the memory of a sender that has died from being used again, so that its address means this
/// sender for as long as the event waits. It needs no side table, never owns the sender, and can be formed
/// in the sender's `deinit`.
///
/// None is formed of an Objective-C object: there it is a weak reference underneath, and forming that in
/// `dealloc` aborts the process. Such a sender is known to the observers that had named it before.
package final class SenderIdentity: @unchecked Sendable {  // Reason: the sender is only compared.
  /// The sender's identity.
  package let id: ObjectIdentifier
  /// Keeps the address; never read, which would trap once the sender has died.
  private unowned let memory: AnyObject?
  private let keepsAddress: Bool
  /// The observers that had named the sender.
  private let group: SenderGroup?
  /// The newest registration when the event was sent.
  private let newest: UInt

  /// Takes note of a sender, held by the caller.
  ///
  /// - Parameters:
  ///   - sender: The sender, which may be in its `deinit`.
  ///   - group: The observers that have named it.
  ///   - newest: The number of the newest registration.
  package init(_ sender: AnyObject, group: SenderGroup?, newest: UInt) {
    id = ObjectIdentifier(sender)
    keepsAddress = ObjectAddress.isCountedBySwift(sender)
    memory = keepsAddress ? sender : nil
    self.group = group
    self.newest = newest
  }

  /// The key of the sender's group in the table of a list.
  package var key: UInt { UInt(bitPattern: id) }

  /// Whether an object, held by the caller, is the sender.
  package func isSender(_ object: AnyObject) -> Bool {
    // Loads the object that the caller holds, or nothing: never the last reference.
    id == ObjectIdentifier(object) && (keepsAddress || group?.sender === object)
  }

  /// Whether a group of the same key has named the sender: before the event was sent, or since.
  ///
  /// Loads nothing. While the address is kept, no other object can have been named by it.
  package func isNamed(by group: SenderGroup) -> Bool {
    group === self.group || keepsAddress && group.birth > newest
  }
}
