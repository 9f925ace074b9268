/// The keys that a ``ThemeDocument`` may set.
///
/// ```swift
/// enum Skin: ThemeSchema {
///   static let keys: [ThemeKeys] = [.brand, .accent, .ground, .radius]
/// }
/// ```
///
/// A document knows keys by their names alone, so no two keys of a schema may have one name: a
/// schema with two such keys, of different types, traps when it is first used. The same key twice
/// does no harm. Keys whose type of value is not `Codable` may be listed: documents can make them
/// aliases, but cannot give them values.
///
/// ## Thread safety
///
/// ``keys`` is read on any thread, each time a document is made or read.
public protocol ThemeSchema: SendableMetatype {
  /// The keys, in any order.
  static var keys: [ThemeKeys] { get }
}
