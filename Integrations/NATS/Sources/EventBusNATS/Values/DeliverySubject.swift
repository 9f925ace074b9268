/// Information about the delivery of a durable message, in the subject of its acknowledgement.
///
///     $JS.ACK.<stream>.<consumer>.<deliveries>.<stream sequence>.<consumer sequence>.<time>.<pending>
///
/// Servers since 2.9 may add a domain and an account hash in front of the stream, and a token at the end.
package struct DeliverySubject: Sendable, Equatable {
  /// The name of the stream.
  package let stream: String
  /// The number of deliveries of the message, this one included.
  package let deliveries: Int
  /// The number of the message in its stream.
  package let sequence: UInt64
  /// The time of storage, in nanoseconds since 1970.
  package let time: UInt64
  /// The number of messages that the consumer has yet to deliver.
  package let pending: UInt64

  /// Reads a subject.
  ///
  /// - Parameter subject: The subject for the acknowledgement; any other gives `nil`.
  package init?(_ subject: String) {
    let tokens = subject.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard tokens.count == 9 || tokens.count >= 11, subject.hasPrefix("$JS.ACK.") else { return nil }
    let start = tokens.count == 9 ? 2 : 4
    guard let deliveries = number(tokens[start + 2], radix: 10).flatMap(Int.init(exactly:)),
      let sequence = number(tokens[start + 3], radix: 10), !tokens[start].isEmpty,
      let time = number(tokens[start + 5], radix: 10)
    else { return nil }
    self.stream = String(decoding: tokens[start], as: UTF8.self)
    self.deliveries = deliveries
    self.sequence = sequence
    self.time = time
    pending = number(tokens[start + 6], radix: 10) ?? 0
  }
}
