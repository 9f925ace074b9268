/// A value of JSON, with a text that is also harmless inside a `script` element.
indirect enum JSON: Sendable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByBooleanLiteral
{
  case null
  case bool(Bool)
  case int(Int64)
  /// A number with three decimals.
  case decimal(Int64, thousandths: Int64)
  case string(String)
  case array([JSON])
  case object([(key: String, value: JSON)])

  init(stringLiteral value: String) { self = .string(value) }
  init(integerLiteral value: Int64) { self = .int(value) }
  init(booleanLiteral value: Bool) { self = .bool(value) }
  init(arrayLiteral elements: JSON...) { self = .array(elements) }
  init(dictionaryLiteral elements: (String, JSON)...) {
    self = .object(elements.map { (key: $0.0, value: $0.1) })
  }

  /// A number.
  init(_ number: some BinaryInteger) { self = .int(Int64(clamping: number)) }
  /// A string, or null.
  init(_ string: String?) { self = string.map(JSON.string) ?? .null }
  /// An array of strings.
  init(_ strings: some Sequence<String>) { self = .array(strings.map(JSON.string)) }
  /// A duration in nanoseconds.
  init(_ duration: Duration) { self = .int(duration.nanoseconds) }

  /// The value as text in one line, of ASCII characters as far as markup is concerned.
  var text: String {
    var text = ""
    write(to: &text)
    return text
  }

  private func write(to text: inout String) {
    switch self {
    case .null: text += "null"
    case .bool(let value): text += value ? "true" : "false"
    case .int(let value): text += "\(value)"
    case .decimal(let whole, let thousandths):
      let digits = "\(thousandths)"
      text += "\(whole)." + String(repeating: "0", count: max(0, 3 - digits.count)) + digits
    case .string(let value): Self.write(value, to: &text)
    case .array(let values):
      text += "["
      for (index, value) in values.enumerated() {
        if index > 0 { text += "," }
        value.write(to: &text)
      }
      text += "]"
    case .object(let members):
      text += "{"
      for (index, member) in members.enumerated() {
        if index > 0 { text += "," }
        Self.write(member.key, to: &text)
        text += ":"
        member.value.write(to: &text)
      }
      text += "}"
    }
  }

  /// Writes a string in quotation marks.
  ///
  /// Less-than signs and ampersands are escaped, so that no string ends a `script` element or begins a comment
  /// of HTML; so are the line separators that JavaScript once forbade.
  static func write(_ string: String, to text: inout String) {
    text += "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "<", ">", "&", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}", ..<" ":
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }
}
