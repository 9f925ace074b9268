internal import Synchronization

/// What one theme says itself, apart from the theme it was derived from.
///
/// A key has a value or an alias, never both.
struct ThemeLayer: Sendable {
  /// What a layer says about a key.
  enum Entry {
    /// This value.
    case value(any AnyThemeValue)
    /// What another key reads, of the same type of value.
    case alias(ThemeKeys)
  }

  /// The name that the layer sets; `nil` in a scope that keeps the name below it.
  var name: String?

  /// The appearance that the layer sets, or `nil` for the one below it.
  var appearance: Appearance?

  /// The number of the scope whose changes it holds, or `nil` for a theme's layer.
  let scope: UInt?

  /// The values, by key.
  private(set) var values: [ThemeKeys: any AnyThemeValue] = [:]

  /// The keys that read like other keys.
  private(set) var aliases: [ThemeKeys: ThemeKeys] = [:]

  /// Creates the layer of a theme that sets nothing but its name and, perhaps, its appearance.
  init(name: String, appearance: Appearance?) {
    self.name = name
    self.appearance = appearance
    scope = nil
  }

  /// Creates the layer of a scope that changes nothing yet.
  ///
  /// - Parameter scope: The number of the scope.
  init(scope: UInt?) { self.scope = scope }

  /// The number of a scope that is being made, which no other scope has.
  static func nextScope() -> UInt {
    lastScope.wrappingAdd(1, ordering: .relaxed).newValue
  }

  private static let lastScope = Atomic<UInt>(0)

  /// What the layer says about a key, or `nil` for nothing.
  ///
  /// - Complexity: O(1).
  subscript(key: ThemeKeys) -> Entry? {
    if let value = values[key] { return .value(value) }
    return aliases.isEmpty ? nil : aliases[key].map(Entry.alias)
  }

  /// Says something else about a key, or nothing.
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

  /// Lays another layer over this one, which takes its name and appearance if it has any.
  ///
  /// - Complexity: O(*n*) in the number of entries of the upper one.
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
