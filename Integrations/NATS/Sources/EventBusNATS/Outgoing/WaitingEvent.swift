/// A live event that waits to be sent.
///
/// It is not generic, as the compiler would not specialize the buffer of events.
struct WaitingEvent {
  let sequence: UInt64
  let payload: AnyWaitingPayload
  let fields: [String: String]
  /// The encoded payload, if it was encoded in advance.
  var bytes: [UInt8]?
}

/// The payload of a live event, without its type.
class AnyWaitingPayload: @unchecked Sendable {  // Reason: constant.
  /// The bytes of the payload.
  ///
  /// - Parameter event: The event, for the error.
  /// - Returns: The bytes.
  /// - Throws: An error that names the event, with the code `notEncodable`.
  func bytes(_ event: String) throws(NATSError) -> [UInt8] { [] }
}

/// The payload of a live event, with its codec.
final class WaitingPayload<Payload: Sendable>: AnyWaitingPayload,
  @unchecked Sendable  // Reason: constant.
{
  private let payload: Payload
  private let codec: EventCodec<Payload>

  init(_ payload: Payload, _ codec: EventCodec<Payload>) {
    (self.payload, self.codec) = (payload, codec)
  }

  override func bytes(_ event: String) throws(NATSError) -> [UInt8] {
    try codec.bytes(of: payload, event)
  }
}
