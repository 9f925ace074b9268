/// A durable message that the server has not stored yet.
struct Letter: Sendable {
  /// Makes the message, given its serial; called once, before it is sent for the first time.
  let message: @Sendable (_ serial: UInt64) throws(NATSError) -> OutgoingMessage
  /// Called once with the outcome.
  let completion: @Sendable (Result<Receipt, NATSError>) -> Void
  /// The message, after it was made.
  private(set) var made: OutgoingMessage?

  init(
    message: @escaping @Sendable (_ serial: UInt64) throws(NATSError) -> OutgoingMessage,
    completion: @escaping @Sendable (Result<Receipt, NATSError>) -> Void
  ) {
    (self.message, self.completion) = (message, completion)
  }

  /// The letter with its message, without the closure that has made it.
  func with(_ message: OutgoingMessage) -> Letter {
    var letter = Letter(message: { _ in message }, completion: completion)
    letter.made = message
    return letter
  }

  /// The bytes of the payload, after the message was made.
  var size: Int { made?.payload.count ?? 0 }
}
