/// Encodes a canvas as the bytes that make a terminal show it.
///
/// The encoder remembers the last frame and encodes only the changes. A plain value. Callers write a
/// frame at once, and call ``invalidate()`` if writing fails.
///
/// A frame is enclosed in synchronized output, so terminals that support it show the whole frame at once.
/// Other terminals ignore the two markers.
package struct FrameEncoder: Sendable {
  /// The color depth of the terminal.
  private let depth: ColorDepth
  /// The canvas that the terminal shows; `nil` if unknown.
  private var painted: Canvas?

  /// Creates an encoder for a terminal with unknown contents.
  package init(depth: ColorDepth) { self.depth = depth }

  /// Discards the last frame, so that the next one paints every cell.
  package mutating func invalidate() { painted = nil }

  /// Encodes a canvas.
  ///
  /// - Returns: The bytes to write; empty if the terminal already shows the canvas.
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

/// Writes cells with as few control sequences as possible.
private struct Pen {
  private let depth: ColorDepth
  private var text = "\u{1b}[?2026h"
  /// The column of the cursor; `nil` if unknown.
  private var column: Int?
  private var row = 0
  /// The style set last, and the one the terminal shows for it.
  private var style: Style?
  private var shown: ShownStyle?

  init(depth: ColorDepth) { self.depth = depth }

  mutating func clear() { text += "\u{1b}[0m\u{1b}[2J" }

  /// Writes a cell, moving the cursor if necessary.
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
