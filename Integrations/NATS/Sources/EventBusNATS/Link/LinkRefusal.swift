/// A refusal by the server, some time after the message or the subscription was sent.
package enum LinkRefusal: Sendable, Equatable {
  /// The user has no permission for a message or a subscription.
  case denied(Denial)
  /// The server refuses the credentials of the connection, in its words.
  case unauthenticated(String)
  /// Any other refusal, in the words of the server or the client.
  case other(String)
}
