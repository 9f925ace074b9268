/// A grid of cells to draw on.
///
/// Whatever lies outside is not drawn. A plain value; see ``FrameEncoder`` for its way to the terminal.
package struct Canvas: Hashable, Sendable {
  /// How large it is.
  package let size: Size

  /// Row after row.
  private var cells: [Cell]

  /// Creates an empty canvas.
  ///
  /// - Parameters:
  ///   - size: How large it is.
  ///   - style: How its empty cells look.
  package init(_ size: Size, style: Style = Style()) {
    self.size = size
    cells = Array(repeating: Cell(" ", style), count: size.columns * size.rows)
  }

  /// The cell at a place, or `nil` outside.
  package subscript(column: Int, row: Int) -> Cell? { index(column, row).map { cells[$0] } }

  /// The text of a row, as wide as the canvas; empty outside.
  package func text(row: Int) -> String {
    var text = String.UnicodeScalarView()
    for column in 0..<size.columns {
      if let cell = self[column, row] { text.append(cell.scalar) }
    }
    return String(text)
  }

  /// Makes an area empty.
  package mutating func fill(_ area: Area, _ style: Style) {
    let columns = range(area.column, area.columns, within: size.columns)
    for row in range(area.row, area.rows, within: size.rows) {
      for column in columns { cells[row * size.columns + column] = Cell(" ", style) }
    }
  }

  /// Writes a text, each character in one cell.
  ///
  /// - Parameters:
  ///   - text: One line; what is no character of one cell becomes a question mark.
  ///   - column: Where it begins.
  ///   - row: Where it stands.
  ///   - style: How it looks.
  ///   - width: How many cells it may take; a longer one ends in `…`. At first as many as it likes.
  /// - Returns: The column behind it, whether or not it was drawn.
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

  /// The part of some places that lies inside.
  private func range(_ start: Int, _ count: Int, within limit: Int) -> Range<Int> {
    let first = min(max(start, 0), limit)
    let (end, overflows) = start.addingReportingOverflow(max(count, 0))
    return first..<max(first, min(overflows ? limit : end, limit))
  }
}
