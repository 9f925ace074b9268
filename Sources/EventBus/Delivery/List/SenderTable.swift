internal import Synchronization

/// The sender groups of one list, found by the sender's address without a lock.
///
/// A hash table with linear probing, in one block of pairs of key and group. A new group takes the first
/// free pair; a removed one leaves its key behind until the table is rebuilt. Announced readers may
/// therefore continue while the table changes. At most half the pairs are in use, so a lookup is O(1).
///
/// Members that change the table are called with the list's lock held, and return what they unlinked.
struct SenderTable: ~Copyable, Sendable {
  private static let smallest = 8

  /// The address of the block, or zero.
  private let block = Atomic<UInt>(0)
  /// The number of keys, including those of removed groups; guarded by the lock.
  private let keyCount = Atomic<Int>(0)
  /// The number of groups, each of which the table retains; guarded by the lock.
  private let groupCount = Atomic<Int>(0)

  /// Calls a closure with each group, in no order.
  ///
  /// For announced readers, or with the lock held.
  func forEach(_ body: (SenderGroup) -> Void) {
    guard let table else { return }
    for pair in 0..<table.count / 2 { _ = ObjectAddress.borrow(table[2 * pair + 1], body) }
  }

  /// Calls a closure with the group of a sender, which is not retained.
  ///
  /// For announced readers, or with the lock held. The caller keeps the sender alive.
  ///
  /// - Returns: The closure's result; `nil` if the sender has no group, or is `nil` itself.
  func withGroup<Result>(of sender: AnyObject?, _ body: (SenderGroup) -> Result) -> Result? {
    // Addresses, since binding the optional would retain the sender at each post.
    let key = ObjectAddress.of(sender)
    if key == 0 { return nil }
    // Loads the sender that the caller keeps alive, or nothing: never the last reference.
    return ObjectAddress.borrow(address(at: key) { ObjectAddress.of($0.sender) == key }, body)
  }

  /// Returns the group of a sender.
  ///
  /// For announced readers, or with the lock held. The caller keeps the sender alive.
  func group(of sender: AnyObject) -> SenderGroup? { withGroup(of: sender) { $0 } }

  /// Returns the group for the sender of an event that has waited.
  ///
  /// For announced readers. The sender is not loaded.
  func group(ofWaiting sender: SenderIdentity) -> SenderGroup? {
    ObjectAddress.object(address(at: sender.key) { sender.isNamed(by: $0) }, as: SenderGroup.self)
  }

  /// Returns the address of the group with a key that meets a condition, or zero.
  @inline(__always)
  private func address(at key: UInt, where isMeant: (SenderGroup) -> Bool) -> UInt {
    guard let table else { return 0 }
    var pair = Self.start(key, table)
    while table[2 * pair] != 0 {
      let address = table[2 * pair + 1]
      if table[2 * pair] == key, ObjectAddress.borrow(address, isMeant) ?? false { return address }
      pair = Self.next(pair, table)
    }
    return 0
  }

  /// Adds a group.
  borrowing func insert(_ group: SenderGroup) -> UnlinkedItems {
    var unlinked = UnlinkedItems()
    let (keys, groups) = counts
    if 2 * (keys + 1) > pairCount { rebuild(for: groups + 1, &unlinked) }
    groupCount.store(groups + 1, ordering: .relaxed)
    if let table { store(ObjectAddress.retained(group), group.key, in: table) }
    return unlinked
  }

  /// Removes a group without observers.
  borrowing func remove(_ group: SenderGroup) -> UnlinkedItems {
    var unlinked = UnlinkedItems()
    guard let table else { return unlinked }
    let address = ObjectAddress.of(group)
    var pair = Self.start(group.key, table)
    while table[2 * pair] != 0, table[2 * pair + 1] != address { pair = Self.next(pair, table) }
    guard table[2 * pair + 1] == address else { return unlinked }
    table.store(0, at: 2 * pair + 1)
    unlinked.append(object: address)
    let groups = counts.groups - 1
    groupCount.store(groups, ordering: .relaxed)
    // Returns the memory of many senders; a rebuild follows as many removals as it takes steps.
    if pairCount > max(Self.smallest, 16 * groups) { rebuild(for: groups, &unlinked) }
    return unlinked
  }

  /// Removes all groups.
  borrowing func removeAll() -> UnlinkedItems {
    var unlinked = UnlinkedItems()
    forEach { unlinked.append(object: ObjectAddress.of($0)) }
    replaceTable(by: nil, &unlinked)
    groupCount.store(0, ordering: .relaxed)
    return unlinked
  }

  /// Stops the program if a group cannot be found, a count is wrong or the table is too full or too large.
  ///
  /// Called with the lock held.
  func _checkInvariants() {
    var (keys, groups) = (0, 0)
    for pair in 0..<pairCount {
      guard let table, table[2 * pair] != 0 else { continue }
      keys += 1
      ObjectAddress.borrow(table[2 * pair + 1]) { (group: SenderGroup) in
        groups += 1
        assert(group.key == table[2 * pair], "a group has another key")
        let found = self.address(at: group.key) { $0 === group }
        assert(found == ObjectAddress.of(group), "a group cannot be found")
        assert(group.observers.live.load(ordering: .relaxed) > 0, "a group without observers")
        group.observers._checkInvariants()
      }
    }
    assert(counts == (keys, groups), "a count is wrong")
    assert(2 * keys <= pairCount, "the table is too full")
    assert(pairCount <= max(Self.smallest, 16 * groups), "the table is too large")
  }

  private var table: AtomicWords? {
    AtomicWords(address: block.load(ordering: .sequentiallyConsistent))
  }

  private var pairCount: Int { (table?.count ?? 0) / 2 }

  private var counts: (keys: Int, groups: Int) {
    (keyCount.load(ordering: .relaxed), groupCount.load(ordering: .relaxed))
  }

  private func rebuild(for groups: Int, _ unlinked: inout UnlinkedItems) {
    var pairs = Self.smallest
    while pairs < 4 * groups { pairs *= 2 }
    replaceTable(by: AtomicWords(zeroes: 2 * pairs), &unlinked)
  }

  /// Publishes a table with the remaining groups, or no table.
  private func replaceTable(by new: AtomicWords?, _ unlinked: inout UnlinkedItems) {
    keyCount.store(0, ordering: .relaxed)
    if let new { forEach { store(ObjectAddress.of($0), $0.key, in: new) } }
    let old = block.exchange(new?.address ?? 0, ordering: .sequentiallyConsistent)
    if let old = AtomicWords(address: old) { unlinked.append(old) }
  }

  private func store(_ group: UInt, _ key: UInt, in table: AtomicWords) {
    var pair = Self.start(key, table)
    while table[2 * pair] != 0 { pair = Self.next(pair, table) }
    // The group first: a reader that sees the key sees the group.
    table.store(group, at: 2 * pair + 1)
    table.store(key, at: 2 * pair)
    keyCount.store(counts.keys + 1, ordering: .relaxed)
  }

  /// Returns the pair at which probing for a key begins.
  ///
  /// Addresses are multiples of 16, except for Objective-C's tagged pointers; the product spreads them.
  private static func start(_ key: UInt, _ table: AtomicWords) -> Int {
    Int((spread(key) >> 32) & UInt64(table.count / 2 - 1))
  }

  private static func next(_ pair: Int, _ table: AtomicWords) -> Int {
    (pair + 1) & (table.count / 2 - 1)
  }
}
