/// The size of a window or a canvas, in cells.
package struct Size: Hashable, Sendable {
  /// The number of columns, from 1 to 500.
  package let columns: Int
  /// The number of rows, from 1 to 200.
  package let rows: Int

  /// Creates a size, clamped to the bounds.
  package init(columns: Int, rows: Int) {
    self.columns = min(max(columns, 1), 500)
    self.rows = min(max(rows, 1), 200)
  }

  /// The size assumed if a terminal does not report its own.
  package static let usual = Size(columns: 80, rows: 24)
}
