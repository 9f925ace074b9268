/// A value of a theme, whatever its type.
protocol AnyThemeValue: AnyObject, Sendable {
  /// Whether the other one holds an equal value of the same type.
  func equals(_ other: any AnyThemeValue) -> Bool
}

/// A value of a theme, boxed once so that themes, switches and views share it.
@usableFromInline
final class ThemeValue<Value: Sendable & Equatable>: AnyThemeValue {
  @usableFromInline let value: Value

  init(_ value: Value) { self.value = value }

  /// The same box is equal without asking the value, which may be large, or not equal to itself.
  func equals(_ other: any AnyThemeValue) -> Bool {
    other === self || (other as? ThemeValue<Value>)?.value == value
  }

  /// The value in a box that is known to be of this type.
  ///
  /// Theme values are only ever kept under keys of their own type, and aliases point at keys of the
  /// same type: the type of a key is part of what makes it the same key.
  ///
  /// - Parameter box: A `ThemeValue<Value>`.
  /// - Returns: What is in it.
  @inlinable
  static func value(in box: AnyObject) -> Value {
    unsafe unsafeDowncast(box, to: ThemeValue<Value>.self).value  // Reason: see above.
  }
}

/// An object whose type is known, though the compiler has lost sight of it.
///
/// - Parameters:
///   - object: An instance of the type.
///   - type: The type.
/// - Returns: The object.
@inlinable
func known<Object: AnyObject>(_ object: AnyObject, as type: Object.Type) -> Object {
  unsafe unsafeDowncast(object, to: type)  // Reason: the caller knows.
}

/// How the values of a key are read from a document and written to one.
struct ThemeCodec: Sendable {
  /// Reads a value.
  let decode:
    @Sendable (KeyedDecodingContainer<DocumentKey>, DocumentKey) throws -> any AnyThemeValue

  /// Writes a value, which must be of the key's type.
  let encode:
    @Sendable (any AnyThemeValue, inout KeyedEncodingContainer<DocumentKey>, DocumentKey) throws ->
      Void

  /// For a type that reads and writes itself.
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

/// How documents write that a key reads like another one: `{color.accent}`.
///
/// A text that itself stands in braces is written in one more pair of them, which is taken away when
/// it is read.
enum AliasSyntax {
  /// An alias of the key with this name.
  static func alias(of name: String) -> String { "{\(name)}" }

  /// The name of the key that a text is an alias of, or `nil` when it is none.
  static func target(of text: String) -> String? {
    isBraced(text) && !isEscaped(text) ? inside(text) : nil
  }

  /// A value as it is written: a text that looks like an alias, in one more pair of braces.
  static func escaped<Value>(_ value: Value) -> Value {
    guard let text = value as? String, isBraced(text) else { return value }
    return "{\(text)}" as? Value ?? value
  }

  /// A value as it was before ``escaped(_:)``.
  static func unescaped<Value>(_ value: Value) -> Value {
    guard let text = value as? String, isEscaped(text) else { return value }
    return inside(text) as? Value ?? value
  }

  /// A text without its first and its last brace, whatever accents its letters have.
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

/// The name of a member in a document, whatever it is.
struct DocumentKey: CodingKey {
  let stringValue: String

  /// Documents have names and no numbers.
  var intValue: Int? { nil }

  init(stringValue: String) { self.stringValue = stringValue }

  init?(intValue: Int) { nil }
}
