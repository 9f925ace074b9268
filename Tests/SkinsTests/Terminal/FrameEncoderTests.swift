import Terminal
import TestSupport
import Testing

@Suite("Frame encoder")
struct FrameEncoderTests {
  @Test("Replayed on a terminal, frames show the canvas", arguments: ColorDepth.allCases)
  func replay(_ depth: ColorDepth) {
    var numbers = SeededNumbers(seed: 42)
    for size in [Size(columns: 1, rows: 1), Size(columns: 10, rows: 3), Size(columns: 33, rows: 9)]
    {
      var encoder = FrameEncoder(depth: depth)
      var canvas = Canvas(size)
      var screen = Screen(columns: size.columns, rows: size.rows)
      for step in 0..<60 {
        scribble(on: &canvas, &numbers)
        if step % 17 == 16 {
          // Another program wrote on the screen.
          screen.feed("\u{1b}[1;1Hjunk".utf8)
          encoder.invalidate()
        }
        screen.feed(encoder.frame(canvas))
        #expect(screen.shows(canvas, depth), "\(size), step \(step)")
        #expect(screen.unknown.isEmpty)
        #expect(!screen.isInFrame)
      }
    }
  }

  @Test("Unchanged cells are not written again")
  func minimalSplices() {
    var canvas = Canvas(Size(columns: 20, rows: 5))
    var encoder = FrameEncoder(depth: .trueColor)
    var screen = Screen(columns: 20, rows: 5)
    screen.feed(encoder.frame(canvas))
    #expect(encoder.frame(canvas).isEmpty)
    canvas.write("abc", column: 3, row: 2, Style())
    screen.feed(encoder.frame(canvas))
    canvas.write("abX", column: 3, row: 2, Style())
    let last = encoder.frame(canvas)
    screen.feed(last)
    #expect(screen.cellsPerFrame == [100, 3, 1])
    #expect(String(decoding: last, as: UTF8.self).contains("\u{1b}[3;6H"))
  }

  @Test("A new size repaints everything on an empty screen")
  func resize() {
    var encoder = FrameEncoder(depth: .named)
    var screen = Screen(columns: 9, rows: 4)
    var canvas = Canvas(Size(columns: 9, rows: 4))
    canvas.fill(
      Area(column: 0, row: 0, columns: 9, rows: 4),
      Style(background: Color(red: 200, green: 0, blue: 0))
    )
    screen.feed(encoder.frame(canvas))
    for (columns, rows) in [(4, 2), (12, 7)] {
      screen.resize(columns: columns, rows: rows)
      canvas = Canvas(Size(columns: columns, rows: rows))
      canvas.write("here", column: 0, row: 1, Style())
      screen.feed(encoder.frame(canvas))
      #expect(screen.shows(canvas, .named))
    }
  }

  @Test("A frame is enclosed in synchronized-output marks and resets its style")
  func marks() {
    var encoder = FrameEncoder(depth: .palette)
    var canvas = Canvas(Size(columns: 3, rows: 1))
    canvas.write("abc", column: 0, row: 0, Style(isBold: true))
    let text = String(decoding: encoder.frame(canvas), as: UTF8.self)
    #expect(text.hasPrefix("\u{1b}[?2026h"))
    #expect(text.hasSuffix("\u{1b}[0m\u{1b}[?2026l"))
  }

  private func scribble(on canvas: inout Canvas, _ numbers: inout SeededNumbers) {
    let colors = (0..<2).map { _ in
      Bool.random(using: &numbers)
        ? nil
        : Color(
          red: .random(in: 0...255, using: &numbers),
          green: .random(in: 0...255, using: &numbers),
          blue: .random(in: 0...255, using: &numbers)
        )
    }
    let style = Style(
      foreground: colors[0],
      background: colors[1],
      isBold: .random(using: &numbers),
      standsOut: .random(using: &numbers)
    )
    let column = Int.random(in: -3...34, using: &numbers)
    let row = Int.random(in: -2...9, using: &numbers)
    if Bool.random(using: &numbers) {
      canvas.write("Zeile für Zeile ─ ●", column: column, row: row, style)
    } else {
      canvas.fill(Area(column: column, row: row, columns: 7, rows: 2), style)
    }
  }
}
