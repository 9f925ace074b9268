/// What one theme says itself, apart from the theme it was derived from.
///
/// A key has a value or an alias, never both.
internal struct ThemeLayer: Sendable {
  /// What a layer says about a key.
  internal enum Entry {
    /// This value.
    case value(any AnyThemeValue)
    /// What another key reads, of the same type of value.
    case alias(ThemeKeys)
  }

  /// Whose layer it is, for people to read.
  internal var name: String

  /// The values, by key.
  internal private(set) var values: [ThemeKeys: any AnyThemeValue] = [:]

  /// The keys that read like other keys.
  internal private(set) var aliases: [ThemeKeys: ThemeKeys] = [:]

  /// Whether it says nothing.
  internal var isEmpty: Bool { values.isEmpty && aliases.isEmpty }

  /// Creates a layer that says nothing.
  internal init(name: String) { self.name = name }

  /// What the layer says about a key, or `nil` for nothing.
  ///
  /// - Complexity: O(1).
  internal subscript(key: ThemeKeys) -> Entry? {
    if let value = values[key] { return .value(value) }
    return aliases.isEmpty ? nil : aliases[key].map(Entry.alias)
  }

  /// Says something else about a key, or nothing.
  internal mutating func set(_ key: ThemeKeys, _ entry: Entry?) {
    switch entry {
    case .value(let value):
      values[key] = value
      aliases[key] = nil
    case .alias(let target):
      values[key] = nil
      aliases[key] = target
    case nil:
      values[key] = nil
      aliases[key] = nil
    }
  }

  /// Lays another layer over this one.
  ///
  /// - Complexity: O(*n*) in the number of entries of the upper one.
  internal mutating func merge(_ upper: ThemeLayer) {
    if upper.aliases.isEmpty, aliases.isEmpty {
      values.merge(upper.values) { _, above in above }
      return
    }
    for (key, value) in upper.values { set(key, .value(value)) }
    for (key, target) in upper.aliases { set(key, .alias(target)) }
  }
}
