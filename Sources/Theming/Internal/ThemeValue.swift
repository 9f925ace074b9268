/// A value of a theme, whatever its type.
internal protocol AnyThemeValue: AnyObject, Sendable {
  /// Whether the other one holds an equal value of the same type.
  func equals(_ other: any AnyThemeValue) -> Bool
}

/// A value of a theme, boxed once so that themes, switches and views share it.
@usableFromInline
internal final class ThemeValue<Value: Sendable & Equatable>: AnyThemeValue {
  @usableFromInline internal let value: Value

  internal init(_ value: Value) { self.value = value }

  /// The same box is equal without asking the value, which may be large, or not equal to itself.
  internal func equals(_ other: any AnyThemeValue) -> Bool {
    other === self || (other as? ThemeValue<Value>)?.value == value
  }

  /// The value in a box that is known to be of this type.
  ///
  /// Theme values are only ever kept under keys of their own type, and aliases point at keys of the
  /// same type: the type of a key is part of what makes it the same key.
  ///
  /// - Parameter box: A `ThemeValue<Value>`.
  /// - Returns: What is in it.
  @inlinable
  internal static func value(in box: AnyObject) -> Value {
    unsafe unsafeDowncast(box, to: ThemeValue<Value>.self).value  // Reason: see above.
  }
}

/// An object whose type is known, though the compiler has lost sight of it.
///
/// - Parameters:
///   - object: An instance of the type.
///   - type: The type.
/// - Returns: The object.
@inlinable
internal func known<Object: AnyObject>(_ object: AnyObject, as type: Object.Type) -> Object {
  unsafe unsafeDowncast(object, to: type)  // Reason: the caller knows.
}
