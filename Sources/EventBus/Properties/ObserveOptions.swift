/// What an observer of a property wants besides the changes.
public struct ObserveOptions: OptionSet, Hashable, Sendable {
  /// The bits of the options.
  public let rawValue: UInt8

  /// Creates options from bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Be called once with the present value, during the registration.
  public static let initial = ObserveOptions(rawValue: 1)
  /// Be called before each change, too, while the value is still the old one.
  public static let prior = ObserveOptions(rawValue: 2)
}
