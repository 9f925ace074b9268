/// A value of a theme, whatever its type.
internal protocol AnyThemeValue: AnyObject, Sendable {
  /// Whether the other one holds an equal value of the same type.
  func equals(_ other: any AnyThemeValue) -> Bool
}

/// A value of a theme, boxed once so that themes, switches and views share it.
internal final class ThemeValue<Value: Sendable & Equatable>: AnyThemeValue {
  internal let value: Value

  internal init(_ value: Value) { self.value = value }

  /// The same box is equal without asking the value, which may be large, or not equal to itself.
  internal func equals(_ other: any AnyThemeValue) -> Bool {
    other === self || (other as? ThemeValue<Value>)?.value == value
  }
}
