import Terminal
import Theming

extension Canvas {
  /// Draws a picture for a terminal.
  init(_ picture: Picture, _ size: Size) {
    let paper = Style(foreground: Color(picture.ink), background: Color(picture.paper))
    self.init(size, style: paper)
    if size.columns < Layout.smallest.columns || size.rows < Layout.smallest.rows {
      write("too small", column: 0, row: size.rows / 2, paper, width: size.columns)
      return
    }
    let layout = Layout(picture, size)
    drawBar(picture)
    drawStrip(picture, layout, paper)
    for (offset, line) in layout.introduction.enumerated() {
      write(line, column: 2, row: 2 + offset, paper)
    }
    drawRows(picture, layout)
    drawFooter(picture, layout, paper)
    drawPanel(picture, layout)
    if layout.columns < size.columns { drawPane(picture, from: layout.columns, paper) }
  }

  private mutating func drawBar(_ picture: Picture) {
    var style = Style(
      foreground: Color(picture.barText),
      background: Color(picture.barGround),
      isBold: true,
      standsOut: true
    )
    fill(Area(column: 0, row: 0, columns: size.columns, rows: 1), style)
    write("Mail", column: 2, row: 0, style)
    let unread = picture.rows.count { $0.message.isUnread }
    style.isBold = false
    write("\(unread) unread", column: 8, row: 0, style)
    let name = "\(picture.skin), \(picture.appearance)"
    let skin = size.columns < Self.roomy ? name : "skin: \(name)"
    let width = min(skin.count, size.columns - 24)
    write(skin, column: size.columns - width - 2, row: 0, style, width: width)
  }

  /// Draws the skins with the colors of their paper, accent and ink; the one in use stands out.
  private mutating func drawStrip(_ picture: Picture, _ layout: Layout, _ paper: Style) {
    for (skin, tab) in zip(picture.skins, layout.tabs) {
      var style = Style(foreground: Color(picture.muted), background: paper.background)
      if skin.isInUse {
        style = Style(
          foreground: Color(picture.paper),
          background: Color(picture.accent),
          isBold: true,
          standsOut: true
        )
      }
      let columns = tab.columns
      fill(Area(column: columns.lowerBound, row: 1, columns: columns.count, rows: 1), style)
      let end = write(tab.label, column: columns.lowerBound + 1, row: 1, style)
      for (offset, color) in skin.swatches.prefix(tab.swatchCount).enumerated() {
        let swatch = Area(column: end + 1 + offset, row: 1, columns: 1, rows: 1)
        fill(swatch, Style(foreground: Color(color), background: Color(color)))
      }
    }
  }

  private mutating func drawRows(_ picture: Picture, _ layout: Layout) {
    let style = Style(foreground: Color(picture.muted), background: Color(picture.paper))
    if let header = layout.header, !layout.rows.isEmpty {
      write("from", column: 6, row: header, style)
      write("subject", column: 17, row: header, style)
      write("time", column: layout.columns - 8, row: header, style)
    }
    for (index, line) in layout.rows {
      let isSelected = index == picture.selection
      if isSelected {
        let style = Style(
          foreground: Color(picture.accent),
          background: Color(picture.paper),
          isBold: true
        )
        write("▸", column: 1, row: line, style)
      }
      drawRow(picture.rows[index], at: line, columns: layout.columns, picture)
    }
    if let (count, line) = layout.above { write("… \(count) above", column: 4, row: line, style) }
    if let (count, line) = layout.below {
      write("… and \(count) more", column: 4, row: line, style)
    }
  }

  private mutating func drawRow(
    _ row: Picture.Row,
    at line: Int,
    columns: Int,
    _ picture: Picture
  ) {
    // A row that was called is inverted: no skin has a color for that, and all have both of these.
    let card = Color(row.isLit ? row.ink : row.card)
    let style = { (color: RGBA, isBold: Bool) in
      Style(
        foreground: Color(row.isLit ? row.card : color),
        background: card,
        isBold: isBold,
        standsOut: row.isLit
      )
    }
    let width = columns - 4
    let isUnread = row.message.isUnread
    let ink = style(row.ink, isUnread)
    fill(Area(column: 2, row: line, columns: width, rows: 1), ink)
    if isUnread {
      var marker = style(row.accent, true)
      // The accent stays visible, because it may have changed.
      if row.accent.contrast(with: row.ink) >= 2 { marker.foreground = Color(row.accent) }
      write(row.marker, column: 4, row: line, marker, width: 1)
    }
    write(row.message.sender, column: 6, row: line, ink, width: 10)
    write(row.message.subject, column: 17, row: line, ink, width: width - 23)
    if !row.isFollowing { write("×", column: width - 6, row: line, style(row.muted, false)) }
    write(row.message.time, column: width - 4, row: line, style(row.muted, false))
  }

  private mutating func drawFooter(_ picture: Picture, _ layout: Layout, _ paper: Style) {
    let muted = Style(foreground: Color(picture.muted), background: paper.background)
    let accent = Style(
      foreground: Color(picture.accent),
      background: paper.background,
      isBold: true
    )
    let line = layout.footer
    let width = layout.columns - 4
    write(String(repeating: "─", count: layout.columns), column: 0, row: line, muted)
    let number = picture.subscriptions
    let count = " \(number) view\(number == 1 ? "" : "s")"
    let full = count + " follow\(number == 1 ? "s" : "") the theme"
    let story = picture.countStory.isEmpty ? "" : " \(picture.countStory) "
    let isShort = full.count + story.count > layout.columns - 6
    let end = write((isShort ? count : full) + " ", column: 2, row: line, accent)
    write(story, column: end + 1, row: line, muted, width: layout.columns - end - 2)
    var column = 2
    if layout.columns >= Self.roomy {
      column = 10
      write("Swift", column: 2, row: line + 1, muted)
      write("effect", column: 2, row: line + 2, muted)
    }
    write(picture.code, column: column, row: line + 1, accent, width: width + 2 - column)
    drawOutcome(picture, column, line + 2, paper, width: width + 2 - column)
    let help = Self.helps.first { $0.count <= size.columns - 2 } ?? ""
    write(help, column: 2, row: line + 3, muted)
  }

  /// Draws the outcome; the number of called views looks like these views while they are highlighted.
  private mutating func drawOutcome(
    _ picture: Picture,
    _ column: Int,
    _ row: Int,
    _ paper: Style,
    width: Int
  ) {
    var end = write(picture.outcome, column: column, row: row, paper, width: width)
    guard let reach = picture.reach else { return }
    var style = paper
    if reach.isLit {
      (style.foreground, style.background) = (paper.background, paper.foreground)
      (style.standsOut, style.isBold) = (true, true)
    }
    end = write(reach.called, column: end, row: row, style, width: column + width - end)
    write(reach.skipped, column: end, row: row, paper, width: column + width - end)
  }

  /// The width from which lines have captions.
  private static let roomy = 72

  /// The keys, in words that grow with the screen.
  private static let helps = [
    "1-5 skin  b brand  n new  d drop  x nil  o scope  s system  e explain  ↑↓ select  v events  ? keys  q quit",
    "1-5 skin  b brand  n new  d drop  x nil  o scope  s system  e explain  ↑↓  v events  ? keys  q quit",
    "1-5 skin  b brand  n new  d drop  x nil  o scope  ↑↓  v events  ? keys  q quit",
    "1-5 skin  b brand  n new  d drop  ↑↓  v events  ? keys  q quit",
    "1-5 skin  b brand  n new  d drop  v  ↑↓  ? keys  q quit",
    "1-5 skin  b n d x o s e v ↑↓ ?  q quit",
  ]

  private mutating func drawPanel(_ picture: Picture, _ layout: Layout) {
    let bottom = layout.footer
    let wrapped = picture.panel.flatMap { Self.wrapped($0, layout.columns - 8) }
    let lines = wrapped.prefix(max(1, bottom - 3))
    guard !lines.isEmpty else { return }
    let width = (lines.map(\.count).max() ?? 0) + 4
    let column = layout.columns - width - 2
    let row = bottom - lines.count - 2
    let style = Style(
      foreground: Color(picture.barText),
      background: Color(picture.barGround),
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
  static func wrapped(_ text: String, _ width: Int) -> [String] {
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

extension Color {
  /// Converts a color of a skin; terminals have no translucent colors.
  init(_ color: RGBA) { self.init(red: color.red, green: color.green, blue: color.blue) }
}
