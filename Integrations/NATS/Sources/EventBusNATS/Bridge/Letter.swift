/// A durable message that the server has not stored yet.
struct Letter: Sendable {
  /// Makes the message, given its serial; called once, before it is sent for the first time.
  let message: @Sendable (_ serial: UInt64) throws(NATSError) -> OutgoingMessage
  /// Whether a task waits for the outcome, and learns that the server rejects the stream.
  let isAwaited: Bool
  /// Called once with the outcome.
  let completion: @Sendable (Result<EventBridge.Receipt, NATSError>) -> Void
  /// The message, after it was made.
  private(set) var made: OutgoingMessage?

  init(
    message: @escaping @Sendable (_ serial: UInt64) throws(NATSError) -> OutgoingMessage,
    isAwaited: Bool = false,
    completion: @escaping @Sendable (Result<EventBridge.Receipt, NATSError>) -> Void
  ) {
    (self.message, self.isAwaited, self.completion) = (message, isAwaited, completion)
  }

  /// The letter with its message, without the closure that has made it.
  func with(_ message: OutgoingMessage) -> Letter {
    var letter = Letter(message: { _ in message }, isAwaited: isAwaited, completion: completion)
    letter.made = message
    return letter
  }

  /// The letter with another identifier, as that of its message was taken.
  func withAnotherID() -> Letter {
    guard var message = made, let id = message.id else { return self }
    message.id = "\(id)-\(String(UInt64.random(in: 0 ... .max), radix: 36))"
    return with(message)
  }

  /// The bytes of the payload, after the message was made.
  var size: Int { made?.payload.count ?? 0 }
}
