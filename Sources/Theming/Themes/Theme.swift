/// A skin: a value for every key, some set by the theme, the others read from what lies below it.
///
/// ```swift
/// var night = Theme("Night")
/// night[.brand] = RGBA(red: 110, green: 160, blue: 255)
/// night[alias: .accent] = .brand
/// let ember = night.deriving("Ember") { $0[.brand] = RGBA(red: 255, green: 120, blue: 60) }
/// ```
///
/// A theme is its layers: its own values lie over those of the theme it was derived from, and those
/// over the defaults of the keys. Reading never fails.
///
/// An alias makes a key read like another one. It binds late, on what all layers say together: in
/// the sample the accent of Ember is Ember's brand, although Night made the alias.
///
/// A theme has at most 32 layers. Deriving from a theme that has as many merges the lower half, which
/// changes no value; only ``explain(_:)`` then names fewer themes.
///
/// ## Thread safety
///
/// A value, to be copied and sent freely.
public struct Theme: Sendable {
  /// The name.
  public var name: String {
    get { stack.name }
    set { stack.own.name = newValue }
  }

  /// Whether it is a light or a dark theme.
  public var appearance: Appearance {
    get { stack.appearance }
    set { stack.own.appearance = newValue }
  }

  /// The theme's own layer and, below it, those of the themes it was derived from.
  private(set) var stack: ThemeStack

  /// Creates a theme that sets nothing: every key reads its default.
  public init(_ name: String, appearance: Appearance = .dark) {
    self.init(ThemeStack(ThemeLayer(name: name, appearance: appearance)))
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

  init(_ stack: ThemeStack) { self.stack = stack }

  /// The number of layers, at most 32.
  package var layerCount: Int { stack.count }

  /// The value of a key.
  ///
  /// Reading finds the theme's own value, else that of the nearest theme it was derived from, else
  /// the default of the key; where that is an alias, the other key is read in the same way. A key
  /// whose aliases lead in a circle reads its own default; see ``checked()``. Writing sets the
  /// theme's own value, in place of its own alias if it had one.
  ///
  /// - Complexity: O(*d*) to read, where *d* is the number of layers, and the same again for each
  ///   alias on the way; O(1) to write.
  public subscript<Value>(_ key: ThemeKey<Value>) -> Value {
    get {
      let (outcome, end) = stack.read(key)
      return switch outcome {
      case .value(let box, layer: _): key.value(in: box)
      case .byDefault: key.value(in: end.boxedDefault)
      case .cycle: key.defaultValue
      }
    }
    set { stack.own.set(key, .value(ThemeValue(newValue))) }
  }

  /// The key that another key reads like, or `nil` when that one has a value of its own or none.
  ///
  /// The compiler sees to it that both have the same type of value. Writing makes the theme's own
  /// alias, in place of its own value; writing `nil` takes the theme's own alias back, and what lies
  /// below shows again. A circle can be written; it is found by ``checked()``, and when the theme is
  /// used.
  ///
  /// - Complexity: O(*d*) to read, where *d* is the number of layers; O(1) to write.
  public subscript<Value>(alias key: ThemeKey<Value>) -> ThemeKey<Value>? {
    get {
      guard case .alias(let target)? = stack.entry(for: key)?.entry else { return nil }
      return target as? ThemeKey<Value>
    }
    set {
      if let newValue {
        stack.own.set(key, .alias(newValue))
      } else if stack.own.aliases[key] != nil {
        remove(key)
      }
    }
  }

  /// Takes back what this theme itself says about a key; what lies below shows again.
  ///
  /// That is what the theme says that it was derived from, or else the default. Removing what was
  /// never set does nothing.
  ///
  /// - Complexity: O(1).
  public mutating func remove(_ key: ThemeKeys) { stack.own.set(key, nil) }

  /// A theme that reads like this one, but for what it sets itself.
  ///
  /// - Parameters:
  ///   - name: The name of the new theme.
  ///   - appearance: Its appearance, or `nil` for the same.
  ///   - edit: Sets its own values.
  /// - Returns: The new theme. This one stays as it is, and later edits of it are not followed.
  /// - Throws: What `edit` throws.
  /// - Complexity: O(*d*), where *d* is the number of layers; O(*n*) in the number of entries where
  ///   layers are merged, which is at most each sixteenth time in a loop.
  public func deriving(
    _ name: String,
    appearance: Appearance? = nil,
    _ edit: (inout Theme) throws -> Void
  ) rethrows -> Theme {
    var theme = Theme(stack.adding(ThemeLayer(name: name, appearance: appearance)))
    try edit(&theme)
    return theme
  }

  /// The theme, if every alias leads to a value.
  ///
  /// What uses a theme checks it too, so this is for themes that are made long before.
  ///
  /// - Returns: The theme itself, unchanged.
  /// - Throws: ``ThemeError`` with the code ``ThemeError/Code/aliasCycle`` when aliases lead in a
  ///   circle; ``ThemeError/path`` names the keys.
  /// - Complexity: O(*n*) in the number of entries of all layers.
  public func checked() throws(ThemeError) -> Theme {
    _ = try checkedResolution()
    return self
  }

  /// The keys that read another value in this theme than in another one.
  ///
  /// A key counts that is an alias of a key whose value changed. A value that equals the default is
  /// no change from not being set. Names and appearances are not compared.
  ///
  /// - Complexity: O(*n*) in the number of values of both themes.
  public func changes(from old: Theme) -> Set<ThemeKeys> {
    Set(ResolvedTheme(stack).changes(from: ResolvedTheme(old.stack)).keys)
  }

  /// This theme with the changes of a scope.
  func laying(_ layer: ThemeLayer) -> Theme { Theme(stack.adding(layer)) }

  /// The theme as views see it.
  ///
  /// - Throws: ``ThemeError`` when aliases lead in a circle.
  func checkedResolution() throws(ThemeError) -> ResolvedTheme {
    let resolved = ResolvedTheme(stack)
    try resolved.check(self)
    return resolved
  }
}
