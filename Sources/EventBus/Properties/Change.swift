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

/// The way in which changes of a property are reported.
public enum Notifies: Hashable, Sendable {
  /// The property reports every assignment.
  case automatically
  /// Assignments store silently; the owner reports changes with ``Observed/notifyChange(from:)``.
  ///
  /// Use it for properties that change together, or if only the owner knows when a change is complete.
  case manually
}

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
