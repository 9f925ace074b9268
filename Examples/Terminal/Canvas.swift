/// A grid of cells to draw on.
///
/// Drawing outside the grid has no effect. A plain value; ``FrameEncoder`` encodes it for a terminal.
package struct Canvas: Hashable, Sendable {
  /// The size of the grid.
  package let size: Size

  /// The cells in row-major order.
  private var cells: [Cell]

  /// Creates an empty canvas.
  ///
  /// - Parameters:
  ///   - size: The size of the grid.
  ///   - style: The style of empty cells.
  package init(_ size: Size, style: Style = Style()) {
    self.size = size
    cells = Array(repeating: Cell(" ", style), count: size.columns * size.rows)
  }

  /// The cell at a position, or `nil` outside the grid.
  package subscript(column: Int, row: Int) -> Cell? { index(column, row).map { cells[$0] } }

  /// Returns the text of a row, as wide as the canvas; empty outside the grid.
  package func text(row: Int) -> String {
    var text = String.UnicodeScalarView()
    for column in 0..<size.columns {
      if let cell = self[column, row] { text.append(cell.scalar) }
    }
    return String(text)
  }

  /// Fills an area with empty cells.
  package mutating func fill(_ area: Area, _ style: Style) {
    let columns = range(area.column, area.columns, within: size.columns)
    for row in range(area.row, area.rows, within: size.rows) {
      for column in columns { cells[row * size.columns + column] = Cell(" ", style) }
    }
  }

  /// Writes a line of text, one cell for each character.
  ///
  /// - Parameters:
  ///   - text: The line. A character that does not fit one cell becomes a question mark.
  ///   - column: The first column.
  ///   - row: The row.
  ///   - style: The style of the text.
  ///   - width: The maximum number of cells; a longer text ends in `…`. Unlimited by default.
  /// - Returns: The column after the text, even if it is outside the grid.
  @discardableResult
  package mutating func write(
    _ text: String,
    column: Int,
    row: Int,
    _ style: Style,
    width: Int = Int.max
  ) -> Int {
    var scalars = text.map(Cell.narrow)
    if scalars.count > width {
      scalars = Array(scalars.prefix(max(width - 1, 0)))
      if width > 0 { scalars.append("…") }
    }
    for (offset, scalar) in scalars.enumerated() {
      if let index = index(column + offset, row) { cells[index] = Cell(scalar, style) }
    }
    return column + scalars.count
  }

  private func index(_ column: Int, _ row: Int) -> Int? {
    guard 0..<size.columns ~= column, 0..<size.rows ~= row else { return nil }
    return row * size.columns + column
  }

  /// Clamps a run of columns or rows to the grid.
  private func range(_ start: Int, _ count: Int, within limit: Int) -> Range<Int> {
    let first = min(max(start, 0), limit)
    let (end, overflows) = start.addingReportingOverflow(max(count, 0))
    return first..<max(first, min(overflows ? limit : end, limit))
  }
}
