/// The reason why an operation of a link failed.
package enum LinkFailure: Error, Sendable, Equatable, CustomStringConvertible {
  /// There is no connection at present.
  case disconnected
  /// There was no connection yet, as no server is there; the text says what is waited for.
  case unreachable(String)
  /// The message is larger than the server accepts.
  case tooLarge
  /// The connection was closed for good.
  case closed
  /// The user lacks the permission, in the words of the server.
  case notAuthorized(String)
  /// The server refuses the credentials of the connection, in its words; they, or its configuration, may change.
  case unauthenticated(String)
  /// The server refuses an operation as it is configured, in its words with the remedy.
  case rejected(String)
  /// A name or a setting can never be used; the text has the remedy.
  case invalid(String)
  /// Any other failure, in the words of the client.
  case other(String)

  /// The failure in words.
  package var description: String {
    switch self {
    case .disconnected: "there is no connection, or the server did not answer"
    case .tooLarge: "the message is larger than the server accepts"
    case .closed: "the connection was closed"
    case .unauthenticated(let words): "the server refuses the credentials: \(words)"
    case .unreachable(let words), .notAuthorized(let words), .rejected(let words),
      .invalid(let words), .other(let words):
      words
    }
  }
}
