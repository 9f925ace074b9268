/// An event of a durable lane, from its delivery to the answer.
struct HeldEvent<Payload: Sendable>: Sendable {
  let key: DurableReceiver.Key
  /// The header of a bridge; `nil` for a message of another program.
  let header: WireHeader?
  let payload: Payload
  let fields: [String: String]
  /// The payload as it arrived, for a dead letter.
  let bytes: [UInt8]
}

/// The unanswered events of a durable lane: those that wait for their turn, and those whose handlers are running.
struct HeldEvents<Payload: Sendable>: Sendable {
  /// The action for a delivery.
  enum Step: Sendable {
    /// Nothing: the handlers are running, and the answer goes to the newest delivery.
    case wait
    /// Answer that the event was handled before.
    case acknowledge
    /// Return the event to the server for later.
    case postpone
    /// Call the handlers: the event waits for its turn.
    case handle
    /// Use the outcome of the post on this bus.
    case follow(LocalPost)
  }

  private var receiver: DurableReceiver
  private var waiting = BoundedBuffer<HeldEvent<Payload>>(limit: .max)
  /// The bytes of the payloads.
  private var size = 0
  private let sizeLimit: Int
  /// The subjects of the answers.
  private(set) var replies: [DurableReceiver.Key: String] = [:]

  init(retry: EventBridge.RetryPolicy, sizeLimit: Int) {
    receiver = DurableReceiver(retry: retry)
    self.sizeLimit = sizeLimit
  }

  /// Notes a delivery.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - deliveries: The number of its deliveries, this one included.
  ///   - reply: The subject of the answer.
  ///   - local: The post of the event on this bus, if it was posted here.
  ///   - isStopped: Whether the lane takes no events but those posted on this bus.
  /// - Returns: The action.
  mutating func receive(
    _ event: HeldEvent<Payload>,
    deliveries: Int,
    _ reply: String,
    _ local: LocalPost?,
    isStopped: Bool
  ) -> Step {
    switch receiver.received(event.key, deliveries: deliveries) {
    case .acknowledge: return .acknowledge
    case .wait:
      replies[event.key] = reply
      return .wait
    case .handle:
      // One event is handled whatever its size.
      let isTooMuch = size > 0 && size + event.bytes.count > sizeLimit
      let followed = receiver.hasFailed(event.key) ? nil : local
      if isTooMuch || isStopped && followed == nil {
        receiver.postpone(event.key)
        return .postpone
      }
      size += event.bytes.count
      replies[event.key] = reply
      if let followed { return .follow(followed) }
      enqueue(event)
      return .handle
    }
  }

  /// Adds an event to those that wait for their turn.
  mutating func enqueue(_ event: HeldEvent<Payload>) { _ = waiting.append(event) }

  /// Removes the next event from those that wait for their turn.
  mutating func next() -> HeldEvent<Payload>? { waiting.removeFirst() }

  /// Removes all events from those that wait for their turn.
  mutating func takeWaiting() -> [HeldEvent<Payload>] { waiting.take() }

  /// Notes that the lane returns an event to the server.
  ///
  /// - Returns: The subject of the answer.
  mutating func postpone(_ event: HeldEvent<Payload>) -> String? {
    receiver.postpone(event.key)
    return release(event)
  }

  /// Notes that every handler of an event has finished.
  ///
  /// - Returns: The subject of the answer.
  mutating func succeeded(_ event: HeldEvent<Payload>) -> String? {
    receiver.succeeded(event.key)
    return release(event)
  }

  /// Notes that a handler of an event has failed.
  ///
  /// - Returns: The next action, and the subject of the answer.
  mutating func failed(
    _ event: HeldEvent<Payload>
  ) -> (consequence: DurableReceiver.Consequence, reply: String?) {
    (receiver.failed(event.key), release(event))
  }

  private mutating func release(_ event: HeldEvent<Payload>) -> String? {
    size -= event.bytes.count
    return replies.removeValue(forKey: event.key)
  }
}
