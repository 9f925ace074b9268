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
    self.init(name, default: value, codable: nil)
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
    self.init(name, default: value, codable: Value.self)
  }

  private init(_ name: String, default value: Value, codable: (any CodableThemeValue.Type)?) {
    if name.isEmpty {
      trap(
        "The name of a ThemeKey<\(Value.self)> is empty",
        remedy: "Give it a string such as \"color.accent\""
      )
    }
    let proposal = ThemeValue(value)
    let (number, box) = ThemeKeys.table.withLock {
      $0.intern(name, default: proposal, codable: codable)
    }
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
    if one === other { return true }
    guard let one = one as? ThemeValue<Value>, let other = other as? ThemeValue<Value> else {
      return false
    }
    return one.value == other.value
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
/// of them. ``AnyThemeKey`` is another name for that use.
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

  /// All keys created so far.
  fileprivate static let table = Locked(ThemeKeyTable())

  /// The type of the key's values, or `nil` if documents cannot hold them.
  var codableType: (any CodableThemeValue.Type)? {
    ThemeKeys.table.withLock { $0.codableTypes[number] }
  }

  init(name: String, number: Int, valueType: Any.Type, boxedDefault: any AnyThemeValue) {
    self.name = name
    self.number = number
    self.valueType = valueType
    self.boxedDefault = boxedDefault
  }

  /// Returns whether two boxes hold equal values of the key.
  ///
  /// A box equals itself without a comparison of values, which may be large, or not equal to
  /// themselves.
  func areEqual(_ one: AnyObject, _ other: AnyObject) -> Bool { one === other }

  /// Returns a Boolean value that indicates whether two keys have the same name and the same type
  /// of value.
  public static func == (left: ThemeKeys, right: ThemeKeys) -> Bool { left.number == right.number }

  /// Hashes the number of the key.
  public func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

/// A key with any type of value, as the element of a collection: `[AnyThemeKey]`.
///
/// ```swift
/// extension ThemeKeys {
///   static let gutter = ThemeKey("gutter", default: 2)
///   static let title = ThemeKey("title", default: "")
/// }
///
/// let layout: [AnyThemeKey] = [.gutter, .title]
/// ```
public typealias AnyThemeKey = ThemeKeys

extension ThemeKeys: CustomStringConvertible {
  /// The name.
  public var description: String { name }
}

/// The numbers and defaults of the keys created so far.
///
/// A name and a type identify a key. Entries last as long as the process: keys are constants, not
/// per-object strings.
struct ThemeKeyTable: Sendable {
  private var entries: [ObjectIdentifier: [String: (number: Int, box: any AnyThemeValue)]] = [:]
  private var count = 0

  /// The types of values that documents can hold, by the number of the key.
  private(set) var codableTypes: [Int: any CodableThemeValue.Type] = [:]

  /// Returns the number and the default of a key, creating an entry if there is none.
  ///
  /// - Parameters:
  ///   - name: The name of the key.
  ///   - proposal: The default if the key is new.
  ///   - codable: The type of the key's values if it is known here to be `Codable`. From then on,
  ///     documents can hold the values wherever the key is used.
  /// - Returns: The key's number and the default that applies.
  /// - Complexity: O(1).
  mutating func intern<Value>(
    _ name: String,
    default proposal: ThemeValue<Value>,
    codable: (any CodableThemeValue.Type)?
  ) -> (number: Int, box: any AnyThemeValue) {
    let type = ObjectIdentifier(Value.self)
    let known = entries[type]?[name]
    let entry = known ?? (count, proposal)
    if known == nil {
      entries[type, default: [:]][name] = entry
      count += 1
    }
    if let codable { codableTypes[entry.number] = codable }
    return entry
  }
}

/// A box with a value of a type that only its key knows.
typealias AnyThemeValue = AnyObject & Sendable

/// A value of a theme, boxed once so that themes, switches and views share it.
@usableFromInline
final class ThemeValue<Value: Sendable & Equatable>: Sendable {
  @usableFromInline let value: Value

  init(_ value: Value) { self.value = value }

  /// Returns the value in a box, which must have this type.
  @inlinable
  static func value(in box: AnyObject) -> Value { known(box, as: ThemeValue.self).value }
}

/// The requirements on values that documents can hold.
typealias CodableThemeValue = Codable & Equatable & Sendable

/// Casts an object to its known type, without a check.
///
/// - Parameters:
///   - object: An instance of the type.
///   - type: The type.
/// - Returns: The object.
@inlinable
func known<Object: AnyObject>(_ object: AnyObject, as type: Object.Type) -> Object {
  unsafe unsafeDowncast(object, to: type)  // Reason: the caller knows.
}
