/// A type-erased value of a theme.
protocol AnyThemeValue: AnyObject, Sendable {
  /// A Boolean value that indicates whether another box holds an equal value of the same type.
  func equals(_ other: any AnyThemeValue) -> Bool
}

/// A value of a theme, boxed once so that themes, switches and views share it.
@usableFromInline
final class ThemeValue<Value: Sendable & Equatable>: AnyThemeValue {
  @usableFromInline let value: Value

  init(_ value: Value) { self.value = value }

  /// Compares two values.
  ///
  /// A box equals itself without a comparison of values, which may be large, or not equal to
  /// themselves.
  func equals(_ other: any AnyThemeValue) -> Bool {
    other === self || (other as? ThemeValue<Value>)?.value == value
  }

  /// Returns the value in a box that is known to have this type.
  ///
  /// Keys only ever map to values of their own type, and aliases have the type of their target: the
  /// type of a key is part of its identity.
  ///
  /// - Parameter box: A `ThemeValue<Value>`.
  /// - Returns: The value in the box.
  @inlinable
  static func value(in box: AnyObject) -> Value {
    unsafe unsafeDowncast(box, to: ThemeValue<Value>.self).value  // Reason: see above.
  }
}

/// Casts an object to its known type, without a check.
///
/// - Parameters:
///   - object: An instance of the type.
///   - type: The type.
/// - Returns: The object.
@inlinable
func known<Object: AnyObject>(_ object: AnyObject, as type: Object.Type) -> Object {
  unsafe unsafeDowncast(object, to: type)  // Reason: the caller knows.
}

/// Reads the values of a key from documents and writes them.
struct ThemeCodec: Sendable {
  let decode:
    @Sendable (KeyedDecodingContainer<DocumentKey>, DocumentKey) throws -> any AnyThemeValue

  /// Writes a value, which must have the key's type.
  let encode:
    @Sendable (any AnyThemeValue, inout KeyedEncodingContainer<DocumentKey>, DocumentKey) throws ->
      Void

  init<Value: Sendable & Equatable & Codable>(_ type: Value.Type) {
    decode = { container, key in
      ThemeValue(AliasSyntax.unescaped(try container.decode(Value.self, forKey: key)))
    }
    encode = { value, container, key in
      guard let value = value as? ThemeValue<Value> else { return }
      try container.encode(AliasSyntax.escaped(value.value), forKey: key)
    }
  }
}

/// The syntax of aliases in documents: `{color.accent}`.
///
/// A text value that itself has the form of an alias is enclosed in one more pair of braces, which
/// reading removes.
enum AliasSyntax {
  /// Returns the alias of the key with a name.
  static func alias(of name: String) -> String { "{\(name)}" }

  /// Returns the name of the key that a text is an alias of, or `nil` if the text is not an alias.
  static func target(of text: String) -> String? {
    isBraced(text) && !isEscaped(text) ? inside(text) : nil
  }

  /// Encloses a text value that is in braces in one more pair.
  static func escaped<Value>(_ value: Value) -> Value {
    guard let text = value as? String, isBraced(text) else { return value }
    return "{\(text)}" as? Value ?? value
  }

  /// Reverses ``escaped(_:)``.
  static func unescaped<Value>(_ value: Value) -> Value {
    guard let text = value as? String, isEscaped(text) else { return value }
    return inside(text) as? Value ?? value
  }

  /// Removes the first and the last brace, also if a combining character follows one.
  private static func inside(_ text: String) -> String {
    String(text.unicodeScalars.dropFirst().dropLast())
  }

  private static func isBraced(_ text: String) -> Bool {
    text.utf8.count >= 2 && text.utf8.first == open && text.utf8.last == close
  }

  private static func isEscaped(_ text: String) -> Bool {
    text.utf8.count >= 4 && text.utf8.starts(with: [open, open])
      && text.utf8.suffix(2).elementsEqual([close, close])
  }

  private static let open = UInt8(ascii: "{")
  private static let close = UInt8(ascii: "}")
}

/// The name of a member of a document.
struct DocumentKey: CodingKey {
  let stringValue: String

  /// Always `nil`: documents have names, not numbers.
  var intValue: Int? { nil }

  init(stringValue: String) { self.stringValue = stringValue }

  init?(intValue: Int) { nil }
}
