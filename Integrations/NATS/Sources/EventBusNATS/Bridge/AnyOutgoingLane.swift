/// Carries one event out of the process, whatever its payload.
class AnyOutgoingLane: @unchecked Sendable {  // Reason: subclasses lock.
  /// Sends the waiting events; on the queue of the bridge.
  func flush(_ core: BridgeCore) {}
  /// Notes that the connection was made again.
  func reconnected() {}
  /// A promise that ends when all events so far were sent, or are stored.
  func allSoFar() -> Promise<Void> { Promise() }
  /// Drops all events, and counts them.
  ///
  /// - Parameter error: The error for the posters of durable events; `nil` for one with the code `closed`.
  func close(_ error: NATSError?) {}
  /// The last sequence of an event.
  var lastSequence: UInt64 { 0 }
  /// The subject of the event.
  var subject: String { "" }
  /// Notes that the server has denied a message.
  func denied(_ denial: Denial, _ core: BridgeCore) {}
  /// The events that have not reached the server, and the bytes of their payloads.
  var waiting: (events: Int, bytes: Int) { (0, 0) }
  /// The sender of durable messages, which receives their answers.
  var sender: DurableSender? { nil }
}
