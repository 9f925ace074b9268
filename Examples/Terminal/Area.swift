/// A rectangle of cells, which may be partly or wholly outside the canvas.
package struct Area: Hashable, Sendable {
  /// The first column.
  package var column: Int
  /// The first row.
  package var row: Int
  /// The number of columns; a negative number counts as 0.
  package var columns: Int
  /// The number of rows; a negative number counts as 0.
  package var rows: Int

  /// Creates an area.
  package init(column: Int, row: Int, columns: Int, rows: Int) {
    self.column = column
    self.row = row
    self.columns = columns
    self.rows = rows
  }
}
