package import EventBus

/// The connection as a bridge uses it: the client of the server implements it, and a script in tests.
///
/// ## Thread safety
///
/// Every member may be called on any thread. `wake` closures run on a thread of the link, with no lock held; they
/// must not call the link.
package protocol Link: AnyObject, Sendable {
  /// Whether messages can be sent now.
  var isConnected: Bool { get }
  /// Whether the connection was closed for good.
  var isClosed: Bool { get }
  /// The words with which the server refused the credentials last, while there is no connection for this reason.
  var refusedCredentials: String? { get }
  /// What is waited for, in words, if there was no connection yet, as no server is there.
  var awaitedServer: String? { get }
  /// The prefix of subjects for answers to this link.
  var inbox: String { get }
  /// Hands a message to the connection.
  func send(_ message: OutgoingMessage) throws(LinkFailure)
  /// Subscribes to a subject.
  ///
  /// - Parameters:
  ///   - subject: The subject, which may end in a wildcard.
  ///   - group: The group of which one member receives each message; `nil` for none.
  ///   - limit: The largest number of waiting messages; the oldest drop.
  ///   - sizeLimit: The largest sum of the bytes of waiting payloads; the oldest drop.
  ///   - readsFields: Whether messages have all their headers, not only that of the bridge.
  ///   - wake: Called when there are messages to take, once until they are taken.
  /// - Returns: The subscription.
  /// - Throws: The failure of the client.
  func subscribe(
    _ subject: String,
    group: String?,
    limit: Int,
    sizeLimit: Int,
    readsFields: Bool,
    wake: @escaping @Sendable () -> Void
  ) throws(LinkFailure) -> any LinkSubscription
  /// Calls a closure whenever the connection breaks, is made again, or was closed.
  func onChange(_ body: @escaping @Sendable (_ isConnected: Bool) -> Void) -> Token
  /// Calls a closure with each refusal by the server, on a queue of the link.
  func onRefusal(_ body: @escaping @Sendable (LinkRefusal) -> Void) -> Token
  /// Waits until the server has received all sent messages.
  func flush(within limit: Duration) async throws(LinkFailure)
  /// Makes sure that a stream exists and stores subjects.
  ///
  /// - Parameters:
  ///   - stream: The stream.
  ///   - subjects: The subjects.
  ///   - replicas: The number of servers that store a new stream.
  ///   - limits: The limits of a new stream.
  ///   - limit: The longest wait.
  /// - Throws: The failure of the client; `disconnected` when the time is over.
  func prepareStream(
    _ stream: String,
    subjects: [String],
    replicas: Int,
    limits: StreamLimits,
    within limit: Duration
  ) async throws(LinkFailure)
  /// Whether a stream exists.
  ///
  /// - Parameters:
  ///   - stream: The stream.
  ///   - limit: The longest wait.
  /// - Returns: Whether it exists; by default, `true`.
  /// - Throws: The failure of the client.
  func hasStream(_ stream: String, within limit: Duration) async throws(LinkFailure) -> Bool
  /// Makes sure that a consumer exists.
  ///
  /// - Parameters:
  ///   - request: The consumer.
  ///   - limit: The longest wait.
  /// - Returns: The consumer.
  /// - Throws: The failure of the client; `invalid` if the consumer has events of another subject.
  func prepareConsumer(
    _ request: ConsumerRequest,
    within limit: Duration
  ) async throws(LinkFailure) -> Consumer
  /// The last stored messages of a subject.
  ///
  /// - Parameters:
  ///   - stream: The stream.
  ///   - subject: The subject.
  ///   - last: The number of the last message to look at.
  ///   - count: The largest number of messages.
  ///   - limit: The longest wait.
  /// - Returns: The messages, the oldest first.
  /// - Throws: The failure of the client; `disconnected` when the time is over.
  func recent(
    _ stream: String,
    subject: String,
    upTo last: UInt64,
    count: Int,
    within limit: Duration
  ) async throws(LinkFailure) -> [LinkMessage]
}

extension Link {
  package var refusedCredentials: String? { nil }

  package var awaitedServer: String? { nil }

  package func hasStream(
    _ stream: String,
    within limit: Duration
  ) async throws(LinkFailure) -> Bool { true }

  /// Subscribes to a subject, for messages of bridges.
  package func subscribe(
    _ subject: String,
    group: String?,
    limit: Int,
    sizeLimit: Int = .max,
    wake: @escaping @Sendable () -> Void
  ) throws(LinkFailure) -> any LinkSubscription {
    try subscribe(
      subject,
      group: group,
      limit: limit,
      sizeLimit: sizeLimit,
      readsFields: false,
      wake: wake
    )
  }
}
