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

  /// Its place among the groups of the list, guarded by the lock of the list.
  package var index = 0

  /// Creates an empty group.
  package init(_ sender: AnyObject) {
    self.sender = sender
    key = ObjectAddress.of(sender)
  }

  /// Whether its sender has died.
  ///
  /// Never asked under a lock: the answer loads the sender.
  package var hasLostSender: Bool { sender == nil }
}
