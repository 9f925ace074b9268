/// A theme flattened for lookup: layers merged and aliases followed.
struct ResolvedTheme: Sendable {
  private var values: [ThemeKeys: any AnyThemeValue]

  /// The keys of one alias cycle, with the first key repeated at the end; `nil` if there is none.
  private(set) var cycle: [ThemeKeys]?

  /// Resolves a theme.
  ///
  /// A key whose aliases reach a cycle reads its own default.
  ///
  /// - Complexity: O(*n*) in the number of entries of all layers; O(1) for one layer without
  ///   aliases. Each alias is followed once.
  init(_ stack: ThemeStack) {
    let layer = stack.flattened()
    values = layer.values
    guard !layer.aliases.isEmpty else { return }
    // Sorted by name, so that every run reports the same one of several cycles.
    let names = layer.aliases.keys.sorted(by: Self.precedes)
    var broken: Set<ThemeKeys> = []
    for name in names where values[name] == nil && !broken.contains(name) {
      follow(name, layer.aliases, &broken)
    }
  }

  /// Throws an error if aliases form a cycle.
  ///
  /// - Parameter theme: The theme this one was resolved from; the error names it.
  /// - Throws: ``ThemeError`` with the code ``ThemeError/Code/aliasCycle``.
  func check(_ theme: Theme) throws(ThemeError) {
    guard let cycle else { return }
    throw ThemeError(.aliasCycle, themes: [theme.name], path: cycle.map(\.name))
  }

  /// Returns the value that the theme gives a key, or else the key's default.
  func value(of key: ThemeKeys) -> any AnyThemeValue { values[key] ?? key.boxedDefault }

  /// Returns the keys whose values differ from those of another theme, with their values in this
  /// one.
  ///
  /// - Complexity: O(*n*) in the number of values of both themes.
  func changes(from old: ResolvedTheme) -> [ThemeKeys: any AnyThemeValue] {
    var changes = values.filter { key, value in !value.equals(old.value(of: key)) }
    for (key, before) in old.values where values[key] == nil && !before.equals(key.boxedDefault) {
      changes[key] = key.boxedDefault
    }
    return changes
  }

  /// Orders keys by name, and keys of the same name by type.
  private static func precedes(_ left: ThemeKeys, _ right: ThemeKeys) -> Bool {
    left.name == right.name
      ? String(reflecting: left.valueType) < String(reflecting: right.valueType)
      : left.name < right.name
  }

  /// Follows one alias to its end and stores the value found there for every key on the path.
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

/// The keys that a switch changes, with their new values.
///
/// Every rule of every affected view performs one lookup. Where the numbers of the keys lie close
/// together, as those of one program do, a table indexed by number serves the lookups.
struct ThemeChanges: Sendable {
  private let values: [ThemeKeys: any AnyThemeValue]
  private let first: Int
  /// The values from the lowest key number to the highest; empty if that would be mostly gaps.
  private let table: [(any AnyThemeValue)?]

  /// Builds the table.
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

  var keys: some Collection<ThemeKeys> { values.keys }

  var isEmpty: Bool { values.isEmpty }

  /// The new value of a key, or `nil` if the key did not change.
  ///
  /// - Complexity: O(1).
  subscript(key: ThemeKeys) -> (any AnyThemeValue)? {
    guard !table.isEmpty else { return values[key] }
    let place = key.number - first
    return table.indices.contains(place) ? table[place] : nil
  }
}
