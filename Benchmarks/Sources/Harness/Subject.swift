/// One contender: a column of the table.
public struct Subject: Hashable, Sendable {
  /// What the column is headed.
  public let name: String

  /// Makes a contender; two with the same name are the same column.
  public init(_ name: String) {
    self.name = name
  }
}
