internal import Synchronization

/// The sender groups of one list, found by the sender's address without a lock.
///
/// A hash table with linear probing, in one block of pairs of key and group. A new group takes the first
/// free pair; a removed one leaves its key behind until the table is rebuilt. Readers may therefore
/// continue while the table changes. At most half the pairs are in use, so a lookup is O(1).
struct SenderTable: Sendable {
  private static let smallest = 8
  private var groups: [SenderGroup] = []
  private var used = 0

  /// The groups, in no order.
  var all: [SenderGroup] { groups }

  /// Returns whether adding one more group makes the table grow.
  private func isFull(_ published: borrowing Atomic<UInt>) -> Bool {
    let pairs = (SlotBlock(address: published.load(ordering: .relaxed))?.count ?? 0) / 2
    return 2 * (used + 1) > pairs
  }

  /// Returns the group of a sender.
  ///
  /// Called with the list's lock held, or by an announced reader. The caller keeps the sender alive.
  static func lookup(
    _ sender: AnyObject,
    in published: borrowing Atomic<UInt>
  ) -> SenderGroup? {
    // Loads the sender that the caller keeps alive, or nothing: never the last reference.
    lookup(ObjectAddress.of(sender), in: published) { $0.sender === sender }
  }

  /// Returns the group for the sender of an event that has waited.
  ///
  /// Called by an announced reader. The sender is not loaded.
  static func lookup(
    _ sender: SenderIdentity,
    in published: borrowing Atomic<UInt>
  ) -> SenderGroup? {
    lookup(sender.key, in: published) { sender.isNamed(by: $0) }
  }

  private static func lookup(
    _ key: UInt,
    in published: borrowing Atomic<UInt>,
    where isMeant: (SenderGroup) -> Bool
  ) -> SenderGroup? {
    guard let table = SlotBlock(address: published.load(ordering: .sequentiallyConsistent))
    else { return nil }
    var place = start(key, table)
    while true {
      let known = table[2 * place]
      if known == 0 { return nil }
      if known == key {
        let group = ObjectAddress.borrow(table[2 * place + 1]) { (group: SenderGroup) in
          isMeant(group) ? group : nil
        }
        if let group = group ?? nil { return group }
      }
      place = (place + 1) & (table.count / 2 - 1)
    }
  }

  /// Adds a group.
  ///
  /// - Returns: The items that the change unlinked.
  mutating func insert(
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

  /// Removes a group without observers.
  ///
  /// - Returns: The group and any unlinked table, to be retired.
  mutating func remove(
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
      // Returns the memory of many senders; a rebuild follows as many removals as it takes steps.
      if table.count / 2 > max(Self.smallest, 16 * groups.count) {
        rebuild(published, &retirees)
      }
    }
    retirees.append(Retired(object: ObjectAddress.retained(group)))
    return retirees
  }

  /// Removes all groups.
  mutating func removeAll(_ published: borrowing Atomic<UInt>) -> Retirees {
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

  /// Returns the index at which probing for a key begins.
  ///
  /// Addresses are multiples of 16; the product spreads them.
  private static func start(_ key: UInt, _ table: SlotBlock) -> Int {
    Int(((key &* 0x9E37_79B9_7F4A_7C15) >> 32) & UInt(table.count / 2 - 1))
  }
}

/// The observers of one list that are restricted to the same sender.
package final class SenderGroup: @unchecked Sendable {  // Reason: list's lock.
  /// The sender, compared by identity with the sender of a post.
  ///
  /// A new object at the same address is a different sender.
  package weak let sender: AnyObject?
  /// The sender's address, the key in the table.
  package let key: UInt
  /// The view of the observers for readers.
  package let published = PublishedLanes()
  /// The observers, guarded by the lock of the list.
  package var lanes = ObserverLanes()

  /// The number of the registration that created the group; zero if the sender was in its `deinit`.
  package let birth: UInt

  /// The index among the groups of the list, guarded by the lock of the list.
  package var index = 0

  /// Creates an empty group.
  ///
  /// - Parameters:
  ///   - sender: The sender, kept alive by the caller.
  ///   - birth: The number of the registration that creates the group.
  package init(_ sender: AnyObject, birth: UInt) {
    self.sender = sender
    self.birth = self.sender == nil ? 0 : birth
    key = ObjectAddress.of(sender)
  }

  /// A Boolean value that indicates whether the sender has died.
  ///
  /// Do not read it under a lock: it loads the sender.
  package var hasLostSender: Bool { sender == nil }
}

/// The identity of a sender whose event is delivered later.
///
/// It holds neither a strong nor a weak reference. An address alone is not enough, since a new object may
/// reuse it. An unowned reference, which is never read, prevents the memory of a dead sender from being
/// reused, so its address identifies this sender for as long as the event waits. It needs no side table,
/// never owns the sender, and can be formed in the sender's `deinit`.
///
/// Objective-C objects get no unowned reference: it would be a weak one underneath, and forming that in
/// `dealloc` aborts the process. Such a sender is identified by the group of observers that named it
/// before.
package final class SenderIdentity: @unchecked Sendable {  // Reason: the sender is only compared.
  /// The sender's identity.
  package let id: ObjectIdentifier
  /// Reserves the address; never read, since reading traps after the sender's death.
  private unowned let memory: AnyObject?
  private let keepsAddress: Bool
  /// The observers that had named the sender.
  private let group: SenderGroup?
  /// The newest registration when the event was sent.
  private let newest: UInt

  /// Records a sender, kept alive by the caller.
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

  /// Returns whether an object, kept alive by the caller, is the sender.
  package func isSender(_ object: AnyObject) -> Bool {
    // Loads the object that the caller keeps alive, or nothing: never the last reference.
    id == ObjectIdentifier(object) && (keepsAddress || group?.sender === object)
  }

  /// Returns whether a group with the same key belongs to the sender, before or after the event was sent.
  ///
  /// Loads nothing. While the address is reserved, no other object can have created a group for it.
  package func isNamed(by group: SenderGroup) -> Bool {
    group === self.group || keepsAddress && group.birth > newest
  }
}
