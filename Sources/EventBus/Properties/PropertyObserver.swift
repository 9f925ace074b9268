/// One registration of a property: the side that has the handler and stays in the property's domain.
///
/// The property calls it through the virtual methods; each answers `false` when its owner has died.
@usableFromInline
internal class PropertyObserver<Value> {
  /// What a registration is called for.
  @usableFromInline
  internal struct Roles: OptionSet, Sendable {
    @usableFromInline internal let rawValue: UInt8

    @usableFromInline
    internal init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Every change, with the value before.
    @usableFromInline internal static var changes: Roles { Roles(rawValue: 1) }
    /// Every change before it is stored.
    @usableFromInline internal static var priors: Roles { Roles(rawValue: 2) }
    /// Every value that is about to be stored, to be declined or replaced.
    @usableFromInline internal static var proposals: Roles { Roles(rawValue: 4) }
    /// Every report of writes; the value before is not wanted.
    @usableFromInline internal static var writes: Roles { Roles(rawValue: 8) }
  }

  /// The side of the registration that tokens know.
  @usableFromInline internal let mark: ObservationMark
  /// What it is called for.
  @usableFromInline internal let roles: Roles
  /// The place in the order of all registrations of the property.
  @usableFromInline internal let number: UInt
  /// The value this observer knows, if it registered when others had yet to be told of a change.
  @usableFromInline internal var baseline: Value?
  /// Under which owner and name the registration can be replaced.
  internal var key: PropertyObserverKey?

  internal init(_ mark: ObservationMark, _ roles: Roles) {
    self.mark = mark
    self.roles = roles
    number = mark.number
  }

  /// Calls the handler with a change.
  @usableFromInline
  internal func receive(_ change: Change<Value>) -> Bool { true }

  /// Calls the handler with what was written.
  @usableFromInline
  internal func receive(_ report: WriteReport<Value>) -> Bool { true }

  /// Takes note that a report came while the registration was paused.
  @usableFromInline
  internal func miss() {}

  /// Asks whether a value may be stored; it may be replaced.
  internal func approves(_ proposed: inout Value, old: Value) -> Bool { true }

  /// Told when it stands among the observers, before it is called.
  internal func wasAdded() {}

  /// Whether an object is the owner.
  internal func belongs(to object: AnyObject) -> Bool { false }

  /// Whether the owner dies without telling.
  internal var needsSweeping: Bool { false }

  /// Whether the owner has died.
  internal var hasLostOwner: Bool { false }
}

/// What names a registration that a second one replaces.
internal struct PropertyObserverKey: Hashable {
  /// The owner.
  internal let owner: ObjectIdentifier
  /// The name the owner gave it.
  internal let id: AnyHashable
}

/// An observer without an owner.
internal final class PlainPropertyObserver<Value>: PropertyObserver<Value> {
  private let body: (Change<Value>) -> Void

  internal init(_ mark: ObservationMark, _ roles: Roles, _ body: @escaping (Change<Value>) -> Void)
  {
    self.body = body
    super.init(mark, roles)
  }

  @usableFromInline
  override internal func receive(_ change: Change<Value>) -> Bool {
    body(change)
    return true
  }
}

/// An observer that belongs to an object, which it holds weakly and passes to its handler.
internal final class OwnedPropertyObserver<Owner: AnyObject, Value>: PropertyObserver<Value> {
  private weak let owner: Owner?
  private let tells: Bool
  private let body: (Owner, Change<Value>) -> Void

  internal init(
    _ mark: ObservationMark,
    _ roles: Roles,
    owner: Owner,
    tells: Bool,
    _ body: @escaping (Owner, Change<Value>) -> Void
  ) {
    self.owner = owner
    self.tells = tells
    self.body = body
    super.init(mark, roles)
  }

  @usableFromInline
  override internal func receive(_ change: Change<Value>) -> Bool {
    guard let owner else { return false }
    body(owner, change)
    return true
  }

  override internal func belongs(to object: AnyObject) -> Bool { owner === object }
  override internal var needsSweeping: Bool { !tells }
  override internal var hasLostOwner: Bool { owner == nil }
}

/// A validator.
internal final class PropertyValidator<Value>: PropertyObserver<Value> {
  private let body: (Value, inout Value) -> Bool

  internal init(_ mark: ObservationMark, _ body: @escaping (Value, inout Value) -> Bool) {
    self.body = body
    super.init(mark, .proposals)
  }

  override internal func approves(_ proposed: inout Value, old: Value) -> Bool {
    body(old, &proposed)
  }
}

@available(*, unavailable)
extension PropertyObserver: Sendable {}
