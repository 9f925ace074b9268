/// How the values of a key are read from a document and written to one.
internal struct ThemeCodec: Sendable {
  /// Reads a value.
  internal let decode:
    @Sendable (KeyedDecodingContainer<DocumentKey>, DocumentKey) throws -> any AnyThemeValue

  /// Writes a value, which must be of the key's type.
  internal let encode:
    @Sendable (any AnyThemeValue, inout KeyedEncodingContainer<DocumentKey>, DocumentKey) throws ->
      Void

  /// For a type that reads and writes itself.
  internal init<Value: Sendable & Equatable & Codable>(_ type: Value.Type) {
    decode = { container, key in
      ThemeValue(AliasSyntax.unescaped(try container.decode(Value.self, forKey: key)))
    }
    encode = { value, container, key in
      guard let value = value as? ThemeValue<Value> else { return }
      try container.encode(AliasSyntax.escaped(value.value), forKey: key)
    }
  }
}
