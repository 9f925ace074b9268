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
