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
