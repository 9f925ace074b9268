/// Decodes a node, with object members in their stored order.
struct NodeDecoder: Decoder {
  let node: Node
  var codingPath: [any CodingKey] = []
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  static func decode<Value: Decodable>(_ type: Value.Type, from node: Node) throws -> Value {
    try NodeDecoder(node: node).value(type)
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard case .object(let members) = node else { throw mismatch([String: Any].self) }
    return KeyedDecodingContainer(Keyed(members: members, codingPath: codingPath))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw mismatch([Any].self) }

  func singleValueContainer() -> any SingleValueDecodingContainer { Single(decoder: self) }

  fileprivate func value<Value: Decodable>(_ type: Value.Type) throws -> Value {
    let plain: Any? =
      switch node {
      case .bool(let value): value
      case .text(let value): value
      case .number(let value): number(value, as: type)
      case .null, .list, .object: nil
      }
    if let value = plain as? Value { return value }
    guard isPrimitive(type) else { return try type.init(from: self) }
    throw mismatch(type)
  }

  private func number(_ value: Double, as type: Any.Type) -> Any? {
    if let type = type as? any BinaryInteger.Type { return type.init(exactly: value) }
    if let type = type as? any BinaryFloatingPoint.Type { return type.init(value) }
    return nil
  }

  private func isPrimitive(_ type: Any.Type) -> Bool {
    type is String.Type || type is Bool.Type || type is any Numeric.Type
  }

  private func mismatch(_ type: Any.Type) -> DecodingError {
    let context = DecodingError.Context(codingPath: codingPath, debugDescription: "found \(node)")
    return node == .null ? .valueNotFound(type, context) : .typeMismatch(type, context)
  }
}

private struct Single: SingleValueDecodingContainer {
  let decoder: NodeDecoder
  var codingPath: [any CodingKey] { decoder.codingPath }

  func decodeNil() -> Bool { decoder.node == .null }
  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try decoder.value(type) }
}

private struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let members: [Node.Member]
  let codingPath: [any CodingKey]

  var allKeys: [Key] { members.compactMap { Key(stringValue: $0.name) } }

  func contains(_ key: Key) -> Bool { members.contains { $0.name == key.stringValue } }

  func decodeNil(forKey key: Key) throws -> Bool { try decoder(key).node == .null }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try decoder(key).value(type)
  }

  func nestedContainer<Inner: CodingKey>(
    keyedBy type: Inner.Type,
    forKey key: Key
  ) throws -> KeyedDecodingContainer<Inner> {
    try decoder(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try decoder(key).unkeyedContainer()
  }

  func superDecoder() -> any Decoder { NodeDecoder(node: .object(members), codingPath: codingPath) }
  func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }

  private func decoder(_ key: Key) throws -> NodeDecoder {
    guard let member = members.first(where: { $0.name == key.stringValue }) else {
      let context = DecodingError.Context(codingPath: codingPath, debugDescription: "not there")
      throw DecodingError.keyNotFound(key, context)
    }
    return NodeDecoder(node: member.value, codingPath: codingPath + [key])
  }
}
