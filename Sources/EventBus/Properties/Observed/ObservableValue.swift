/// A value that can be read and observed: an ``Observed`` property, its ``Observed/ReadOnly`` view, or a
/// ``Computed`` value.
public protocol ObservableValue<Value> {
  /// The type of the value.
  associatedtype Value

  /// The current value.
  var value: Value { get }

  /// Calls a closure for every change while the returned token is retained.
  ///
  /// - Parameters:
  ///   - options: The calls to make besides those for changes.
  ///   - body: The handler, called with each change in the isolation domain of the value.
  /// - Returns: A token that owns the registration: releasing the token ends it.
  func observe(options: ObserveOptions, _ body: @escaping (Change<Value>) -> Void) -> Token
}
