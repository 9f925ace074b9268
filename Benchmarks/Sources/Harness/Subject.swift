/// One subject of a comparison: a column of the table.
public struct Subject: Hashable, Sendable {
  /// The heading of the column.
  public let name: String

  /// Creates a subject; two with the same name are the same column.
  public init(_ name: String) {
    self.name = name
  }
}
