/// The name of one thing a theme decides, with the type of its value and a default.
///
/// Two keys with the same name and the same type of value are the same key, wherever they were
/// made. The same name with another type is another key. Make keys as constants, in an extension of
/// ``ThemeKeys``: what is known about a key stays as long as the process.
///
/// ## Thread safety
///
/// Keys are constants and may be used from any thread.
public final class ThemeKey<Value>: ThemeKeys, @unchecked Sendable  // Reason: constants only.
where Value: Sendable & Equatable {
  /// What the key reads where no theme sets it.
  public let defaultValue: Value

  /// Creates a key, or names one that is there already.
  ///
  /// - Parameters:
  ///   - name: The name, with dots for groups. An empty one traps.
  ///   - value: What the key reads where no theme sets it. When the same key was made before, with
  ///     another default, the first one holds for both: equal keys read equal values.
  /// - Complexity: O(1).
  public convenience init(_ name: String, default value: Value) {
    self.init(name, default: value, codec: nil)
  }

  /// Creates a key whose values can be read from files, or names one that is there already.
  ///
  /// The compiler takes this form by itself where it knows that the value is `Codable`; see
  /// ``ThemeDocument``.
  ///
  /// - Parameters:
  ///   - name: The name, with dots for groups. An empty one traps.
  ///   - value: What the key reads where no theme sets it. When the same key was made before, with
  ///     another default, the first one holds for both: equal keys read equal values.
  /// - Complexity: O(1).
  public convenience init(_ name: String, default value: Value) where Value: Codable {
    self.init(name, default: value, codec: ThemeCodec(Value.self))
  }

  private init(_ name: String, default value: Value, codec: ThemeCodec?) {
    if name.isEmpty {
      trap(
        "The name of a ThemeKey<\(Value.self)> is empty",
        remedy: "Give it a string such as \"color.accent\""
      )
    }
    let key = ThemeKeyTable.intern(name, default: ThemeValue(value), codec: codec)
    defaultValue = key.defaultValue.value
    super.init(
      name: name,
      number: key.number,
      valueType: Value.self,
      boxedDefault: key.defaultValue
    )
  }

  /// The value in a box.
  ///
  /// Only boxes of this key's type are ever kept under it.
  internal func value(in box: any AnyThemeValue) -> Value {
    (box as? ThemeValue<Value>)?.value ?? defaultValue
  }
}
