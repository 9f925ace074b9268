/// The observers of one list that are restricted to the same sender.
final class SenderGroup: @unchecked Sendable {  // Reason: the sender is only compared.
  /// The sender, compared by identity with the sender of a post.
  ///
  /// A new object at the same address is a different sender.
  package weak let sender: AnyObject?
  /// The sender's address, the key in the table.
  let key: UInt
  /// The number of the registration that created the group; zero if the sender was in its `deinit`.
  let birth: UInt
  /// The observers, changed with the lock of the list held.
  let observers = PriorityLists()

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

  /// A Boolean value that indicates whether the sender has died.
  ///
  /// Do not read it under a lock: it loads the sender.
  var hasLostSender: Bool { sender == nil }
}
