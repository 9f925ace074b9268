/// The observers of one list that are restricted to the same sender.
final class SenderGroup:
  @unchecked Sendable  // Reason: the sender is only compared; the rest is locked.
{
  /// The sender, compared by identity with the sender of a post.
  ///
  /// A new object at the same address is a different sender.
  package weak let sender: AnyObject?
  /// The sender's address.
  let key: UInt
  /// The number of the registration that created the group; zero if the sender was in its `deinit`.
  let birth: UInt
  /// The sinks; guarded by the lock of the list.
  var slots = SlotBlock()
  /// The group of an earlier object at the same address, whose death has not been noticed; guarded by the lock.
  fileprivate var next: SenderGroup?

  /// Creates an empty group.
  ///
  /// - Parameters:
  ///   - sender: The sender, kept alive by the caller.
  ///   - birth: The number of the registration that creates the group.
  init(_ sender: AnyObject, birth: UInt) {
    self.sender = sender
    self.birth = self.sender == nil ? 0 : birth
    key = ObjectAddress.of(sender)
  }

  /// True if the sender has died.
  ///
  /// Do not read it under a lock: it loads the sender.
  var hasLostSender: Bool { sender == nil }
}

/// The sender groups of one list, found by the sender's address.
///
/// A plain value, guarded by the list's lock. A group leaves it with its last observer, and is then retired: posts may
/// still walk its observers.
struct Senders {
  private static let smallest = 32
  private var groups: [UInt: SenderGroup] = [:]

  var isEmpty: Bool { groups.isEmpty }

  /// The groups, in no order.
  var all: [SenderGroup] {
    var all: [SenderGroup] = []
    all.reserveCapacity(groups.count)
    for first in groups.values {
      var group: SenderGroup? = first
      while let next = group {
        all.append(next)
        group = next.next
      }
    }
    return all
  }

  /// Returns the group of the sender at an address, which the caller keeps alive; `nil` for zero.
  func group(at key: UInt) -> SenderGroup? {
    // Loads the sender that the caller keeps alive, or nothing: never the last reference.
    group(at: key) { ObjectAddress.of($0.sender) == key }
  }

  /// Returns the group for the sender of an event that has waited; the sender is not loaded.
  func group(ofWaiting sender: SenderIdentity) -> SenderGroup? {
    group(at: sender.key) { sender.isNamed(by: $0) }
  }

  private func group(at key: UInt, where isMeant: (SenderGroup) -> Bool) -> SenderGroup? {
    var group = groups[key]
    while let other = group, !isMeant(other) { group = other.next }
    return group
  }

  /// Adds a group.
  mutating func insert(_ group: SenderGroup) {
    group.next = groups.updateValue(group, forKey: group.key)
  }

  /// Removes a group.
  ///
  /// - Parameters:
  ///   - group: The group, without sinks.
  ///   - unlinked: Receives the group and its block.
  /// - Complexity: Amortized O(1).
  mutating func remove(_ group: SenderGroup, _ unlinked: inout UnlinkedItems) {
    unlinked.append(object: ObjectAddress.retained(group))
    group.slots.removeBlock(&unlinked)
    let rest = group.next.take()
    if groups[group.key] === group {
      groups[group.key] = rest
    } else {
      var other = groups[group.key]
      while let next = other?.next, next !== group { other = next }
      other?.next = rest
    }
    // A dictionary keeps its memory; a copy without it follows as many removals as it takes steps.
    if isTooLarge { groups = Dictionary(uniqueKeysWithValues: groups.map { ($0.key, $0.value) }) }
  }

  private var isTooLarge: Bool { groups.capacity > max(Self.smallest, 8 * groups.count) }

  /// Stops the program if a group is empty or cannot be found, or if too much memory is kept.
  func _checkInvariants() {
    assert(!isTooLarge, "too much capacity for so few senders")
    for group in all {
      assert(self.group(at: group.key) { $0 === group } === group, "a group cannot be found")
      assert(group.slots.live > 0, "a group without observers")
      group.slots._checkInvariants()
    }
  }
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
  init(_ sender: AnyObject, group: SenderGroup?, newest: UInt) {
    id = ObjectIdentifier(sender)
    keepsAddress = ObjectAddress.isCountedBySwift(sender)
    memory = keepsAddress ? sender : nil
    self.group = group
    self.newest = newest
  }

  /// The sender's address, the key of its group in a list.
  var key: UInt { UInt(bitPattern: id) }

  /// Returns whether an object, kept alive by the caller, is the sender.
  func isSender(_ object: AnyObject) -> Bool {
    // Loads the object that the caller keeps alive, or nothing: never the last reference.
    id == ObjectIdentifier(object) && (keepsAddress || group?.sender === object)
  }

  /// Returns whether a group with the same key belongs to the sender, before or after the event was sent.
  ///
  /// Loads nothing. While the address is reserved, no other object can have created a group for it.
  func isNamed(by group: SenderGroup) -> Bool {
    group === self.group || keepsAddress && group.birth > newest
  }
}
