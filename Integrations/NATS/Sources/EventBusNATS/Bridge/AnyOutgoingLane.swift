/// The reason why nothing is sent any more.
enum CloseReason: Sendable {
  /// The carrying of the event was ended.
  case carrying
  /// The bridge was drained or released, with or without a connection.
  case bridge(isConnected: Bool)
  /// The connection was closed for good.
  case connection
  /// The stream can never be used.
  case stream(NATSError)

  /// The error of an event that was given up.
  func error(givingUp event: String) -> NATSError {
    let words: String
    switch self {
    case .carrying: words = "its carrying ended before the server had stored it"
    case .bridge(isConnected: true): words = "the bridge ended before the server had stored it"
    case .bridge(isConnected: false):
      words = "the bridge ended while there was no connection to the server"
    case .connection: words = "the connection was closed before the server had stored it"
    case .stream(let error): return error
    }
    return NATSError(.closed, "The event \(event) was given up, as \(words)")
  }

  /// The error of an event that is posted after that.
  func error(refusing event: String) -> NATSError {
    switch self {
    case .carrying: NATSError(.closed, "The event \(event) was not sent, as its carrying has ended")
    case .bridge: NATSError(.closed, BridgeCore.ended(event))
    case .connection:
      NATSError(.closed, "The event \(event) was not sent, as the connection was closed")
    case .stream(let error): error
    }
  }
}

/// Carries one event out of the process, whatever its payload.
class AnyOutgoingLane: @unchecked Sendable {  // Reason: subclasses lock.
  /// Sends the waiting events; on the queue of the bridge.
  func flush(_ core: BridgeCore) {}
  /// Notes that the connection was made again.
  func reconnected() {}
  /// A promise that ends when all events so far were sent, or are stored.
  func allSoFar() -> Promise<Void> { Promise() }
  /// Drops all events, and counts them.
  func close(_ reason: CloseReason) {}
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
