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
  internal init(_ kind: Kind, old: Value, new: Value) {
    self.kind = kind
    self.old = old
    self.new = new
  }
}

extension Change: Sendable where Value: Sendable {}
extension Change: Equatable where Value: Equatable {}
