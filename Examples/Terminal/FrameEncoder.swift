/// The rule of painting: what to write so that the terminal shows a canvas.
///
/// It knows what was painted last, and writes what has changed since. A plain value; whoever writes a
/// frame writes it in one go, and says so with ``invalidate()`` if that went wrong.
///
/// A frame stands inside synchronised output, so that terminals that know it show the whole of it at
/// once; the others ignore the two marks.
package struct FrameEncoder: Sendable {
  /// How many colours there are.
  private let depth: ColourDepth
  /// What the terminal shows; `nil` if nobody knows.
  private var painted: Canvas?

  /// Creates a rule that knows nothing of the terminal yet.
  package init(depth: ColourDepth) { self.depth = depth }

  /// Forgets what was painted: the next frame paints everything.
  package mutating func invalidate() { painted = nil }

  /// Takes in a canvas.
  ///
  /// - Returns: What to write; nothing if the terminal shows the canvas.
  /// - Complexity: O(*n*) in the number of cells.
  package mutating func frame(_ canvas: Canvas) -> [UInt8] {
    if painted == canvas { return [] }
    let known = painted.flatMap { $0.size == canvas.size ? $0 : nil }
    var pen = Pen(depth: depth)
    if known == nil { pen.clear() }
    for row in 0..<canvas.size.rows {
      for column in 0..<canvas.size.columns {
        guard let cell = canvas[column, row], cell != known?[column, row] else { continue }
        pen.put(cell, column: column, row: row)
      }
    }
    painted = canvas
    return pen.finish()
  }
}

/// Writes cells, and no more of control sequences than it takes.
private struct Pen {
  private let depth: ColourDepth
  private var text = "\u{1b}[?2026h"
  /// Where the cursor is; `nil` if that is not known.
  private var column: Int?
  private var row = 0
  /// What was set last, and as what it came out.
  private var style: Style?
  private var shown: ShownStyle?

  init(depth: ColourDepth) { self.depth = depth }

  /// Empties the screen.
  mutating func clear() { text += "\u{1b}[0m\u{1b}[2J" }

  /// Writes a cell; behind it the cursor is known.
  mutating func put(_ cell: Cell, column: Int, row: Int) {
    if self.column != column || self.row != row { text += "\u{1b}[\(row + 1);\(column + 1)H" }
    if style != cell.style {
      style = cell.style
      let next = depth.shown(cell.style)
      if shown != next { text += next.sequence }
      shown = next
    }
    text.unicodeScalars.append(cell.scalar)
    self.column = column + 1
    self.row = row
  }

  mutating func finish() -> [UInt8] { Array((text + "\u{1b}[0m\u{1b}[?2026l").utf8) }
}
