internal import EventBus

/// A value for every key.
///
/// ```swift
/// extension ThemeKeys {
///   static let brand = ThemeKey("color.brand", default: RGBA(red: 0, green: 122, blue: 255))
///   static let accent = ThemeKey("color.accent", default: RGBA(red: 0, green: 122, blue: 255))
/// }
///
/// var night = Theme("Night", appearance: .dark)
/// night[.brand] = RGBA(red: 110, green: 160, blue: 255)
/// night[alias: .accent] = .brand
/// let ember = night.deriving("Ember") { $0[.brand] = RGBA(red: 255, green: 120, blue: 60) }
/// ```
///
/// A theme is a stack of layers. Its own values lie over those of the theme it was derived from,
/// and those over the defaults of the keys. Reading never fails.
///
/// An alias makes a key read the value of another key. Aliases bind late, after all layers are
/// merged: in the sample, the accent of Ember is Ember's brand, although Night defines the alias.
///
/// A theme has at most 32 layers. Deriving from a theme with 32 layers merges the lower half. No
/// value changes; only ``explain(_:)`` then names fewer themes.
///
/// ## Thread safety
///
/// A value type, free to copy and send.
public struct Theme: Sendable {
  /// The name.
  public var name: String {
    get { name(below: layers.endIndex) }
    set { own.name = newValue }
  }

  /// The appearance: light or dark.
  public var appearance: Appearance {
    // The lowest layer always has one.
    get { layers.last { $0.appearance != nil }?.appearance ?? .dark }
    set { own.appearance = newValue }
  }

  /// The layers, the lowest first; the last one is the theme's own.
  ///
  /// Never empty.
  private(set) var layers: [ThemeLayer]

  /// Creates a theme that sets no values, so that every key reads its default.
  public init(_ name: String, appearance: Appearance) {
    self.init(layers: [ThemeLayer(name: name, appearance: appearance)])
  }

  /// Creates a theme and sets its values.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - appearance: The appearance: light or dark.
  ///   - edit: A closure that sets values.
  /// - Throws: Any error that `edit` throws.
  public init<Failure: Error>(
    _ name: String,
    appearance: Appearance,
    _ edit: (inout Theme) throws(Failure) -> Void
  ) throws(Failure) {
    self.init(name, appearance: appearance)
    try edit(&self)
  }

  /// Not available: values are set in a closure.
  @_disfavoredOverload
  @_documentation(visibility: private)
  @available(
    *,
    unavailable,
    message: "set the values in a closure: Theme(name, appearance: .dark) { $0[.key] = value }"
  )
  public init(_ name: String, appearance: Appearance = .dark, _ values: [AnyThemeKey: Any]) {
    preconditionFailure("\(name) has values of any type")  // Reason: not callable.
  }

  init(layers: [ThemeLayer]) { self.layers = layers }

  /// The theme's own layer, on top.
  var own: ThemeLayer {
    get { layers[layers.count - 1] }
    _modify { yield &layers[layers.count - 1] }
  }

  /// The value of a key.
  ///
  /// Reading returns the theme's own value, or else the value of the nearest theme it was derived
  /// from, or else the default of the key. Aliases are followed in the same way. A key whose
  /// aliases form a cycle reads its own default; see ``checked()``. Writing sets the theme's own
  /// value and replaces its own alias.
  ///
  /// - Complexity: O(*d*) to read, where *d* is the number of layers, and O(*d*) more for each
  ///   alias followed; O(1) to write.
  public subscript<Value>(_ key: ThemeKey<Value>) -> Value {
    get { key.value(in: read(key)) }
    set { own.entries[key] = .value(ThemeValue(newValue)) }
  }

  /// Not available: the values of the key have another type.
  ///
  /// For keys written with a leading dot, the compiler (Swift 6.3) only says "failed to produce diagnostic".
  @_disfavoredOverload
  @_documentation(visibility: private)
  @available(*, unavailable, message: "the key's values have another type; see its declaration")
  public subscript<Value, Other>(_ key: ThemeKey<Value>) -> Other {
    get { preconditionFailure("\(key) has values of another type") }  // Reason: not callable.
    set { preconditionFailure("\(key) has values of another type") }  // Reason: not callable.
  }

  /// The key that a key is an alias of, or `nil` if the key is not an alias.
  ///
  /// The compiler ensures that both keys have the same type of value. Writing a key sets the
  /// theme's own alias and replaces its own value. Writing `nil` removes the theme's own alias and
  /// exposes the layers below. Writing does not detect cycles; ``checked()`` does, and so does
  /// every use of the theme.
  ///
  /// - Complexity: O(*d*) to read, where *d* is the number of layers; O(1) to write.
  public subscript<Value>(alias key: ThemeKey<Value>) -> ThemeKey<Value>? {
    get {
      guard case .alias(let target)? = entry(for: key)?.entry else { return nil }
      return target as? ThemeKey<Value>
    }
    set {
      if let newValue {
        own.entries[key] = .alias(newValue)
      } else if case .alias? = own.entries[key] {
        remove(key)
      }
    }
  }

  /// Removes the theme's own value or alias for a key.
  ///
  /// The key then reads the value of the theme that this one was derived from, or else its default.
  /// Removing a key that was never set has no effect.
  ///
  /// - Complexity: O(1).
  public mutating func remove(_ key: AnyThemeKey) { own.entries[key] = nil }

  /// Creates a theme that reads like this one except for the values it sets itself.
  ///
  /// - Parameters:
  ///   - name: The name of the new theme.
  ///   - appearance: The appearance of the new theme, or `nil` to keep this one's.
  ///   - edit: A closure that sets the new theme's own values.
  /// - Returns: The new theme. This theme does not change, and its later edits do not affect the
  ///   new one.
  /// - Throws: Any error that `edit` throws.
  /// - Complexity: O(*d*), where *d* is the number of layers; O(*n*) in the number of entries if
  ///   layers are merged, which happens at most every 16th time in a loop.
  public func deriving<Failure: Error>(
    _ name: String,
    appearance: Appearance? = nil,
    _ edit: (inout Theme) throws(Failure) -> Void
  ) throws(Failure) -> Theme {
    var theme = adding(ThemeLayer(name: name, appearance: appearance))
    try edit(&theme)
    return theme
  }

  /// Checks that every alias leads to a value.
  ///
  /// Every use of a theme performs the same check; call this method for themes created long before
  /// their use.
  ///
  /// - Returns: The theme itself, unchanged.
  /// - Throws: ``ThemeError`` with the code ``ThemeError/Code/aliasCycle`` if aliases form a cycle;
  ///   ``ThemeError/path`` names the keys.
  /// - Complexity: O(*n*) in the number of entries of all layers.
  public func checked() throws(ThemeError) -> Theme {
    try ResolvedTheme(self).check()
    return self
  }

  /// Returns the keys whose values differ from those of another theme.
  ///
  /// The result includes aliases of changed keys. A value that equals the default does not differ
  /// from an unset key. Names and appearances are not compared.
  ///
  /// - Complexity: O(*n*) in the number of values of both themes.
  package func changes(from old: Theme) -> Set<AnyThemeKey> {
    Set(ResolvedTheme(self).changes(from: ResolvedTheme(old)).map(\.key))
  }
}

extension Theme: Equatable {
  /// Returns whether two themes have the same name, the same appearance, and the same value for every key.
  ///
  /// NaN equals NaN. The aliases and layers that lead to a value are not compared, so the same edit may give two
  /// equal themes different values.
  ///
  /// - Complexity: O(*n*) in the number of values of both themes.
  public static func == (left: Theme, right: Theme) -> Bool {
    left.name == right.name && left.appearance == right.appearance
      && left.changes(from: right).isEmpty
  }
}

/// The steps that lead from a key to its value in a theme.
///
/// ```
/// color.accent → color.brand (Night)
/// color.brand = #ff783c (Ember)
/// ```
public struct ThemeTrace: Hashable, Sendable {
  /// One step from a key toward its value.
  package struct Step: Hashable, Sendable {
    /// The result of looking up a key.
    package enum Finding: Hashable, Sendable {
      /// The key is an alias of the key with this name, which is the next step.
      case alias(of: String)
      /// The key has this value.
      case value(String)
      /// The key occurred before: the aliases form a cycle, and the requested key reads its own
      /// default, which is this.
      case cycle(default: String)
    }

    /// The name of the key.
    package let key: String

    /// The name of the theme that contains the entry, or `nil` for the default of the key.
    package let theme: String?

    /// The result of looking up the key.
    package let finding: Finding
  }

  /// The steps in order, at least one.
  package let steps: [Step]
}

extension ThemeTrace: CustomStringConvertible {
  /// The steps, one line each.
  public var description: String { steps.map(\.description).joined(separator: "\n") }
}

extension ThemeTrace.Step: CustomStringConvertible {
  /// The step in one line, with the name of its theme in parentheses.
  ///
  /// Line breaks and other control characters in names and values are escaped, for example as `\n`.
  package var description: String {
    let step =
      switch finding {
      case .alias(let target): "\(key) → \(target) (\(theme ?? "default"))"
      case .value(let value): "\(key) = \(value) (\(theme ?? "default"))"
      case .cycle(let value): "\(key) again: the aliases form a cycle; \(value) is the default"
      }
    return step.onOneLine
  }
}

extension Theme {
  /// Explains the value of a key: one step for each alias, and one for the value.
  ///
  /// For a theme that was derived more than 31 times, entries of distant ancestors are reported
  /// under the name of the nearest ancestor they were merged with.
  ///
  /// - Parameter key: The key.
  /// - Returns: The steps. Values are formatted as `String(describing:)` formats them.
  /// - Complexity: O(*d* · *s*) for *s* steps, where *d* is the number of layers.
  public func explain<Value>(_ key: ThemeKey<Value>) -> ThemeTrace {
    var steps: [ThemeTrace.Step] = []
    var end: AnyThemeKey = key
    let box = read(key) { alias, target, layer in
      steps.append(ThemeTrace.Step(key: alias.name, theme: layer, finding: .alias(of: target.name)))
      end = target
    }
    let isCycle = steps.contains { $0.key == end.name }
    let value = "\(key.value(in: box))"
    let finding = isCycle ? ThemeTrace.Step.Finding.cycle(default: value) : .value(value)
    let layer = isCycle ? nil : entry(for: end)?.layer
    steps.append(ThemeTrace.Step(key: end.name, theme: layer, finding: finding))
    return ThemeTrace(steps: steps)
  }
}
