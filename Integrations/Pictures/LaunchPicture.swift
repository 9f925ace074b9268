internal import LaunchLoader

/// The text of a self-contained picture (SVG) with integer coordinates: no scripts, no fonts and no other
/// files.
///
/// Each text has a given length, so that it keeps its place whatever font a viewer has. The ground is white,
/// with an outline, so that the picture is readable on light and on dark pages.
///
/// A plain value. Later elements cover earlier ones.
struct LaunchPicture {
  /// The distance between the contents and the edges.
  static let margin = 16
  /// The width of a character of the text, which is 13 units high.
  static let cell = 8
  /// The gray of secondary text and of lines.
  static let gray = "#6b7280"
  /// The gray of lines behind the contents.
  static let faint = "#e5e7eb"
  /// The color of text.
  static let ink = "#111827"

  private var elements: [String] = []

  /// Adds a rectangle.
  ///
  /// - Parameters:
  ///   - x: The left and the right edge.
  ///   - y: The upper and the lower edge.
  ///   - fill: The color of the area.
  ///   - stroke: The color of the outline; `nil` if there is none.
  ///   - note: A text that viewers show for the rectangle; `nil` if there is none.
  mutating func addRectangle(
    _ x: Range<Int>,
    _ y: Range<Int>,
    fill: String,
    stroke: String? = nil,
    note: String? = nil
  ) {
    let outline = stroke.map { " stroke=\"\($0)\"" } ?? ""
    let start =
      "<rect x=\"\(x.lowerBound)\" y=\"\(y.lowerBound)\" width=\"\(x.count)\" height=\"\(y.count)\""
      + " rx=\"3\" fill=\"\(fill)\"\(outline)"
    elements.append(start + (note.map { ">\(Self.title($0))</rect>" } ?? "/>"))
  }

  /// Adds a line of text.
  ///
  /// - Parameters:
  ///   - text: The text, which is not shortened.
  ///   - x: The position of the end that `anchor` names.
  ///   - y: The base line.
  ///   - fill: The color.
  ///   - anchor: The part of the text that is at `x`: `"middle"` or `"end"`; `nil` means its start.
  ///   - isBold: `true` for emphasized text.
  ///   - note: A text that viewers show for the line; `nil` if there is none.
  mutating func addText(
    _ text: String,
    x: Int,
    y: Int,
    fill: String = ink,
    anchor: String? = nil,
    isBold: Bool = false,
    note: String? = nil
  ) {
    let style =
      (anchor.map { " text-anchor=\"\($0)\"" } ?? "")
      + (isBold ? " font-weight=\"bold\"" : "")
    let length = text.cellCount * Self.cell
    elements.append(
      "<text x=\"\(x)\" y=\"\(y)\" fill=\"\(fill)\"\(style) textLength=\"\(length)\""
        + " lengthAdjust=\"spacingAndGlyphs\">\(text.inXML)\(note.map(Self.title) ?? "")</text>"
    )
  }

  /// Adds a line without an area.
  ///
  /// - Parameters:
  ///   - path: The commands that draw it.
  ///   - stroke: The color.
  ///   - isDashed: `true` for a dashed line.
  mutating func addLine(_ path: String, stroke: String = gray, isDashed: Bool = false) {
    let dashes = isDashed ? " stroke-dasharray=\"5 3\"" : ""
    elements.append("<path d=\"\(path)\" fill=\"none\" stroke=\"\(stroke)\"\(dashes)/>")
  }

  /// Adds the head of an arrow that points to the right.
  ///
  /// - Parameters:
  ///   - x: The position of its tip.
  ///   - y: The position of its tip.
  ///   - fill: The color.
  mutating func addArrowHead(x: Int, y: Int, fill: String = gray) {
    elements.append("<path d=\"M \(x) \(y) l -8 -4 v 8 z\" fill=\"\(fill)\"/>")
  }

  /// Returns the text of the picture, on white.
  ///
  /// - Parameters:
  ///   - width: The width.
  ///   - height: The height.
  ///   - title: The heading, which is compressed to the width, and also used by readers that do not show
  ///     pictures.
  ///   - description: The contents of the picture in words, for the same readers.
  /// - Returns: The text.
  func text(width: Int, height: Int, title: String, description: String) -> String {
    let head =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"\(width)\" height=\"\(height)\""
      + " viewBox=\"0 0 \(width) \(height)\" font-family=\"monospace\" font-size=\"13\""
      + " role=\"img\">"
    let ground =
      "<rect x=\"1\" y=\"1\" width=\"\(width - 2)\" height=\"\(height - 2)\" rx=\"8\""
      + " fill=\"#ffffff\" stroke=\"#9ca3af\"/>"
    let words = [Self.title(title), "<desc>\(description.onOneLine.inXML)</desc>"]
    let heading =
      "<text x=\"\(Self.margin)\" y=\"32\" fill=\"\(Self.ink)\" font-size=\"16\" font-weight=\"bold\""
      + " textLength=\"\(min(title.cellCount * 10, width - 2 * Self.margin))\""
      + " lengthAdjust=\"spacingAndGlyphs\">\(title.inXML)</text>"
    let all = [head] + words + [ground, heading] + elements + ["</svg>"]
    return all.joined(separator: "\n") + "\n"
  }

  /// Returns the element of a note, whose text is cut off after 300 cells.
  private static func title(_ note: String) -> String {
    "<title>\(note.onOneLine.cut(to: 300).inXML)</title>"
  }
}
