/// An error of a connection or a bridge.
public struct NATSError: Error, Sendable, CustomStringConvertible {
  /// The kind of an error.
  public enum Code: Sendable, Equatable {
    /// No server could be reached, or none accepted the connection.
    case notConnected
    /// The server refused the credentials, or forbids an operation that an event needs.
    case notAuthorized
    /// The encrypted connection could not be established, or the server's certificate is not trusted.
    case notSecure
    /// An address, a file or another option cannot be used.
    case invalidOption
    /// The name of a stream or a consumer cannot be used.
    case invalidName
    /// The event is not carried out of the process durably.
    case notCarried
    /// Too many durable events wait for the server.
    case full
    /// The payload could not be encoded.
    case notEncodable
    /// The message is larger than the server accepts.
    case tooLarge
    /// The server refused to store the event, or to make the stream or the consumer that it needs.
    case refused
    /// The bridge or the connection was closed before the event was stored.
    case closed
    /// A service ended before the server had stored all durable events, and gave up the rest.
    case givenUp
    /// The time was over; a durable event still waits, and may be stored later.
    case timedOut
    /// The task was cancelled.
    case cancelled
  }

  /// The kind of the error.
  public let code: Code
  /// The failed operation, and the words of the server or the client.
  public let detail: String

  /// Creates an error.
  package init(_ code: Code, _ detail: String) { (self.code, self.detail) = (code, detail) }

  /// The error with the next step, with line breaks and other control characters escaped.
  public var description: String { text.onOneLine }

  private var text: String {
    switch code {
    case .notConnected: "\(detail): check the addresses, and that a server is running"
    case .notAuthorized:
      "\(detail): check NATSConnection.Configuration, and the permissions of the user"
    case .notSecure: "\(detail): check the certificate authority and the name of the server"
    case .invalidOption: "\(detail): check NATSConnection.Configuration"
    case .invalidName, .refused, .closed, .givenUp: detail
    case .notCarried: "\(detail): call carry(_:_:delivery:) with .durable first"
    case .full: "\(detail): wait for waitUntilFlushed(), or raise the limit of the bridge"
    case .notEncodable: "\(detail): check the codec and the payload"
    case .tooLarge: "\(detail): raise max_payload of the server, or send less"
    case .timedOut: "\(detail): check the connection, and the reports of the bridge"
    case .cancelled: "\(detail): the event may still be stored"
    }
  }
}
