/// Encodes objects, texts, numbers and truth values into a node, in the order in which they are
/// written.
struct NodeEncoder: Encoder {
  fileprivate final class Box {
    var node = Node.null
    var members: [(name: String, box: Box)] = []

    var result: Node {
      guard case .object = node else { return node }
      return .object(members.map { Node.Member(name: $0.name, value: $0.box.result) })
    }
  }

  fileprivate let box: Box
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  static func encode(_ value: some Encodable) throws -> Node {
    let encoder = NodeEncoder(box: Box())
    try encoder.write(value)
    return encoder.box.result
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    box.node = .object([])
    return KeyedEncodingContainer(Keyed(box: box))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    preconditionFailure("no lists were expected")
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { Single(encoder: self) }

  fileprivate func write(_ value: some Encodable) throws {
    switch value {
    case let value as Bool: box.node = .bool(value)
    case let value as String: box.node = .text(value)
    case let value as any BinaryInteger: box.node = .number(Double(value))
    case let value as any BinaryFloatingPoint: box.node = .number(Double(value))
    default: try value.encode(to: self)
    }
  }
}

private struct Single: SingleValueEncodingContainer {
  let encoder: NodeEncoder
  var codingPath: [any CodingKey] { [] }

  mutating func encodeNil() throws { encoder.box.node = .null }
  mutating func encode<Value: Encodable>(_ value: Value) throws { try encoder.write(value) }
}

private struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let box: NodeEncoder.Box
  var codingPath: [any CodingKey] { [] }

  mutating func encodeNil(forKey key: Key) throws { _ = encoder(key) }

  mutating func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
    try encoder(key).write(value)
  }

  mutating func nestedContainer<Inner: CodingKey>(
    keyedBy type: Inner.Type,
    forKey key: Key
  ) -> KeyedEncodingContainer<Inner> {
    encoder(key).container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    encoder(key).unkeyedContainer()
  }

  mutating func superEncoder() -> any Encoder { NodeEncoder(box: box) }
  mutating func superEncoder(forKey key: Key) -> any Encoder { encoder(key) }

  private func encoder(_ key: Key) -> NodeEncoder {
    let inner = NodeEncoder.Box()
    box.members.append((key.stringValue, inner))
    return NodeEncoder(box: inner)
  }
}
