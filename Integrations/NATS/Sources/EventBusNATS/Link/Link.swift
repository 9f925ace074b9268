package import EventBus

/// A message that arrived.
package struct LinkMessage: Sendable {
  /// The subject of the message.
  package var subject: String
  /// The subject for an answer.
  package var reply: String?
  /// The value of the bridge's header.
  package var header: [UInt8]?
  /// All headers, with names in lowercase, if the subscription reads them.
  package var fields: [String: String]
  /// The payload.
  package var payload: [UInt8]
  /// Whether this is the server's answer that nothing listens to the subject of a request.
  package var hasNoResponders: Bool

  /// Creates a message.
  package init(
    subject: String,
    reply: String? = nil,
    header: [UInt8]? = nil,
    fields: [String: String] = [:],
    payload: [UInt8] = [],
    hasNoResponders: Bool = false
  ) {
    self.fields = fields
    self.subject = subject
    self.reply = reply
    self.header = header
    self.payload = payload
    self.hasNoResponders = hasNoResponders
  }
}

/// A message to send.
package struct OutgoingMessage: Sendable {
  /// The subject of the message.
  package var subject: String
  /// The subject for an answer.
  package var reply: String?
  /// The value of the bridge's header.
  package var header: [UInt8]?
  /// The id by which the server recognises a repeated message.
  package var id: String?
  /// The error of a dead letter.
  package var error: String?
  /// Further headers.
  package var fields: [String: String]
  /// The payload.
  package var payload: [UInt8]

  /// Creates a message.
  package init(
    subject: String,
    reply: String? = nil,
    header: [UInt8]? = nil,
    id: String? = nil,
    error: String? = nil,
    fields: [String: String] = [:],
    payload: [UInt8] = []
  ) {
    self.fields = fields
    self.subject = subject
    self.reply = reply
    self.header = header
    self.id = id
    self.error = error
    self.payload = payload
  }
}

/// Why a link could not do something.
package enum LinkFailure: Error, Sendable, Equatable, CustomStringConvertible {
  /// There is no connection at the moment.
  case disconnected
  /// The message is larger than the server accepts.
  case tooLarge
  /// The connection was closed for good.
  case closed
  /// The server forbids it to this user, in its words.
  case notAuthorized(String)
  /// A name or a setting cannot be used, however often it is tried; the text says what to do.
  case invalid(String)
  /// Anything else, in the words of the client.
  case other(String)

  /// The failure in words.
  package var description: String {
    switch self {
    case .disconnected: "there is no connection, or the server did not answer"
    case .tooLarge: "the message is larger than the server accepts"
    case .closed: "the connection was closed"
    case .notAuthorized(let words), .invalid(let words), .other(let words): words
    }
  }
}

/// What the server refused some time after it was sent.
package enum LinkRefusal: Sendable, Equatable {
  /// A message, or a subscription, that the user may not send or have.
  case denied(Denial)
  /// Anything else, in the words of the server or the client.
  case other(String)
}

/// A subscription, which collects messages until they are taken.
package protocol LinkSubscription: AnyObject, Sendable {
  /// Takes what arrived, the oldest first, and the number of messages dropped since the last time.
  func take(_ most: Int) -> (messages: [LinkMessage], dropped: Int)
  /// Waits until the server has the subscription.
  ///
  /// - Parameter limit: How long it may take.
  /// - Throws: `notAuthorized` if the server has denied it; otherwise as ``Link/flush(within:)``.
  func confirm(within limit: Duration) async throws(LinkFailure)
  /// Ends the subscription; messages that arrived can still be taken.
  func cancel()
  /// Ends the subscription, and waits until the messages on their way have arrived.
  ///
  /// - Parameter limit: How long it may take; what arrives later is lost.
  func drain(within limit: Duration) async
}

/// The consumer of a stream that a bridge wants.
package struct ConsumerRequest: Sendable {
  /// The stream.
  package var stream: String
  /// The name of the consumer.
  package var name: String
  /// The subject of the events.
  package var subject: String
  /// How long the server waits for an answer before it delivers a message again.
  package var answerTimeout: Duration
  /// How many messages may wait for answers at once.
  package var window: Int
  /// How long the server keeps the consumer while nothing listens; `nil` means for ever.
  package var keptFor: Duration?
  /// How many of the stored events a new consumer begins with; `nil` means all.
  package var history: Int?

  /// Creates a request.
  package init(
    stream: String,
    name: String,
    subject: String,
    answerTimeout: Duration,
    window: Int,
    keptFor: Duration?,
    history: Int?
  ) {
    self.stream = stream
    self.name = name
    self.subject = subject
    self.answerTimeout = answerTimeout
    self.window = window
    self.keptFor = keptFor
    self.history = history
  }
}

/// The consumer of a stream, ready to be listened to.
package struct Consumer: Sendable {
  /// The subject to which the server delivers.
  package var deliverySubject: String
  /// The group of those that share the deliveries.
  package var group: String
  /// The number of the last message up to which all have been acknowledged.
  package var floor: UInt64
  /// Whether the consumer is new.
  package var isNew: Bool
  /// How long the server waits for an answer: that of the process which created the consumer.
  package var answerTimeout: Duration

  /// Creates a description.
  package init(
    deliverySubject: String,
    group: String,
    floor: UInt64,
    isNew: Bool,
    answerTimeout: Duration
  ) {
    self.deliverySubject = deliverySubject
    self.group = group
    self.floor = floor
    self.isNew = isNew
    self.answerTimeout = answerTimeout
  }
}

/// What a bridge needs of a connection: the server's client has it, and so has a script in tests.
///
/// ## Thread safety
///
/// Every member may be called on any thread. `wake` closures run on a thread of the link, under no lock; they
/// must not call the link.
package protocol Link: AnyObject, Sendable {
  /// Whether messages can be sent now.
  var isConnected: Bool { get }
  /// Whether the connection was closed for good.
  var isClosed: Bool { get }
  /// The prefix of subjects for answers to this link.
  var inbox: String { get }
  /// Hands a message to the connection.
  func send(_ message: OutgoingMessage) throws(LinkFailure)
  /// Subscribes to a subject.
  ///
  /// - Parameters:
  ///   - subject: The subject, which may end in a wildcard.
  ///   - group: The group of which one member receives each message; `nil` for none.
  ///   - limit: How many messages wait at most; the oldest drop.
  ///   - sizeLimit: How many bytes of payloads wait at most; the oldest drop.
  ///   - readsFields: Whether messages have all their headers, not only that of the bridge.
  ///   - wake: Called when there is something to take, once until it is taken.
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
  /// Calls a closure whenever the connection breaks, is there again, or was closed.
  func onChange(_ body: @escaping @Sendable (_ isConnected: Bool) -> Void) -> Token
  /// Calls a closure with what the server refuses, on a queue of the link.
  func onRefusal(_ body: @escaping @Sendable (LinkRefusal) -> Void) -> Token
  /// Waits until the server has received what was sent.
  func flush(within limit: Duration) async throws(LinkFailure)
  /// Makes sure that a stream exists and stores subjects.
  ///
  /// - Parameters:
  ///   - stream: The stream.
  ///   - subjects: The subjects.
  ///   - replicas: How many servers store it, if it does not exist.
  ///   - limit: How long it may take.
  /// - Throws: The failure of the client; `disconnected` when the time is over.
  func prepareStream(
    _ stream: String,
    subjects: [String],
    replicas: Int,
    within limit: Duration
  ) async throws(LinkFailure)
  /// Makes sure that a consumer exists.
  ///
  /// - Parameters:
  ///   - request: The consumer.
  ///   - limit: How long it may take.
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
  ///   - count: How many.
  ///   - limit: How long it may take.
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
  /// Subscribes to a subject, without a limit of bytes.
  package func subscribe(
    _ subject: String,
    group: String?,
    limit: Int,
    wake: @escaping @Sendable () -> Void
  ) throws(LinkFailure) -> any LinkSubscription {
    try subscribe(subject, group: group, limit: limit, sizeLimit: .max, wake: wake)
  }

  /// Subscribes to a subject, for messages of bridges.
  package func subscribe(
    _ subject: String,
    group: String?,
    limit: Int,
    sizeLimit: Int,
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
