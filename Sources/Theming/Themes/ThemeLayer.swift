internal import Synchronization

/// The entries of one theme, without those of the theme it was derived from.
///
/// A key has a value or an alias, never both.
struct ThemeLayer: Sendable {
  /// An entry for a key.
  enum Entry {
    /// A value.
    case value(any AnyThemeValue)
    /// An alias of another key with the same type of value.
    case alias(ThemeKeys)
  }

  /// The name; `nil` in a scope that keeps the name below.
  var name: String?

  /// The appearance, or `nil` to keep the one below.
  var appearance: Appearance?

  /// The number of the scope that owns the layer, or `nil` for a theme's layer.
  let scope: UInt?

  private(set) var values: [ThemeKeys: any AnyThemeValue] = [:]

  /// The target of each alias.
  private(set) var aliases: [ThemeKeys: ThemeKeys] = [:]

  init(name: String, appearance: Appearance?) {
    self.name = name
    self.appearance = appearance
    scope = nil
  }

  init(scope: UInt?) { self.scope = scope }

  /// Returns a number that no other scope has.
  static func nextScope() -> UInt {
    lastScope.wrappingAdd(1, ordering: .relaxed).newValue
  }

  private static let lastScope = Atomic<UInt>(0)

  /// The entry for a key, or `nil` if there is none.
  ///
  /// - Complexity: O(1).
  subscript(key: ThemeKeys) -> Entry? {
    if let value = values[key] { return .value(value) }
    return aliases.isEmpty ? nil : aliases[key].map(Entry.alias)
  }

  /// Sets or removes the entry for a key.
  mutating func set(_ key: ThemeKeys, _ entry: Entry?) {
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

  /// Merges a layer on top of this one into it, with its name and appearance if it has them.
  ///
  /// - Complexity: O(*n*) in the number of entries of `upper`.
  mutating func merge(_ upper: ThemeLayer) {
    name = upper.name ?? name
    appearance = upper.appearance ?? appearance
    if upper.aliases.isEmpty, aliases.isEmpty {
      values.merge(upper.values) { _, above in above }
      return
    }
    for (key, value) in upper.values { set(key, .value(value)) }
    for (key, target) in upper.aliases { set(key, .alias(target)) }
  }
}
