import Terminal
import Theming

extension Canvas {
  /// Draws the second pane: the subscriptions, the keys that the last switch changed, and the last actions.
  ///
  /// Each part has as many lines as it needs, up to a share of all lines.
  mutating func drawPane(_ picture: Picture, from column: Int, _ paper: Style) {
    let pane = Pane(picture, paper, column: column + 2, columns: size.columns - column - 4)
    for row in 1..<(size.rows - 1) { write("│", column: column, row: row, pane.muted) }
    let hasHeaders = size.rows >= Self.tall
    // The lines between the first row and the keys, without three titles, two empty lines and the headers.
    let room = size.rows - 7 - (hasHeaders ? 2 : 0)
    var row = 1
    drawTitle("SUBSCRIPTIONS", hasHeaders ? "one for each view" : "view, rules, keys", pane, &row)
    if hasHeaders { drawHeaders([(0, "view"), (8, "rules"), (14, "keys")], pane, &row) }
    guard room >= 6 else {
      drawList(picture.views, size.rows - 3, pane, &row) { canvas, view, row in
        canvas.drawView(view, at: row, pane, picture)
      }
      return
    }
    let keyCount = max(1, min(picture.changes.count, room / 3))
    let actionCount = max(1, min(picture.history.count, room / 4))
    let viewCount = min(max(1, picture.views.count), room - keyCount - actionCount)
    drawList(picture.views, viewCount, pane, &row) { canvas, view, row in
      canvas.drawView(view, at: row, pane, picture)
    }
    row += 1
    drawTitle("CHANGED KEYS", "by the last switch", pane, &row)
    if hasHeaders { drawHeaders([(0, "key"), (17, "old"), (30, "new")], pane, &row) }
    drawList(picture.changes, keyCount, pane, &row) { canvas, change, row in
      canvas.drawChange(change, at: row, pane)
    }
    row += 1
    drawTitle("ACTIONS", "the last one first", pane, &row)
    drawList(picture.history, actionCount, pane, &row) { canvas, code, row in
      canvas.write(code, column: pane.column, row: row, pane.paper, width: pane.columns)
    }
  }

  /// The height from which lists have headers.
  private static let tall = 26

  private mutating func drawHeaders(_ names: [(Int, String)], _ pane: Pane, _ row: inout Int) {
    for (column, name) in names { write(name, column: pane.column + column, row: row, pane.muted) }
    row += 1
  }

  private mutating func drawTitle(_ title: String, _ rest: String, _ pane: Pane, _ row: inout Int) {
    let end = write(title, column: pane.column, row: row, pane.accent)
    write(rest, column: end + 2, row: row, pane.muted, width: pane.columns - title.count - 2)
    row += 1
  }

  /// Draws the first elements, and the number of the others in place of the last.
  private mutating func drawList<Element>(
    _ elements: [Element],
    _ lines: Int,
    _ pane: Pane,
    _ row: inout Int,
    _ draw: (inout Canvas, Element, Int) -> Void
  ) {
    let isCut = elements.count > lines
    let shown = isCut ? lines - 1 : elements.count
    for element in elements.prefix(shown) {
      draw(&self, element, row)
      row += 1
    }
    if elements.isEmpty {
      write("none", column: pane.column, row: row, pane.muted)
      row += 1
    } else if isCut {
      write("… and \(elements.count - shown) more", column: pane.column, row: row, pane.muted)
      row += 1
    }
  }

  private mutating func drawView(
    _ view: Picture.Subscription,
    at row: Int,
    _ pane: Pane,
    _ picture: Picture
  ) {
    var (name, keys) = (pane.paper, pane.muted)
    if view.isLit {
      let lit = Style(
        foreground: Color(picture.paper),
        background: Color(picture.ink),
        standsOut: true
      )
      (name, keys) = (lit, lit)
      fill(Area(column: pane.column, row: row, columns: pane.columns, rows: 1), lit)
    }
    write(view.view, column: pane.column, row: row, name, width: 10)
    write("\(view.keys.count)", column: pane.column + 11, row: row, name)
    let list = view.keys.joined(separator: " ")
    write(list, column: pane.column + 14, row: row, keys, width: pane.columns - 14)
  }

  private mutating func drawChange(_ change: Picture.Change, at row: Int, _ pane: Pane) {
    write(change.key, column: pane.column, row: row, pane.paper, width: 16)
    draw(change.old, at: pane.column + 17, row, pane)
    write("→", column: pane.column + 28, row: row, pane.muted)
    draw(change.new, at: pane.column + 30, row, pane)
  }

  /// Draws a value, after a swatch if it is a color.
  private mutating func draw(_ value: Picture.Value, at column: Int, _ row: Int, _ pane: Pane) {
    if let color = value.color {
      let swatch = Area(column: column, row: row, columns: 2, rows: 1)
      fill(swatch, Style(foreground: Color(color), background: Color(color)))
    }
    write(value.text, column: column + 3, row: row, pane.paper, width: 7)
  }
}

/// The place and the styles of the second pane.
private struct Pane {
  let column: Int
  let columns: Int
  let paper: Style
  let muted: Style
  let accent: Style

  init(_ picture: Picture, _ paper: Style, column: Int, columns: Int) {
    self.column = column
    self.columns = columns
    self.paper = paper
    muted = Style(foreground: Color(picture.muted), background: paper.background)
    accent = Style(
      foreground: Color(picture.accent),
      background: paper.background,
      isBold: true
    )
  }
}
