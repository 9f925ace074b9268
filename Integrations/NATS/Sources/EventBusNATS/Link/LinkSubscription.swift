/// A subscription, which collects messages until they are taken.
package protocol LinkSubscription: AnyObject, Sendable {
  /// Takes the messages that have arrived, the oldest first, and the number of those dropped since the last call.
  func take(_ most: Int) -> (messages: [LinkMessage], dropped: Int)
  /// Waits until the server has the subscription.
  ///
  /// - Parameter limit: The longest wait.
  /// - Throws: `notAuthorized` if the server has denied it; otherwise as ``Link/flush(within:)``.
  func confirm(within limit: Duration) async throws(LinkFailure)
  /// Ends the subscription; messages that arrived can still be taken.
  func cancel()
  /// Ends the subscription, and waits until the messages on their way have arrived.
  ///
  /// - Parameter limit: The longest wait; messages that arrive later are lost.
  func drain(within limit: Duration) async
}
