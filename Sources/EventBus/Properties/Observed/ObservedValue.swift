/// A value that can be read and observed: an ``Observed`` property, its ``Observed/ReadOnly`` view, or a
/// ``Computed`` value.
public protocol ObservedValue<Value> {
  /// The type of the value.
  associatedtype Value

  /// The current value.
  var value: Value { get }

  /// Calls a closure for every change while the returned token is retained.
  ///
  /// - Parameters:
  ///   - initial: Whether the handler is called with the current value, too, during the registration.
  ///   - prior: Whether the handler is called before each change as well, while the property has the old value.
  ///   - handler: Called with each change in the isolation domain of the value.
  /// - Returns: A token that owns the registration: releasing the token ends it.
  func observe(initial: Bool, prior: Bool, _ handler: @escaping (Change<Value>) -> Void) -> Token
}

extension ObservedValue {
  /// Calls a closure for every change while the returned token is retained, and not before changes.
  ///
  /// - Parameters:
  ///   - initial: Whether the handler is called with the current value, too, during the registration.
  ///   - handler: Called with each change in the isolation domain of the value.
  /// - Returns: A token that owns the registration: releasing the token ends it.
  public func observe(
    initial: Bool = false,
    _ handler: @escaping (Change<Value>) -> Void
  ) -> Token {
    observe(initial: initial, prior: false, handler)
  }
}
