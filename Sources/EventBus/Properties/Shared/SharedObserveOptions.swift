/// Options that request calls besides those for changes, for a value that several threads change.
///
/// Such a value is not announced before a change, because other threads may already read the new value:
/// there is no `prior`.
public struct SharedObserveOptions: OptionSet, Hashable, Sendable {
  /// The raw bits of the options.
  public let rawValue: UInt8

  /// Creates options from raw bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Calls the handler once with the current value, during registration.
  public static let initial = SharedObserveOptions(rawValue: 1)
}
