#if canImport(FoundationEssentials)
private import FoundationEssentials
#else
private import Foundation
#endif

/// The conversion of payloads to bytes and back.
///
/// ```swift
/// import EventBusNATS
///
/// let upperCase = EventCodec<String>(contentType: "text") { payload in
///   Array(payload.utf8)
/// } decode: { bytes in
///   String(decoding: bytes, as: UTF8.self)
/// }
/// ```
///
/// Content type and version travel with each event. A receiver decodes only those that it knows, and counts the others.
public struct EventCodec<Payload: Sendable>: Sendable {
  /// The content type.
  public let contentType: String
  /// The version of the payload's schema.
  public let version: Int
  let encode: @Sendable (Payload) throws -> [UInt8]
  let decode: @Sendable ([UInt8]) throws -> Payload

  /// Creates a codec.
  ///
  /// - Parameters:
  ///   - contentType: The content type, such as `json`.
  ///   - version: The version of the payload's schema; a receiver with another one does not decode.
  ///   - encode: Converts a payload to bytes; called on a queue of the bridge.
  ///   - decode: Converts any bytes to a payload, or throws; called on a queue of the bridge.
  public init(
    contentType: String,
    version: Int = 1,
    encode: @escaping @Sendable (Payload) throws -> [UInt8],
    decode: @escaping @Sendable ([UInt8]) throws -> Payload
  ) {
    self.contentType = contentType
    self.version = max(0, version)
    self.encode = encode
    self.decode = decode
  }
}

extension EventCodec where Payload: Codable {
  /// JSON, with the coders of Foundation.
  public static var json: EventCodec { json(version: 1) }

  /// JSON, with the coders of Foundation.
  ///
  /// - Parameter version: The version of the payload's schema.
  /// - Returns: The codec.
  public static func json(version: Int) -> EventCodec {
    EventCodec(contentType: "json", version: version) { payload in
      Array(try JSONEncoder().encode(payload))
    } decode: { bytes in
      try JSONDecoder().decode(Payload.self, from: Data(bytes))
    }
  }
}

extension EventCodec where Payload == [UInt8] {
  /// The bytes as they are.
  public static var bytes: EventCodec {
    EventCodec(contentType: "bytes", encode: { $0 }, decode: { $0 })
  }
}

extension EventCodec where Payload == Void {
  /// No bytes.
  public static var none: EventCodec {
    EventCodec(contentType: "none", encode: { _ in [] }, decode: { _ in })
  }
}

extension EventCodec {
  /// The bytes of a payload.
  ///
  /// - Throws: An error that names the event, with the code `notEncodable`.
  func bytes(of payload: Payload, _ event: String) throws(NATSError) -> [UInt8] {
    do {
      return try encode(payload)
    } catch {
      throw NATSError(.notEncodable, "A payload of \(event) cannot be encoded: \(error)")
    }
  }
}
