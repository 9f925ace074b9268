/// A theme as views see it: its layers laid over one another, each key looked up once.
internal struct ResolvedTheme: Sendable {
  private let values: [ThemeKeys: any AnyThemeValue]

  /// Lays layers over one another, the lowest first.
  ///
  /// - Complexity: O(*n*) in the number of values of all layers; O(1) for one layer.
  internal init(_ layers: [ThemeLayer]) {
    values = layers.dropFirst().reduce(into: layers.first?.values ?? [:]) { below, layer in
      below.merge(layer.values) { _, above in above }
    }
  }

  /// The value of a key: the theme's or else the key's default.
  internal func value(of key: ThemeKeys) -> any AnyThemeValue { values[key] ?? key.boxedDefault }

  /// The keys that read something else than before, each with its value now.
  ///
  /// - Complexity: O(*n*) in the number of values of both.
  internal func changes(from old: ResolvedTheme) -> [ThemeKeys: any AnyThemeValue] {
    var changes = values.filter { key, value in !value.equals(old.value(of: key)) }
    for (key, before) in old.values where values[key] == nil && !before.equals(key.boxedDefault) {
      changes[key] = key.boxedDefault
    }
    return changes
  }
}
