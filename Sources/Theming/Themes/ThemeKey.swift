internal import EventBus

/// The name of one value of a theme, with the value's type and a default.
///
/// Two keys with the same name and the same type of value are equal, wherever they were created.
/// The same name with another type is another key. Create keys as constants in an extension of
/// ``ThemeKeys``: the table of keys lasts as long as the process.
///
/// ## Thread safety
///
/// Keys are immutable and safe to use from any thread.
public final class ThemeKey<Value>: AnyThemeKey, @unchecked Sendable  // Reason: constants only.
where Value: Sendable & Equatable {
  /// The value of the key in themes that do not set it.
  public let defaultValue: Value
  private let areSame: (Value, Value) -> Bool

  /// Creates a key, or refers to an existing one.
  ///
  /// - Parameters:
  ///   - name: The name, with dots between groups. An empty name traps.
  ///   - value: The value of the key in themes that do not set it. If the same key already exists
  ///     with another default, the first default applies to both: equal keys read equal values.
  ///   - fileID: The file of the call; filled in by the compiler.
  ///   - line: The line in that file; filled in by the compiler.
  /// - Complexity: O(1).
  public convenience init(
    _ name: String,
    default value: Value,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) {
    self.init(name, default: value, codable: nil, fileID, line)
  }

  /// Creates a key whose values files can hold, or refers to an existing one.
  ///
  /// The compiler chooses this initializer wherever it knows that the value is `Codable`; see
  /// ``ThemeDocument``.
  ///
  /// - Parameters:
  ///   - name: The name, with dots between groups. An empty name traps.
  ///   - value: The value of the key in themes that do not set it. If the same key already exists
  ///     with another default, the first default applies to both: equal keys read equal values.
  ///   - fileID: The file of the call; filled in by the compiler.
  ///   - line: The line in that file; filled in by the compiler.
  /// - Complexity: O(1).
  public convenience init(
    _ name: String,
    default value: Value,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) where Value: Codable {
    self.init(name, default: value, codable: Value.self, fileID, line)
  }

  private init(
    _ name: String,
    default value: Value,
    codable: (any CodableThemeValue.Type)?,
    _ fileID: StaticString,
    _ line: UInt
  ) {
    if name.isEmpty {
      trap(
        "The name of a ThemeKey<\(Value.self)> is empty",
        remedy: "Give it a string such as \"color.accent\"",
        fileID: fileID,
        line: line
      )
    }
    let proposal = ThemeValue(value)
    let (number, box) = ThemeKeys.table.withLock {
      $0.intern(name, default: proposal, codable: codable)
    }
    areSame = sameness()
    // The type is part of the identity, so the cast cannot fail.
    defaultValue = (box as? ThemeValue<Value> ?? proposal).value
    super.init(name: name, number: number, valueType: Value.self, boxedDefault: box)
  }

  /// Returns the value in a box.
  ///
  /// A key only ever maps to boxes of its own type.
  func value(in box: any AnyThemeValue) -> Value {
    (box as? ThemeValue<Value>)?.value ?? defaultValue
  }

  override func areEqual(_ one: AnyObject, _ other: AnyObject) -> Bool {
    // The boxes are of the key's own type.
    one === other || areSame(ThemeValue<Value>.value(in: one), ThemeValue<Value>.value(in: other))
  }
}
