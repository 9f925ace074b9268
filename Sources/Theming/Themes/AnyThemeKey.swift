internal import EventBus

/// A theme key with any type of value, as the element of a collection: `[AnyThemeKey]`.
///
/// ```swift
/// extension ThemeKeys {
///   static let gutter = ThemeKey("gutter", default: 2)
///   static let title = ThemeKey("title", default: "")
/// }
///
/// let layout: [AnyThemeKey] = [.gutter, .title]
/// ```
///
/// ``ThemeDidChange`` carries a set of them. It has no public initializer; every instance is a ``ThemeKey``.
///
/// ## Thread safety
///
/// Keys are immutable and safe to use from any thread.
public class AnyThemeKey: Hashable, @unchecked Sendable {  // Reason: constants only.
  /// The name, as used in files and messages.
  public let name: String

  /// The number that identifies the key within the process.
  let number: Int

  /// The boxed default value.
  let boxedDefault: any AnyThemeValue

  let valueType: Any.Type

  /// All keys created so far.
  static let table = Locked(ThemeKeyTable())

  /// The type of the key's values, or `nil` if documents cannot hold them.
  var codableType: (any CodableThemeValue.Type)? {
    AnyThemeKey.table.withLock { $0.codableTypes[number] }
  }

  init(name: String, number: Int, valueType: Any.Type, boxedDefault: any AnyThemeValue) {
    self.name = name
    self.number = number
    self.valueType = valueType
    self.boxedDefault = boxedDefault
  }

  /// Returns whether two boxes hold equal values of the key.
  ///
  /// A box equals itself without a comparison of values, which may be large. NaN equals NaN.
  func areEqual(_ one: AnyObject, _ other: AnyObject) -> Bool { one === other }

  /// Returns whether two keys have the same name and the same type of value.
  public static func == (left: AnyThemeKey, right: AnyThemeKey) -> Bool {
    left.number == right.number
  }

  /// Hashes the number of the key.
  public func hash(into hasher: inout Hasher) { hasher.combine(number) }
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
public typealias ThemeKeys = AnyThemeKey

extension AnyThemeKey: CustomStringConvertible {
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
