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
