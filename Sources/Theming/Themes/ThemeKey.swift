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
public final class ThemeKey<Value>: ThemeKeys, @unchecked Sendable  // Reason: constants only.
where Value: Sendable & Equatable {
  /// The value of the key in themes that do not set it.
  public let defaultValue: Value

  /// Creates a key, or refers to an existing one.
  ///
  /// - Parameters:
  ///   - name: The name, with dots between groups. An empty name traps.
  ///   - value: The value of the key in themes that do not set it. If the same key already exists
  ///     with another default, the first default applies to both: equal keys read equal values.
  /// - Complexity: O(1).
  public convenience init(_ name: String, default value: Value) {
    self.init(name, default: value, codec: nil)
  }

  /// Creates a key whose values files can hold, or refers to an existing one.
  ///
  /// The compiler chooses this initialiser wherever it knows that the value is `Codable`; see
  /// ``ThemeDocument``.
  ///
  /// - Parameters:
  ///   - name: The name, with dots between groups. An empty name traps.
  ///   - value: The value of the key in themes that do not set it. If the same key already exists
  ///     with another default, the first default applies to both: equal keys read equal values.
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

  /// Returns the value in a box.
  ///
  /// A key only ever maps to boxes of its own type.
  func value(in box: any AnyThemeValue) -> Value {
    (box as? ThemeValue<Value>)?.value ?? defaultValue
  }
}

/// The namespace of theme keys: add one static property for each key.
///
/// ```swift
/// extension ThemeKeys {
///   static let accent = ThemeKey("color.accent", default: RGBA(red: 0, green: 122, blue: 255))
///   static let radius = ThemeKey("corner.radius", default: 4)
/// }
/// ```
///
/// Where a key is expected, write `.accent`. In a module whose default isolation is the main actor,
/// write `nonisolated extension ThemeKeys`.
///
/// As a type, `ThemeKeys` stands for a key with any type of value: ``ThemeDidChange`` carries a set
/// of them.
///
/// ## Thread safety
///
/// Keys are immutable and safe to use from any thread.
public class ThemeKeys: Hashable, @unchecked Sendable {  // Reason: constants only.
  /// The name, as used in files and messages.
  public let name: String

  /// The number that identifies the key within the process.
  let number: Int

  /// The boxed default value.
  let boxedDefault: any AnyThemeValue

  let valueType: Any.Type

  /// The codec of the key's values, or `nil` if documents cannot hold them.
  var codec: ThemeCodec? { ThemeKeyTable.codec(of: number) }

  init(
    name: String,
    number: Int,
    valueType: Any.Type,
    boxedDefault: any AnyThemeValue
  ) {
    self.name = name
    self.number = number
    self.valueType = valueType
    self.boxedDefault = boxedDefault
  }

  /// Returns a Boolean value that indicates whether two keys have the same name and the same type
  /// of value.
  public static func == (left: ThemeKeys, right: ThemeKeys) -> Bool { left.number == right.number }

  /// Hashes the number of the key.
  public func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

extension ThemeKeys: CustomStringConvertible {
  /// The name.
  public var description: String { name }
}

/// The keys created so far: one number and one default for each pair of a name and a type.
///
/// Entries last as long as the process: keys are constants, not per-object strings.
enum ThemeKeyTable {
  private struct Identity: Hashable {
    let name: String
    let type: ObjectIdentifier
  }

  private struct State {
    var entries: [Identity: (number: Int, defaultValue: any AnyThemeValue)] = [:]
    var codecs: [Int: ThemeCodec] = [:]
  }

  private static let state = Locked(State())

  /// Returns the number and the default of a key, creating an entry if there is none.
  ///
  /// - Parameters:
  ///   - name: The name of the key.
  ///   - proposal: The default if the key is new.
  ///   - codec: The codec of the key's values if known here. From then on it applies wherever the
  ///     key is used.
  /// - Returns: The key's number and the default that applies.
  /// - Complexity: O(1).
  static func intern<Value>(
    _ name: String,
    default proposal: ThemeValue<Value>,
    codec: ThemeCodec?
  ) -> (number: Int, defaultValue: ThemeValue<Value>) {
    let identity = Identity(name: name, type: ObjectIdentifier(Value.self))
    let entry = state.withLock { state in
      let entry = state.entries[identity] ?? (state.entries.count, proposal)
      state.entries[identity] = entry
      if let codec { state.codecs[entry.number] = codec }
      return entry
    }
    // The type is part of the identity, so the cast cannot fail.
    return (entry.number, entry.defaultValue as? ThemeValue<Value> ?? proposal)
  }

  /// The codec of a key's values, or `nil` if there is none.
  static func codec(of number: Int) -> ThemeCodec? {
    state.withLock { $0.codecs[number] }
  }
}
