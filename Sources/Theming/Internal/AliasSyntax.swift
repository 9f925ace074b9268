/// How documents write that a key reads like another one: `{color.accent}`.
///
/// A text that itself stands in braces is written in one more pair of them, which is taken away when
/// it is read.
internal enum AliasSyntax {
  /// An alias of the key with this name.
  internal static func alias(of name: String) -> String { "{\(name)}" }

  /// The name of the key that a text is an alias of, or `nil` when it is none.
  internal static func target(of text: String) -> String? {
    isBraced(text) && !isEscaped(text) ? inside(text) : nil
  }

  /// A value as it is written: a text that looks like an alias, in one more pair of braces.
  internal static func escaped<Value>(_ value: Value) -> Value {
    guard let text = value as? String, isBraced(text) else { return value }
    return "{\(text)}" as? Value ?? value
  }

  /// A value as it was before ``escaped(_:)``.
  internal static func unescaped<Value>(_ value: Value) -> Value {
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
