/// A received message.
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
