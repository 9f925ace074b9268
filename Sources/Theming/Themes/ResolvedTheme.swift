/// A theme as views see it: its layers laid over one another, its aliases followed, each key looked
/// up once.
struct ResolvedTheme: Sendable {
  private var values: [ThemeKeys: any AnyThemeValue]

  /// The keys of an alias cycle, from one of them round to the same one again; `nil` when there is
  /// none.
  private(set) var cycle: [ThemeKeys]?

  /// Resolves a theme.
  ///
  /// A key that leads into a cycle reads its own default.
  ///
  /// - Complexity: O(*n*) in the number of entries of all layers; O(1) for one layer without
  ///   aliases. Aliases are followed once each.
  init(_ stack: ThemeStack) {
    let layer = stack.flattened()
    values = layer.values
    guard !layer.aliases.isEmpty else { return }
    // By name, so that of several cycles the same one is reported on every run.
    let names = layer.aliases.keys.sorted(by: Self.precedes)
    var broken: Set<ThemeKeys> = []
    for name in names where values[name] == nil && !broken.contains(name) {
      follow(name, layer.aliases, &broken)
    }
  }

  /// Throws if aliases lead in a circle.
  ///
  /// - Parameter theme: The theme that this is, to be named.
  /// - Throws: ``ThemeError`` with the code ``ThemeError/Code/aliasCycle``.
  func check(_ theme: Theme) throws(ThemeError) {
    guard let cycle else { return }
    throw ThemeError(.aliasCycle, themes: [theme.name], path: cycle.map(\.name))
  }

  /// The value of a key: the theme's or else the key's default.
  func value(of key: ThemeKeys) -> any AnyThemeValue { values[key] ?? key.boxedDefault }

  /// The keys that read something else than before, each with its value now.
  ///
  /// - Complexity: O(*n*) in the number of values of both.
  func changes(from old: ResolvedTheme) -> [ThemeKeys: any AnyThemeValue] {
    var changes = values.filter { key, value in !value.equals(old.value(of: key)) }
    for (key, before) in old.values where values[key] == nil && !before.equals(key.boxedDefault) {
      changes[key] = key.boxedDefault
    }
    return changes
  }

  /// Whether a key comes before another one by its name, and, with equal names, by its type.
  private static func precedes(_ left: ThemeKeys, _ right: ThemeKeys) -> Bool {
    left.name == right.name
      ? String(reflecting: left.valueType) < String(reflecting: right.valueType)
      : left.name < right.name
  }

  /// Follows one alias to its end, and gives every key on the way what was found there.
  private mutating func follow(
    _ start: ThemeKeys,
    _ aliases: [ThemeKeys: ThemeKeys],
    _ broken: inout Set<ThemeKeys>
  ) {
    var path = [start]
    var places = [start: 0]
    var current = start
    while values[current] == nil, !broken.contains(current), let target = aliases[current] {
      if let place = places[target] {
        cycle = cycle ?? Array(path[place...]) + [target]
        broken.formUnion(path)
        return
      }
      places[target] = path.count
      path.append(target)
      current = target
    }
    if broken.contains(current) {
      broken.formUnion(path)
      return
    }
    let found = value(of: current)
    for key in path where aliases[key] != nil { values[key] = found }
  }
}

/// The keys that read something else after a switch, each with what it reads.
///
/// Asked once for every rule of every view that is touched, so it is a table by the number of the
/// key where the numbers lie close together, as those of one program's keys do.
struct ThemeChanges: Sendable {
  private let values: [ThemeKeys: any AnyThemeValue]
  private let first: Int
  /// The values from the lowest number to the highest; empty when that would be mostly gaps.
  private let table: [(any AnyThemeValue)?]

  /// Makes the table of some changes.
  ///
  /// - Complexity: O(*n*) in the number of changes.
  init(_ values: [ThemeKeys: any AnyThemeValue]) {
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
  var keys: some Collection<ThemeKeys> { values.keys }

  /// Whether nothing reads something else.
  var isEmpty: Bool { values.isEmpty }

  /// What a key reads now, or `nil` when that has not changed.
  ///
  /// - Complexity: O(1).
  subscript(key: ThemeKeys) -> (any AnyThemeValue)? {
    guard !table.isEmpty else { return values[key] }
    let place = key.number - first
    return table.indices.contains(place) ? table[place] : nil
  }
}
