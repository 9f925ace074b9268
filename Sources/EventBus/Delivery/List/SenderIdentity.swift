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

  /// The key of the sender's group in the table of a list.
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
