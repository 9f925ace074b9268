/// The calls that a registration requests besides those for changes.
struct ObserveOptions: OptionSet, Sendable {
  let rawValue: UInt8

  /// Calls the handler once with the current value, during registration.
  static let initial = ObserveOptions(rawValue: 1)
  /// Calls the handler before each change as well, while the property still has the old value.
  static let prior = ObserveOptions(rawValue: 2)

  init(rawValue: UInt8) { self.rawValue = rawValue }

  init(_ initial: Bool, _ prior: Bool) {
    self.init(rawValue: (initial ? 1 : 0) | (prior ? 2 : 0))
  }

  /// The roles of a registration with these options.
  var roles: PropertyFlags { contains(.prior) ? [.changes, .priors] : .changes }
}
