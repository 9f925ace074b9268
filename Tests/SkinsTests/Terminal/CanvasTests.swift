import Terminal
import Testing

@Suite("Canvas")
struct CanvasTests {
  private let style = Style(foreground: Color(red: 1, green: 2, blue: 3))

  @Test("Text is drawn at its position, in its style")
  func text() {
    var canvas = Canvas(Size(columns: 8, rows: 2))
    let end = canvas.write("hello", column: 2, row: 1, style)
    #expect(end == 7)
    #expect(canvas.text(row: 0) == "        ")
    #expect(canvas.text(row: 1) == "  hello ")
    #expect(canvas[2, 1] == Cell("h", style))
    #expect(canvas[7, 1] == Cell(" ", Style()))
  }

  @Test("Text outside the canvas is clipped on each side", arguments: -6...6)
  func clipping(_ offset: Int) {
    var canvas = Canvas(Size(columns: 4, rows: 3))
    for row in -2...4 { canvas.write("abcde", column: offset, row: row, style) }
    for column in 0..<4 {
      let index = column - offset
      let expected: Unicode.Scalar =
        0..<5 ~= index ? Array("abcde".unicodeScalars)[index] : " "
      #expect((0..<3).allSatisfy { canvas[column, $0]?.scalar == expected })
    }
    #expect(canvas[-1, 0] == nil)
    #expect(canvas[0, 3] == nil)
  }

  @Test("A filled area is clipped to the canvas")
  func filling() {
    let areas = [
      Area(column: -3, row: -3, columns: 5, rows: 5), Area(column: 2, row: 1, columns: 9, rows: 9),
      Area(column: 1, row: 1, columns: 0, rows: 2), Area(column: 1, row: 1, columns: -4, rows: -4),
      Area(column: 9, row: 9, columns: 2, rows: 2),
      Area(column: Int.max, row: Int.max, columns: Int.max, rows: Int.max),
    ]
    for area in areas {
      var canvas = Canvas(Size(columns: 4, rows: 3))
      canvas.fill(area, style)
      for row in 0..<3 {
        for column in 0..<4 {
          let isInside =
            column >= area.column && column - area.column < area.columns
            && row >= area.row && row - area.row < area.rows
          #expect(canvas[column, row]?.style == (isInside ? style : Style()), "\(area)")
        }
      }
    }
  }

  @Test("A text that is too long ends in an ellipsis", arguments: 0...7)
  func width(_ width: Int) {
    var canvas = Canvas(Size(columns: 8, rows: 1))
    let end = canvas.write("hello", column: 0, row: 0, style, width: width)
    let expected = ["", "…", "h…", "he…", "hel…", "hello", "hello", "hello"][width]
    #expect(end == expected.count)
    #expect(canvas.text(row: 0) == expected + String(repeating: " ", count: 8 - expected.count))
  }

  @Test(
    "A character that is not one cell wide everywhere becomes a question mark",
    arguments: [
      ("a", "a"), ("é", "é"), ("e\u{301}", "e"), ("ß", "ß"), ("→", "→"), ("●", "●"), ("─", "─"),
      ("д", "д"), ("世", "?"), ("🌫", "?"), ("☕", "?"), ("\u{1b}", "?"), ("\n", "?"), ("\t", "?"),
      ("\u{200b}", "?"), ("\u{7f}", "?"), ("\u{9b}", "?"), ("\u{202e}", "?"), ("한", "?"),
      ("\u{301}", "?"), ("Ａ", "?"),
    ]
  )
  func narrow(_ text: String, _ shown: String) {
    var canvas = Canvas(Size(columns: 1, rows: 1))
    #expect(canvas.write(text, column: 0, row: 0, style) == 1)
    #expect(canvas.text(row: 0) == shown)
  }

  @Test("A size is at least one cell and has an upper bound")
  func sizes() {
    #expect(Size(columns: 0, rows: -1) == Size(columns: 1, rows: 1))
    #expect(Size(columns: 65_535, rows: 65_535) == Size(columns: 500, rows: 200))
  }
}
