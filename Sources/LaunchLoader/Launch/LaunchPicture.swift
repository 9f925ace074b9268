/// The text of a self-contained picture (SVG) with integer coordinates: no scripts, no fonts and no other
/// files.
///
/// A plain value. What is added later covers what was added before.
struct LaunchPicture {
  /// The width to reserve for a character of the text, which is 12 units high.
  static let characterWidth = 8
  /// The grey of secondary text and of lines.
  static let grey = "#6b7280"
  /// The color of text.
  static let ink = "#111827"

  private var elements: [String] = []

  /// Adds a rectangle.
  ///
  /// - Parameters:
  ///   - x: The left edge.
  ///   - y: The upper edge.
  ///   - width: The width.
  ///   - height: The height.
  ///   - fill: The color of the area.
  ///   - stroke: The color of the outline; `nil` if there is none.
  ///   - note: A text that viewers show for the rectangle; `nil` if there is none.
  mutating func addRectangle(
    x: Int,
    y: Int,
    width: Int,
    height: Int,
    fill: String,
    stroke: String? = nil,
    note: String? = nil
  ) {
    let outline = stroke.map { " stroke=\"\($0)\"" } ?? ""
    let start =
      "<rect x=\"\(x)\" y=\"\(y)\" width=\"\(width)\" height=\"\(height)\" rx=\"3\""
      + " fill=\"\(fill)\"\(outline)"
    let end = note.map { "><title>\(Self.escaped($0))</title></rect>" } ?? "/>"
    elements.append(start + end)
  }

  /// Adds a line of text.
  ///
  /// - Parameters:
  ///   - text: The text, of which line breaks and characters that pictures cannot hold are replaced.
  ///   - x: The left end, or the right one.
  ///   - y: The base line.
  ///   - fill: The color.
  ///   - endsAtX: `true` if `x` is the right end.
  ///   - isBold: `true` for a heading.
  mutating func addText(
    _ text: String,
    x: Int,
    y: Int,
    fill: String = ink,
    endsAtX: Bool = false,
    isBold: Bool = false
  ) {
    let anchor = endsAtX ? " text-anchor=\"end\"" : ""
    let weight = isBold ? " font-weight=\"bold\"" : ""
    elements.append(
      "<text x=\"\(x)\" y=\"\(y)\" fill=\"\(fill)\"\(anchor)\(weight)>\(Self.escaped(text))</text>"
    )
  }

  /// Adds a line that is no area.
  ///
  /// - Parameters:
  ///   - path: The commands that draw it.
  ///   - stroke: The color.
  ///   - isDashed: `true` for a dashed line.
  mutating func addLine(_ path: String, stroke: String = grey, isDashed: Bool = false) {
    let dashes = isDashed ? " stroke-dasharray=\"4 3\"" : ""
    elements.append("<path d=\"\(path)\" fill=\"none\" stroke=\"\(stroke)\"\(dashes)/>")
  }

  /// Adds the head of an arrow that points to the left.
  mutating func addArrowHead(x: Int, y: Int, fill: String = grey) {
    elements.append("<path d=\"M \(x) \(y) l 7 -4 v 8 z\" fill=\"\(fill)\"/>")
  }

  /// Returns the text of the picture, on white.
  ///
  /// - Parameters:
  ///   - width: The width.
  ///   - height: The height.
  ///   - title: The title, for readers that do not show pictures.
  /// - Returns: The text.
  func text(width: Int, height: Int, title: String) -> String {
    let head =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"\(width)\" height=\"\(height)\""
      + " viewBox=\"0 0 \(width) \(height)\" font-family=\"monospace\" font-size=\"12\""
      + " role=\"img\">"
    let ground = "<rect width=\"\(width)\" height=\"\(height)\" fill=\"#ffffff\"/>"
    let lines = [head, "<title>\(Self.escaped(title))</title>", ground] + elements + ["</svg>"]
    return lines.joined(separator: "\n") + "\n"
  }

  /// Returns text without the characters that have a meaning in XML, or that it cannot hold.
  static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "\t", "\n", "\r": result += " "
      case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{FFFE}", "\u{FFFF}": result += "\u{FFFD}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// Shortens a long name at its start, because generated names differ at their end.
  static func shortened(_ name: String, to length: Int = 28) -> String {
    let line = name.split(whereSeparator: \.isNewline).joined(separator: " ")
    return line.count <= length ? line : "…" + line.suffix(length - 1)
  }
}
