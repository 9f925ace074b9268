/// The registrations of a loader in their order, before its launch.
///
/// A plain value.
internal struct LaunchRoster: Sendable {
  /// The rows, in order of registration.
  internal private(set) var rows: [LaunchRow] = []
  /// Whether there is nothing to plan: no dependencies, and no phase but the usual one.
  internal private(set) var isPlain = true
  private var withdrawnCount = 0

  /// Creates an empty roster.
  internal init() {}

  /// Adds a registration at the end.
  ///
  /// - Complexity: Amortized O(1).
  internal mutating func append(_ row: LaunchRow) {
    if !row.registration.isPlain { isPlain = false }
    rows.append(row)
  }

  /// Takes a waiting registration out.
  ///
  /// Until gaps are closed, what was withdrawn takes at most as many places as rows, or eight.
  ///
  /// - Returns: The row, or `nil` if it does not wait.
  /// - Complexity: O(log *n*), amortized.
  internal mutating func withdraw(_ serial: UInt64) -> LaunchRow? {
    guard let place = rows.place(of: serial), rows[place].status == .waiting else { return nil }
    rows[place].status = .withdrawn
    let row = rows[place]
    withdrawnCount += 1
    if withdrawnCount > max(8, rows.count / 2) { closeGaps() }
    return row
  }

  /// Hands all rows out.
  ///
  /// - Complexity: O(1), or O(*n*) if there are gaps to close.
  internal mutating func takeRows() -> [LaunchRow] {
    closeGaps()
    defer { self = LaunchRoster() }
    return rows
  }

  private mutating func closeGaps() {
    guard withdrawnCount > 0 else { return }
    rows.removeAll { $0.status == .withdrawn }
    withdrawnCount = 0
  }
}

extension [LaunchRow] {
  /// Where the row of a number is, if it is there.
  ///
  /// - Complexity: O(log *n*).
  internal func place(of serial: UInt64) -> Int? {
    var low = 0
    var high = count
    while low < high {
      let middle = low + (high - low) / 2
      if self[middle].serial < serial { low = middle + 1 } else { high = middle }
    }
    return low < count && self[low].serial == serial ? low : nil
  }
}
