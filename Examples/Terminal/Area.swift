/// A rectangle of cells; it may lie outside the canvas in part or as a whole.
package struct Area: Hashable, Sendable {
  /// The first column.
  package var column: Int
  /// The first row.
  package var row: Int
  /// The number of columns; none if it is negative.
  package var columns: Int
  /// The number of rows; none if it is negative.
  package var rows: Int

  /// Creates an area.
  package init(column: Int, row: Int, columns: Int, rows: Int) {
    self.column = column
    self.row = row
    self.columns = columns
    self.rows = rows
  }
}
