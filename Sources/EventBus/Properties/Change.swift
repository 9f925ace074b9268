/// One change of a property, as its observers see it.
///
/// For every observer the changes form an unbroken chain: each ``old`` is the ``new`` before it, unless
/// the value was stored silently in between.
public struct Change<Value> {
  /// What a change is told for.
  public enum Kind: Hashable, Sendable {
    /// The value at the time of the registration; ``Change/old`` and ``Change/new`` are the same.
    case initial
    /// The value is about to be stored; reading the property still gives ``Change/old``.
    case prior
    /// The value has been stored.
    case set
  }

  /// What the change is told for.
  public let kind: Kind
  /// The value before.
  public let old: Value
  /// The value after.
  public let new: Value

  @inlinable
  init(_ kind: Kind, old: Value, new: Value) {
    self.kind = kind
    self.old = old
    self.new = new
  }
}

extension Change: Sendable where Value: Sendable {}
extension Change: Equatable where Value: Equatable {}

extension Change {
  /// The same change of another value.
  func map<Other>(_ transform: (Value) -> Other) -> Change<Other> {
    let (old, new) = (transform(old), transform(new))
    return switch kind {
    case .initial: Change<Other>(.initial, old: old, new: new)
    case .prior: Change<Other>(.prior, old: old, new: new)
    case .set: Change<Other>(.set, old: old, new: new)
    }
  }
}

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

/// Who reports the changes of a property.
public enum Notifies: Hashable, Sendable {
  /// The property, on every set.
  case automatically
  /// Its owner, by ``Observed/notifyChange(from:)``: sets store silently.
  ///
  /// For keys that change together, or whose owner knows better when a change is complete.
  case manually
}

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
