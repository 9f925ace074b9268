/// A message to send.
package struct OutgoingMessage: Sendable {
  /// The subject of the message.
  package var subject: String
  /// The subject for an answer.
  package var reply: String?
  /// The value of the bridge's header.
  package var header: [UInt8]?
  /// The identifier by which the server recognizes a repeated message.
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
