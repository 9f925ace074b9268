internal import EventBus

/// A theme flattened for lookup: layers merged and aliases followed.
struct ResolvedTheme: Sendable {
  let theme: Theme

  /// The entries of all layers, with values in place of aliases; aliases that reach a cycle remain.
  private var entries: [AnyThemeKey: ThemeLayer.Entry]

  /// The keys of one alias cycle, with the first key repeated at the end; `nil` if there is none.
  private(set) var cycle: [AnyThemeKey]?

  /// Resolves a theme.
  ///
  /// A key whose aliases reach a cycle reads its own default.
  ///
  /// - Complexity: O(*n*) in the number of entries of all layers. Each alias is followed once.
  init(_ theme: Theme) {
    self.theme = theme
    entries = theme.flattened()
    let aliases = entries.compactMap { key, entry in if case .alias = entry { key } else { nil } }
    var broken: Set<AnyThemeKey> = []
    // Sorted by name, so that every run reports the same one of several cycles.
    for alias in aliases.ordered(by: Self.precedes) { follow(alias, &broken) }
  }

  /// Throws an error if aliases form a cycle.
  ///
  /// - Throws: ``ThemeError`` with the code ``ThemeError/Code/aliasCycle``.
  func check() throws(ThemeError) {
    guard let cycle else { return }
    throw ThemeError(.aliasCycle, themes: [theme.name], path: cycle.map(\.name))
  }

  /// Returns the value that the theme gives a key, or else the key's default.
  func value(of key: AnyThemeKey) -> any AnyThemeValue { Self.value(of: key, in: entries[key]) }

  /// Returns the value in the entry for a key, or else the key's default.
  private static func value(of key: AnyThemeKey, in entry: ThemeLayer.Entry?) -> any AnyThemeValue {
    if case .value(let value)? = entry { value } else { key.boxedDefault }
  }

  /// Returns the keys whose values differ from those of another theme, with their values in this
  /// one.
  ///
  /// - Returns: The keys, each once.
  /// - Complexity: O(*n*) in the number of values of both themes. Looking keys up is most of a switch with many
  ///   scopes: one lookup for each key, if both themes have the same keys.
  func changes(from old: ResolvedTheme) -> [(key: AnyThemeKey, value: any AnyThemeValue)] {
    var changes: [(key: AnyThemeKey, value: any AnyThemeValue)] = []
    changes.reserveCapacity(entries.count)
    var common = 0
    func compare(_ key: AnyThemeKey, _ former: ThemeLayer.Entry?, _ entry: ThemeLayer.Entry?) {
      let value = Self.value(of: key, in: entry)
      if !key.areEqual(value, Self.value(of: key, in: former)) { changes.append((key, value)) }
    }
    for (key, entry) in entries {
      let former = old.entries[key]
      if former != nil { common += 1 }
      compare(key, former, entry)
    }
    guard common < old.entries.count else { return changes }
    for (key, former) in old.entries where entries[key] == nil { compare(key, former, nil) }
    return changes
  }

  /// Orders keys by name, and keys of the same name by type.
  private static func precedes(_ left: AnyThemeKey, _ right: AnyThemeKey) -> Bool {
    left.name == right.name
      ? String(reflecting: left.valueType) < String(reflecting: right.valueType)
      : left.name < right.name
  }

  /// Follows one alias to its end and stores the value found there for every key on the path, or
  /// adds the path to the broken keys if it reaches one of these or a cycle.
  private mutating func follow(_ start: AnyThemeKey, _ broken: inout Set<AnyThemeKey>) {
    var path: [AnyThemeKey] = []
    var visited: Set<AnyThemeKey> = []
    var current = start
    while case .alias(let target)? = entries[current], !broken.contains(current) {
      if visited.insert(current).inserted {
        path.append(current)
        current = target
      } else {
        cycle = cycle ?? path.drop { $0 != current } + [current]
        broken.insert(current)
      }
    }
    if broken.contains(current) {
      broken.formUnion(path)
    } else {
      let found = value(of: current)
      for key in path { entries[key] = .value(found) }
    }
  }
}

/// The keys that a switch changes, with their new values.
///
/// Every rule of every affected view performs one lookup. Where the numbers of the keys lie close
/// together, as those of one program do, a table indexed by number serves the lookups.
struct ThemeChanges: Sendable {
  private let values: [(key: AnyThemeKey, value: any AnyThemeValue)]
  private let first: Int
  /// The values from the lowest key number to the highest; empty if that would be mostly gaps.
  private let table: [(any AnyThemeValue)?]
  /// The values by key, if there is no table.
  private let sparse: [AnyThemeKey: any AnyThemeValue]

  /// Builds the table.
  ///
  /// - Complexity: O(*n*) in the number of changes.
  ///
  /// - Parameter values: The changed keys, each once, with their new values.
  init(_ values: [(key: AnyThemeKey, value: any AnyThemeValue)]) {
    self.values = values
    let numbers = values.lazy.map(\.key.number)
    first = numbers.min() ?? 0
    let length = (numbers.max() ?? 0) - first + 1
    if length <= 8 * values.count + 64 {
      var table = [(any AnyThemeValue)?](repeating: nil, count: length)
      for (key, value) in values { table[key.number - first] = value }
      (self.table, sparse) = (table, [:])
    } else {
      (table, sparse) = ([], Dictionary(values.map { ($0.key, $0.value) }) { $1 })
    }
  }

  /// The changed keys, each once.
  var keys: some Collection<AnyThemeKey> { values.lazy.map(\.key) }

  var isEmpty: Bool { values.isEmpty }

  /// The new value of a key, or `nil` if the key did not change.
  ///
  /// - Complexity: O(1).
  subscript(key: AnyThemeKey) -> (any AnyThemeValue)? {
    guard !table.isEmpty else { return sparse[key] }
    let index = key.number - first
    return table.indices.contains(index) ? table[index] : nil
  }
}
