/// A refusal by the server, some time after the message or the subscription was sent; or the absence of a server.
package enum LinkRefusal: Sendable, Equatable {
  /// The user has no permission for a message or a subscription.
  case denied(Denial)
  /// The server refuses the credentials of the connection, in its words.
  case unauthenticated(String)
  /// No server is there for the first connection; the text says what is waited for.
  case unreachable(String)
  /// Any other refusal, in the words of the server or the client.
  case other(String)
}
