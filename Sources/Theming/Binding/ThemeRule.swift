/// One line of a map: what becomes of an object when a key changes.
internal protocol ThemeRule<Object>: AnyObject {
  associatedtype Object: AnyObject

  /// The key whose changes matter.
  var key: ThemeKeys { get }

  /// Hands the value of the key to the object.
  func apply(_ value: any AnyThemeValue, to object: Object)
}

/// Sets a property to the value of a key.
internal final class SetRule<Object: AnyObject, Value: Sendable & Equatable>: ThemeRule {
  private let property: ReferenceWritableKeyPath<Object, Value>
  private let typedKey: ThemeKey<Value>

  internal init(_ property: ReferenceWritableKeyPath<Object, Value>, _ key: ThemeKey<Value>) {
    self.property = property
    typedKey = key
  }

  internal var key: ThemeKeys { typedKey }

  internal func apply(_ value: any AnyThemeValue, to object: Object) {
    object[keyPath: property] = typedKey.value(in: value)
  }
}
