import Terminal
import Theming

extension Canvas {
  /// Draws a picture for a terminal.
  init(_ picture: Picture, _ size: Size) {
    let paper = Style(foreground: Colour(picture.ink), background: Colour(picture.paper))
    self.init(size, style: paper)
    if size.columns < 40 || size.rows < 9 {
      write("too small", column: 0, row: size.rows / 2, paper, width: size.columns)
      return
    }
    drawBar(picture)
    drawRows(picture, below: 1, above: size.rows - 4)
    drawFooter(picture, paper)
    drawPanel(picture, above: size.rows - 4)
  }

  private mutating func drawBar(_ picture: Picture) {
    var style = Style(
      foreground: Colour(picture.barText),
      background: Colour(picture.barGround),
      isBold: true,
      standsOut: true
    )
    fill(Area(column: 0, row: 0, columns: size.columns, rows: 1), style)
    write("Mail", column: 2, row: 0, style)
    let unread = picture.rows.count { $0.message.isUnread }
    style.isBold = false
    write("\(unread) unread", column: 8, row: 0, style)
    let skin = "\(picture.skin), \(picture.appearance)"
    let width = min(skin.count, size.columns - 24)
    write(skin, column: size.columns - width - 2, row: 0, style, width: width)
  }

  /// Draws the rows, spaced out if there is room.
  private mutating func drawRows(_ picture: Picture, below top: Int, above bottom: Int) {
    let room = bottom - top
    let step = 2 * picture.rows.count < room ? 2 : 1
    let first = step == 2 ? top + 1 : top
    let isCut = picture.rows.count > room
    let shown = isCut ? room - 1 : picture.rows.count
    for (index, row) in picture.rows.prefix(shown).enumerated() {
      drawRow(row, at: first + index * step)
    }
    if isCut {
      let style = Style(foreground: Colour(picture.muted), background: Colour(picture.paper))
      write("… and \(picture.rows.count - shown) more", column: 4, row: bottom - 1, style)
    }
  }

  private mutating func drawRow(_ row: Picture.Row, at line: Int) {
    let card = Colour(row.card)
    let width = size.columns - 4
    var ink = Style(foreground: Colour(row.ink), background: card)
    fill(Area(column: 2, row: line, columns: width, rows: 1), ink)
    ink.isBold = row.message.isUnread
    if row.message.isUnread {
      let style = Style(foreground: Colour(row.accent), background: card, isBold: true)
      write(row.marker, column: 4, row: line, style, width: 1)
    }
    let muted = Style(foreground: Colour(row.muted), background: card)
    write(row.message.sender, column: 6, row: line, ink, width: 10)
    write(row.message.subject, column: 17, row: line, ink, width: width - 23)
    if !row.isFollowing { write("×", column: width - 6, row: line, muted) }
    write(row.message.time, column: width - 4, row: line, muted)
  }

  private mutating func drawFooter(_ picture: Picture, _ paper: Style) {
    let muted = Style(foreground: Colour(picture.muted), background: paper.background)
    let accent = Style(
      foreground: Colour(picture.accent),
      background: paper.background,
      isBold: true
    )
    let line = size.rows - 4
    let width = size.columns - 4
    write(String(repeating: "─", count: size.columns), column: 0, row: line, muted)
    write(picture.code, column: 2, row: line + 1, accent, width: width)
    write(picture.outcome, column: 2, row: line + 2, paper, width: width)
    write(Self.help, column: 2, row: line + 3, muted, width: width)
  }

  private static let help = "q quit  1-5 skin  n new  d drop  x nil  o scope  s system  e explain"

  private mutating func drawPanel(_ picture: Picture, above bottom: Int) {
    let lines = picture.panel.flatMap { Self.wrapped($0, size.columns - 8) }
    guard !lines.isEmpty else { return }
    let width = (lines.map(\.count).max() ?? 0) + 4
    let column = size.columns - width - 2
    let row = bottom - lines.count - 2
    let style = Style(
      foreground: Colour(picture.barText),
      background: Colour(picture.barGround),
      standsOut: true
    )
    let rule = String(repeating: "─", count: width - 2)
    write("┌\(rule)┐", column: column, row: row, style)
    for (index, line) in lines.enumerated() {
      fill(Area(column: column, row: row + 1 + index, columns: width, rows: 1), style)
      write("│", column: column, row: row + 1 + index, style)
      write(line, column: column + 2, row: row + 1 + index, style)
      write("│", column: column + width - 1, row: row + 1 + index, style)
    }
    write("└\(rule)┘", column: column, row: bottom - 1, style)
  }

  /// Wraps a text to a width; breaks words that are longer.
  private static func wrapped(_ text: String, _ width: Int) -> [String] {
    var lines = [""]
    for word in text.split(separator: " ") {
      var rest = word
      let line = lines[lines.count - 1]
      if line.count + 1 + rest.count <= width {
        lines[lines.count - 1] += line.isEmpty ? String(rest) : " " + rest
        continue
      }
      if line.isEmpty { lines.removeLast() }
      while !rest.isEmpty {
        lines.append(String(rest.prefix(width)))
        rest = rest.dropFirst(width)
      }
    }
    return lines
  }
}

extension Colour {
  /// Converts a colour of a skin; terminals have no translucent colours.
  init(_ colour: RGBA) { self.init(red: colour.red, green: colour.green, blue: colour.blue) }
}
