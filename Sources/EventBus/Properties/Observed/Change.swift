/// A change of a property, as reported to its observers.
///
/// For every observer the changes form an unbroken chain: each ``old`` is the previous ``new``, unless a
/// value was stored silently in between.
public struct Change<Value> {
  /// The reasons for a report.
  public enum Kind: Hashable, Sendable {
    /// The value at registration; ``Change/old`` and ``Change/new`` are the same.
    case initial
    /// The new value is about to be stored; reading the property still gives ``Change/old``. A
    /// ``SharedObserved`` and a ``WeakObserved`` property never report it.
    case prior
    /// The new value has been stored.
    case set
  }

  /// The reason for the report.
  public let kind: Kind
  /// The old value.
  public let old: Value
  /// The new value.
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
  /// Creates a change with the kind of a change of other values.
  init<Other>(_ kind: Change<Other>.Kind, old: Value, new: Value) {
    switch kind {
    case .initial: self.init(.initial, old: old, new: new)
    case .prior: self.init(.prior, old: old, new: new)
    case .set: self.init(.set, old: old, new: new)
    }
  }
}

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
