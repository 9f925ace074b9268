import Testing
import Theming

#if canImport(FoundationEssentials)
import FoundationEssentials  // Reason: its decoder stands for the one that users bring.
#else
import Foundation  // Reason: its decoder stands for the one that users bring.
#endif

/// The keys of the documents in these tests.
enum AppTheme: ThemeSchema {
  static let brand = ThemeKey<RGBA>("color.brand", default: .gray)
  static let text = ThemeKey<RGBA>("color.text.primary", default: .gray)
  static let scale = ThemeKey<Double>("scale", default: 1)
  static let bold = ThemeKey<Bool>("font.bold", default: false)
  static let weights = ThemeKey<[Int]>("font.weights", default: [])
  static let title = ThemeKey<String>("title", default: "")
  static let subtitle = ThemeKey<String?>("subtitle", default: nil)
  static let style = ThemeKey<Style>("style", default: .flat)
  static let border = ThemeKey<Border>("border", default: Border(width: 1, color: .gray))
  static let frame = ThemeKey<Border>("frame", default: Border(width: 2, color: .gray))
  static let opaque = ThemeKey<Opaque>("opaque", default: Opaque(number: 0))
  static let mirror = ThemeKey<Opaque>("mirror", default: Opaque(number: 0))

  static let keys: [AnyThemeKey] = [
    .accent, .radius, .font, brand, text, scale, bold, weights, title, subtitle, style, border,
    frame, opaque, mirror,
  ]
}

enum Style: String, Codable { case flat, raised }

struct Border: Codable, Equatable {
  var width: Int
  var color: RGBA
}

/// A value that cannot be read from a file.
struct Opaque: Equatable { var number: Int }

typealias AppThemeDocument = ThemeDocument<AppTheme>

/// A document from JSON.
func parse(_ json: String) throws -> AppThemeDocument {
  try JSONDecoder().decode(AppThemeDocument.self, from: Data(json.utf8))
}

/// A document with these values, as JSON, called "t".
func parse(values: String) throws -> AppThemeDocument {
  try parse(#"{"name": "t", "values": \#(values)}"#)
}

/// A document with these values, read member by member in the order in which they are written.
func read<Schema: ThemeSchema>(
  values: Node,
  as schema: Schema.Type = AppTheme.self
) throws -> ThemeDocument<Schema> {
  try NodeDecoder.decode(ThemeDocument<Schema>.self, from: ["name": "t", "values": values])
}

/// The kinds of issues, with their texts: two of them cannot be compared.
func issueCodes(_ issues: [ThemeIssue]) -> [String] { issues.map { "\($0.code)" } }

/// Returns the problems of values, one per line.
func problems(_ values: String) throws -> [String] {
  try parse(values: values).issues.map(\.description)
}

/// Returns the kind of a decoding error, its path with dots, and its description.
func summary(_ error: DecodingError) -> (kind: String, path: String, text: String) {
  func of(_ kind: String, _ context: DecodingError.Context) -> (String, String, String) {
    (kind, context.codingPath.map(\.stringValue).joined(separator: "/"), context.debugDescription)
  }
  return switch error {
  case .typeMismatch(let type, let context): of("not \(type)", context)
  case .valueNotFound(_, let context): of("null", context)
  case .keyNotFound(let key, let context): of("no \(key.stringValue)", context)
  case .dataCorrupted(let context): of("corrupted", context)
  @unknown default: ("unknown", "", "")
  }
}
