import Theming

/// An SVG file (W3C, SVG 1.1) with pictures of screens in two columns.
///
/// The file uses integers only, and no external fonts or scripts, so it is identical on every machine.
struct SVG {
  private static let width = 432
  private static let height = 292
  private static let gap = 16

  /// The text of the file.
  private(set) var text = ""
  private var depth = 0

  /// Draws the pictures.
  init(_ pictures: [Picture]) {
    let rows = (pictures.count + 1) / 2
    let width = 2 * Self.width + Self.gap
    let height = rows * Self.height + (rows - 1) * Self.gap
    let names = pictures.map(\.skin).joined(separator: ", ")
    open(
      "svg xmlns=\"http://www.w3.org/2000/svg\" width=\"\(width)\" height=\"\(height)\" "
        + "viewBox=\"0 0 \(width) \(height)\" role=\"img\" font-family=\"monospace\" font-size=\"12\""
    )
    add("<title>The same screen in the skins \(Self.escaped(names))</title>")
    for (index, picture) in pictures.enumerated() {
      let x = index % 2 * (Self.width + Self.gap)
      let y = index / 2 * (Self.height + Self.gap)
      open("g transform=\"translate(\(x) \(y))\"")
      draw(picture)
      close("g")
    }
    close("svg")
  }

  private mutating func draw(_ picture: Picture) {
    let (width, height) = (Self.width, Self.height)
    rectangle(0, 0, width, height, corner: 10, picture.paper)
    // Rounded top corners, square bottom corners.
    add(
      "<path d=\"M0 36V10A10 10 0 0 1 10 0H\(width - 10)A10 10 0 0 1 \(width) 10V36Z\" "
        + "fill=\"\(picture.barGround)\"/>"
    )
    write("Mail", 16, 23, picture.barText, "font-weight=\"bold\" font-size=\"14\"")
    let unread = picture.rows.count { $0.message.isUnread }
    write("\(unread) unread", 64, 23, picture.barText)
    write(picture.skin, width - 16, 23, picture.barText, "font-weight=\"bold\" text-anchor=\"end\"")
    for (index, row) in picture.rows.enumerated() { draw(row, at: 46 + index * 31) }
    add(
      "<path d=\"M16 \(height - 52)H\(width - 16)\" stroke=\"\(picture.muted)\" "
        + "stroke-opacity=\"0.4\"/>"
    )
    write(picture.code, 16, height - 31, picture.accent, "font-weight=\"bold\"")
    write(picture.outcome, 16, height - 12, picture.muted)
    add(
      "<rect width=\"\(width)\" height=\"\(height)\" rx=\"10\" fill=\"none\" "
        + "stroke=\"\(picture.muted)\" stroke-opacity=\"0.4\"/>"
    )
  }

  private mutating func draw(_ row: Picture.Row, at y: Int) {
    rectangle(12, y, Self.width - 24, 27, corner: row.corner, row.card)
    let weight = row.message.isUnread ? "font-weight=\"bold\"" : ""
    if row.message.isUnread { write(row.marker, 30, y + 18, row.accent, "text-anchor=\"middle\"") }
    write(row.message.sender, 46, y + 18, row.ink, weight)
    write(row.message.subject, 130, y + 18, row.ink, weight)
    write(
      row.message.time,
      Self.width - 22,
      y + 18,
      row.muted,
      "text-anchor=\"end\""
    )
  }

  private mutating func rectangle(
    _ x: Int,
    _ y: Int,
    _ width: Int,
    _ height: Int,
    corner: Int,
    _ fill: RGBA
  ) {
    let round = corner > 0 ? " rx=\"\(corner)\"" : ""
    add(
      "<rect x=\"\(x)\" y=\"\(y)\" width=\"\(width)\" height=\"\(height)\"\(round) fill=\"\(fill)\"/>"
    )
  }

  private mutating func write(
    _ words: String,
    _ x: Int,
    _ y: Int,
    _ fill: RGBA,
    _ attributes: String = ""
  ) {
    let more = attributes.isEmpty ? "" : " \(attributes)"
    add("<text x=\"\(x)\" y=\"\(y)\" fill=\"\(fill)\"\(more)>\(Self.escaped(words))</text>")
  }

  private mutating func open(_ element: String) {
    add("<\(element)>")
    depth += 1
  }

  private mutating func close(_ name: String) {
    depth -= 1
    add("</\(name)>")
  }

  private mutating func add(_ line: String) {
    text += String(repeating: "  ", count: depth) + line + "\n"
  }

  private static func escaped(_ text: String) -> String {
    var escaped = ""
    for character in text {
      switch character {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      default: escaped.append(character)
      }
    }
    return escaped
  }
}
