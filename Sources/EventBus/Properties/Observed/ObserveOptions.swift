/// Options that request calls besides those for changes.
public struct ObserveOptions: OptionSet, Hashable, Sendable {
  /// The raw bits of the options.
  public let rawValue: UInt8

  /// Creates options from raw bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Calls the handler once with the current value, during registration.
  public static let initial = ObserveOptions(rawValue: 1)
  /// Calls the handler before each change as well, while the property still has the old value.
  public static let prior = ObserveOptions(rawValue: 2)
}

extension ObserveOptions {
  /// The roles of a registration with these options.
  var roles: PropertyFlags { contains(.prior) ? [.changes, .priors] : .changes }
}
