/// A skin: a value for every key, some set by the theme, the others read from what lies below it.
///
/// ```swift
/// var night = Theme("Night")
/// night[.accent] = RGBA(red: 110, green: 160, blue: 255)
/// let ember = night.deriving("Ember") { $0[.radius] = 8 }
/// ```
///
/// A theme is its layers: its own values lie over those of the theme it was derived from, and those
/// over the defaults of the keys. Reading never fails.
///
/// ## Thread safety
///
/// A value, to be copied and sent freely.
public struct Theme: Sendable {
  /// The name.
  public var name: String

  /// Whether it is a light or a dark theme.
  public var appearance: Appearance

  /// The theme's own values and, below them, those of the themes it was derived from.
  private var own = ThemeLayer()
  private var inherited: [ThemeLayer] = []

  /// Creates a theme that sets nothing: every key reads its default.
  public init(_ name: String, appearance: Appearance = .dark) {
    self.name = name
    self.appearance = appearance
  }

  /// Creates a theme and fills it.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - appearance: Whether it is a light or a dark theme.
  ///   - edit: Sets its values.
  /// - Throws: What `edit` throws.
  public init(
    _ name: String,
    appearance: Appearance = .dark,
    _ edit: (inout Theme) throws -> Void
  ) rethrows {
    self.init(name, appearance: appearance)
    try edit(&self)
  }

  /// The value of a key.
  ///
  /// Reading finds the theme's own value, else that of the nearest theme it was derived from, else
  /// the default of the key. Writing sets the theme's own.
  ///
  /// - Complexity: O(*d*) to read, where *d* is how often the theme was derived; O(1) to write.
  public subscript<Value>(_ key: ThemeKey<Value>) -> Value {
    get {
      let box = own.values[key] ?? inherited.lazy.reversed().compactMap { $0.values[key] }.first
      return box.map(key.value) ?? key.defaultValue
    }
    set { own.values[key] = ThemeValue(newValue) }
  }

  /// Takes back what this theme itself says about a key; what lies below shows again.
  ///
  /// That is the value of the theme it was derived from, or else the default. Removing what was
  /// never set does nothing.
  ///
  /// - Complexity: O(1).
  public mutating func remove(_ key: ThemeKeys) { own.values[key] = nil }

  /// A theme that reads like this one, but for what it sets itself.
  ///
  /// - Parameters:
  ///   - name: The name of the new theme.
  ///   - appearance: Its appearance, or `nil` for the same.
  ///   - edit: Sets its own values.
  /// - Returns: The new theme. This one stays as it is, and later edits of it are not followed.
  /// - Throws: What `edit` throws.
  public func deriving(
    _ name: String,
    appearance: Appearance? = nil,
    _ edit: (inout Theme) throws -> Void
  ) rethrows -> Theme {
    var theme = Theme(name, appearance: appearance ?? self.appearance)
    theme.inherited = layers
    try edit(&theme)
    return theme
  }

  /// The keys that read another value in this theme than in another one.
  ///
  /// A value that equals the default is no change from not being set. Names and appearances are not
  /// compared.
  ///
  /// - Complexity: O(*n*) in the number of values of both themes.
  public func changes(from old: Theme) -> Set<ThemeKeys> {
    Set(resolved().changes(from: old.resolved()).keys)
  }

  /// Lays the layers over one another.
  ///
  /// - Complexity: O(*n*) in the number of values; O(1) for a theme that was not derived.
  internal func resolved() -> ResolvedTheme { ResolvedTheme(layers) }

  /// All layers, the lowest first.
  private var layers: [ThemeLayer] { own.values.isEmpty ? inherited : inherited + [own] }
}
