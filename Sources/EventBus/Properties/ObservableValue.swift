/// A value that can be read and observed: an ``Observed`` property or a ``Computed`` one.
public protocol ObservableValue<Value>: AnyObject {
  /// What is observed.
  associatedtype Value

  /// The value now.
  var value: Value { get }

  /// Calls a closure for every change, for as long as the token is kept.
  ///
  /// - Parameters:
  ///   - options: What is wanted besides the changes.
  ///   - body: Called with each change, in the isolation domain of the value.
  /// - Returns: The token. Dropping it ends the registration.
  func observe(options: ObserveOptions, _ body: @escaping (Change<Value>) -> Void) -> Token
}
