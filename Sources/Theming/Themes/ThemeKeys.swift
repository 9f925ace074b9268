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
  internal let number: Int

  /// What the key reads where no theme sets it.
  internal let boxedDefault: any AnyThemeValue

  /// The type of its values.
  internal let valueType: Any.Type

  /// How its values are read from documents and written to them, or `nil` when they cannot be.
  internal var codec: ThemeCodec? { ThemeKeyTable.codec(of: number) }

  internal init(
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
