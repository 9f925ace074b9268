/// Encodes a value that is one string, and decodes it again, without Foundation.
enum TextCoder {
  static func encode(_ value: some Encodable) throws -> String {
    let box = Box()
    try value.encode(to: TextEncoder(box: box))
    return box.text
  }

  static func decode<Value: Decodable>(_ type: Value.Type, from text: String) throws -> Value {
    try Value(from: TextDecoder(text: text))
  }

  fileprivate final class Box { var text = "" }

  fileprivate struct Unsupported: Error {}
}

private struct TextEncoder: Encoder, SingleValueEncodingContainer {
  let box: TextCoder.Box
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    preconditionFailure("a single string was expected")
  }
  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    preconditionFailure("a single string was expected")
  }
  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  func encode(_ value: String) throws { box.text = value }
  func encode(_ value: some Encodable) throws { throw TextCoder.Unsupported() }
  func encodeNil() throws { throw TextCoder.Unsupported() }
  func encode(_ value: Bool) throws { throw TextCoder.Unsupported() }
  func encode(_ value: Double) throws { throw TextCoder.Unsupported() }
  func encode(_ value: Float) throws { throw TextCoder.Unsupported() }
  func encode(_ value: Int) throws { throw TextCoder.Unsupported() }
  func encode(_ value: Int8) throws { throw TextCoder.Unsupported() }
  func encode(_ value: Int16) throws { throw TextCoder.Unsupported() }
  func encode(_ value: Int32) throws { throw TextCoder.Unsupported() }
  func encode(_ value: Int64) throws { throw TextCoder.Unsupported() }
  func encode(_ value: UInt) throws { throw TextCoder.Unsupported() }
  func encode(_ value: UInt8) throws { throw TextCoder.Unsupported() }
  func encode(_ value: UInt16) throws { throw TextCoder.Unsupported() }
  func encode(_ value: UInt32) throws { throw TextCoder.Unsupported() }
  func encode(_ value: UInt64) throws { throw TextCoder.Unsupported() }
}

private struct TextDecoder: Decoder, SingleValueDecodingContainer {
  let text: String
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    throw TextCoder.Unsupported()
  }
  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw TextCoder.Unsupported() }
  func singleValueContainer() -> any SingleValueDecodingContainer { self }

  func decode(_ type: String.Type) throws -> String { text }
  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    throw TextCoder.Unsupported()
  }
  func decodeNil() -> Bool { false }
  func decode(_ type: Bool.Type) throws -> Bool { throw TextCoder.Unsupported() }
  func decode(_ type: Double.Type) throws -> Double { throw TextCoder.Unsupported() }
  func decode(_ type: Float.Type) throws -> Float { throw TextCoder.Unsupported() }
  func decode(_ type: Int.Type) throws -> Int { throw TextCoder.Unsupported() }
  func decode(_ type: Int8.Type) throws -> Int8 { throw TextCoder.Unsupported() }
  func decode(_ type: Int16.Type) throws -> Int16 { throw TextCoder.Unsupported() }
  func decode(_ type: Int32.Type) throws -> Int32 { throw TextCoder.Unsupported() }
  func decode(_ type: Int64.Type) throws -> Int64 { throw TextCoder.Unsupported() }
  func decode(_ type: UInt.Type) throws -> UInt { throw TextCoder.Unsupported() }
  func decode(_ type: UInt8.Type) throws -> UInt8 { throw TextCoder.Unsupported() }
  func decode(_ type: UInt16.Type) throws -> UInt16 { throw TextCoder.Unsupported() }
  func decode(_ type: UInt32.Type) throws -> UInt32 { throw TextCoder.Unsupported() }
  func decode(_ type: UInt64.Type) throws -> UInt64 { throw TextCoder.Unsupported() }
}
