internal import EventBus

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
  func value(in box: any AnyThemeValue) -> Value {
    (box as? ThemeValue<Value>)?.value ?? defaultValue
  }
}

/// The namespace of theme keys: extend it with one stored line for each key.
///
/// ```swift
/// extension ThemeKeys {
///   static let accent = ThemeKey("color.accent", default: RGBA(red: 0, green: 122, blue: 255))
///   static let radius = ThemeKey("corner.radius", default: 4)
/// }
/// ```
///
/// Where a key is expected, `.accent` finds it. In a module whose default isolation is the main
/// actor, write `nonisolated extension ThemeKeys`.
///
/// As a type it stands for a key whose value may be of any type: a ``ThemeDidChange`` carries a set
/// of them.
///
/// ## Thread safety
///
/// Keys are constants and may be used from any thread.
public class ThemeKeys: Hashable, @unchecked Sendable {  // Reason: constants only.
  /// The name, by which files and messages know the key.
  public let name: String

  /// What the key is known by inside the process.
  let number: Int

  /// What the key reads where no theme sets it.
  let boxedDefault: any AnyThemeValue

  /// The type of its values.
  let valueType: Any.Type

  /// How its values are read from documents and written to them, or `nil` when they cannot be.
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

  /// Keys are equal when they have the same name and the same type of value, wherever they were
  /// made.
  public static func == (left: ThemeKeys, right: ThemeKeys) -> Bool { left.number == right.number }

  /// Hashes what the key is known by: a number, never the name.
  public func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

extension ThemeKeys: CustomStringConvertible {
  /// The name.
  public var description: String { name }
}

/// The keys made so far: one number and one default for each pair of a name and a type.
///
/// Entries stay as long as the process: keys are constants, not per-object strings.
enum ThemeKeyTable {
  private struct Identity: Hashable {
    let name: String
    let type: ObjectIdentifier
  }

  private struct Entry {
    let number: Int
    let defaultValue: any AnyThemeValue
  }

  private struct State {
    var entries: [Identity: Entry] = [:]
    var codecs: [Int: ThemeCodec] = [:]
  }

  private static let state = Locked(State())

  /// Finds the number and the default of a key, or enters them.
  ///
  /// - Parameters:
  ///   - name: The key's name.
  ///   - proposal: The default, if the key is new.
  ///   - codec: How its values are read and written, if that is known here; then it is known
  ///     wherever the key is used.
  /// - Returns: The key's number, and the default that holds for it.
  /// - Complexity: O(1).
  static func intern<Value>(
    _ name: String,
    default proposal: ThemeValue<Value>,
    codec: ThemeCodec?
  ) -> (number: Int, defaultValue: ThemeValue<Value>) {
    let identity = Identity(name: name, type: ObjectIdentifier(Value.self))
    let entry = state.withLock { state in
      let entry =
        state.entries[identity] ?? Entry(number: state.entries.count, defaultValue: proposal)
      state.entries[identity] = entry
      if let codec { state.codecs[entry.number] = codec }
      return entry
    }
    // The type is part of the identity, so the cast cannot fail.
    return (entry.number, entry.defaultValue as? ThemeValue<Value> ?? proposal)
  }

  /// How the values of a key are read and written, or `nil` when its type cannot be.
  static func codec(of number: Int) -> ThemeCodec? {
    state.withLock { $0.codecs[number] }
  }
}
