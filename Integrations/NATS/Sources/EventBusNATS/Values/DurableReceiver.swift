/// The rule for the durable messages of one event: what to do with each, and what to answer.
package struct DurableReceiver: Sendable {
  /// The identity of an event, the same for each of its deliveries: where the server has stored it, and when.
  ///
  /// Nothing that the publisher writes is part of it, as any other publisher could write the same. The time tells
  /// a stream from one of the same name that was deleted before.
  package struct Key: Sendable, Hashable {
    package let stream: String
    package let sequence: UInt64
    package let time: UInt64

    /// Creates the identity of the message of a delivery.
    package init(_ delivery: DeliverySubject) {
      (stream, sequence, time) = (delivery.stream, delivery.sequence, delivery.time)
    }
  }

  /// What to do with a delivery.
  package enum Action: Sendable, Equatable {
    /// Call the handlers.
    case handle
    /// Nothing: the handlers are running, and the answer goes to the newest delivery.
    case wait
    /// Answer that the event was handled before.
    case acknowledge
  }

  /// What to do after the handlers of an event have failed.
  package enum Consequence: Sendable, Equatable {
    /// Ask for the event again, after a pause.
    case again(after: Duration)
    /// Publish it as a dead letter, then end its deliveries.
    case bury
  }

  private var inHand: [Key: Int] = [:]
  private var finished: Set<Key> = []
  private var finishedOrder: BoundedBuffer<Key>
  private var failures: [Key: Int] = [:]
  private let retry: RetryPolicy

  /// Creates the rule.
  ///
  /// - Parameters:
  ///   - retry: How often an event is tried, and the pauses.
  ///   - remembered: How many finished events are remembered.
  package init(retry: RetryPolicy, remembered: Int = 10_000) {
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

  /// Forgets a delivery that is given back before its handlers were called.
  package mutating func postpone(_ key: Key) { inHand[key] = nil }

  /// Whether handlers have failed on an event, which comes again.
  package func hasFailed(_ key: Key) -> Bool { failures[key] != nil }

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

/// How often the handlers of a durable event are tried, and the pauses between.
public struct RetryPolicy: Sendable, Equatable {
  /// How often one process calls the handlers of an event that keeps failing, before it becomes a dead letter.
  public var attempts: Int
  /// How often the server delivers an event to any process, before a failure makes it a dead letter: more than
  /// ``attempts``, as the death of a process is no failure of its handlers.
  public var deliveries: Int
  /// The pause after the first failure; each later one is twice as long.
  public var firstPause: Duration
  /// The longest pause.
  public var longestPause: Duration

  /// Creates a policy.
  ///
  /// - Parameters:
  ///   - attempts: The calls of the handlers in one process; at least one.
  ///   - deliveries: The deliveries to any process; at least `attempts`.
  ///   - firstPause: The pause after the first failure.
  ///   - longestPause: The longest pause.
  public init(
    attempts: Int = 5,
    deliveries: Int = 50,
    firstPause: Duration = .milliseconds(100),
    longestPause: Duration = .seconds(30)
  ) {
    self.attempts = max(1, attempts)
    self.deliveries = max(self.attempts, deliveries)
    self.firstPause = firstPause
    self.longestPause = longestPause
  }

  /// The pause after a number of failures.
  package func pause(after failures: Int) -> Duration {
    min(longestPause, firstPause * (1 << max(0, min(failures - 1, 20))))
  }
}
