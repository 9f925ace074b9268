/// The keys that read something else after a switch, each with what it reads.
///
/// Asked once for every rule of every view that is touched, so it is a table by the number of the
/// key where the numbers lie close together, as those of one program's keys do.
internal struct ThemeChanges: Sendable {
  private let values: [ThemeKeys: any AnyThemeValue]
  private let first: Int
  /// The values from the lowest number to the highest; empty when that would be mostly gaps.
  private let table: [(any AnyThemeValue)?]

  /// Makes the table of some changes.
  ///
  /// - Complexity: O(*n*) in the number of changes.
  internal init(_ values: [ThemeKeys: any AnyThemeValue]) {
    self.values = values
    let numbers = values.keys.map(\.number)
    first = numbers.min() ?? 0
    let length = (numbers.max() ?? 0) - first + 1
    guard length <= 8 * values.count + 64 else {
      table = []
      return
    }
    var table = [(any AnyThemeValue)?](repeating: nil, count: length)
    for (key, value) in values { table[key.number - first] = value }
    self.table = table
  }

  /// The keys.
  internal var keys: some Collection<ThemeKeys> { values.keys }

  /// Whether nothing reads something else.
  internal var isEmpty: Bool { values.isEmpty }

  /// What a key reads now, or `nil` when that has not changed.
  ///
  /// - Complexity: O(1).
  internal subscript(key: ThemeKeys) -> (any AnyThemeValue)? {
    guard !table.isEmpty else { return values[key] }
    let place = key.number - first
    return table.indices.contains(place) ? table[place] : nil
  }
}
