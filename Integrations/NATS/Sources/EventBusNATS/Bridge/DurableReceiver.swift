/// The rule for the durable messages of one event: the action for each, and the answer.
package struct DurableReceiver: Sendable {
  /// The identity of an event, the same for each of its deliveries: its place in the stream and the time of storage.
  ///
  /// Nothing in it comes from the publisher, as any other publisher could write the same. The time distinguishes a
  /// stream from a deleted one of the same name.
  package struct Key: Sendable, Hashable {
    package let stream: String
    package let sequence: UInt64
    package let time: UInt64

    /// Creates the identity of the message of a delivery.
    package init(_ delivery: DeliverySubject) {
      (stream, sequence, time) = (delivery.stream, delivery.sequence, delivery.time)
    }
  }

  /// The action for a delivery.
  package enum Action: Sendable, Equatable {
    /// Call the handlers.
    case handle
    /// Wait: the handlers are running, and the answer goes to the newest delivery.
    case wait
    /// Answer that the event was handled before.
    case acknowledge
  }

  /// The action after the handlers of an event have failed.
  package enum Consequence: Sendable, Equatable {
    /// Ask for the event again, after a pause.
    case again(after: Duration)
    /// Publish the event as a dead letter, then end its deliveries.
    case bury
  }

  private var inHand: [Key: Int] = [:]
  private var finished: Set<Key> = []
  private var finishedOrder: BoundedBuffer<Key>
  private var failures: [Key: Int] = [:]
  private let retry: EventBridge.RetryPolicy

  /// Creates the rule.
  ///
  /// - Parameters:
  ///   - retry: The number of attempts, and the pauses.
  ///   - remembered: The number of finished events to remember.
  package init(retry: EventBridge.RetryPolicy, remembered: Int = 10_000) {
    self.retry = retry
    finishedOrder = BoundedBuffer(limit: remembered)
  }

  /// The number of events whose handlers are running or wait to run.
  package var inHandCount: Int { inHand.count }

  /// Notes a delivery.
  package mutating func received(_ key: Key, deliveries: Int) -> Action {
    if finished.contains(key) { return .acknowledge }
    if inHand.updateValue(deliveries, forKey: key) != nil { return .wait }
    return .handle
  }

  /// Forgets a delivery that is returned before a call of its handlers.
  mutating func postpone(_ key: Key) { inHand[key] = nil }

  /// Whether handlers have failed on an event that the server delivers again.
  func hasFailed(_ key: Key) -> Bool { failures[key] != nil }

  /// Notes that every handler has finished.
  package mutating func succeeded(_ key: Key) {
    inHand[key] = nil
    failures[key] = nil
    guard finished.insert(key).inserted else { return }
    if let forgotten = finishedOrder.append(key) { finished.remove(forgotten) }
  }

  /// Notes that a handler has failed.
  package mutating func failed(_ key: Key) -> Consequence {
    let deliveries = inHand.removeValue(forKey: key) ?? 1
    let count = failures[key, default: 0] + 1
    if count >= retry.attempts || deliveries >= retry.deliveries {
      failures[key] = nil
      return .bury
    }
    if failures.count >= finishedOrder.limit { failures.removeAll() }
    failures[key] = count
    return .again(after: retry.pause(after: max(count, min(deliveries, retry.attempts))))
  }
}
