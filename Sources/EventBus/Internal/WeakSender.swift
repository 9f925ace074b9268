/// The sender of an event on its way, not kept.
package struct WeakSender: @unchecked Sendable {  // Reason: the sender is only compared.
  /// The sender, while it lives.
  package weak let object: AnyObject?

  /// Refers to a sender; to nothing when it is in its `deinit`.
  package init(_ object: AnyObject?) { self.object = object }
}
