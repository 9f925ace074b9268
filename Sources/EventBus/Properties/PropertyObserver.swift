/// The part of a registration that holds the handler and stays in the property's isolation domain.
///
/// The `receive` methods return `false` if the owner has died.
@usableFromInline
class PropertyObserver<Value> {
  /// The events for which an observer is called.
  @usableFromInline
  struct Roles: OptionSet, Sendable {
    @usableFromInline let rawValue: UInt8

    @usableFromInline
    init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Every change, with the old value.
    @usableFromInline static var changes: Roles { Roles(rawValue: 1) }
    /// Every change before it is stored.
    @usableFromInline static var priors: Roles { Roles(rawValue: 2) }
    /// Every proposed value, to validate it.
    @usableFromInline static var proposals: Roles { Roles(rawValue: 4) }
    /// Every write report, without the old value.
    @usableFromInline static var writes: Roles { Roles(rawValue: 8) }
  }

  /// The part of the registration that tokens refer to.
  @usableFromInline let registration: PropertyRegistration
  /// The events for which the observer is called.
  @usableFromInline let roles: Roles
  /// The registration number; ascending in registration order.
  @usableFromInline let number: UInt
  /// The value that this observer knows, if a report to the other observers was pending when it registered.
  @usableFromInline var baseline: Value?
  /// The key under which a later registration replaces this one.
  var key: PropertyObserverKey?

  init(_ registration: PropertyRegistration, _ roles: Roles) {
    self.registration = registration
    self.roles = roles
    number = registration.number
  }

  /// Calls the handler with a change.
  @usableFromInline
  func receive(_ change: Change<Value>) -> Bool { true }

  /// Calls the handler with a write report.
  @usableFromInline
  func receive(_ report: WriteReport<Value>) -> Bool { true }

  /// Records that a report was missed while the registration was paused.
  @usableFromInline
  func miss() {}

  /// Returns whether to store a proposed value, which it may replace.
  func approves(_ proposed: inout Value, old: Value) -> Bool { true }

  /// Called once the observer has its slot, before its handler is called.
  func wasAdded() {}

  /// Returns whether an object is the owner.
  func belongs(to object: AnyObject) -> Bool { false }

  /// A Boolean value that indicates whether the owner's death must be found by a sweep.
  var needsSweeping: Bool { false }

  /// A Boolean value that indicates whether the owner has died.
  var hasLostOwner: Bool { false }
}

/// The identity of a registration that a later one replaces.
struct PropertyObserverKey: Hashable {
  let owner: ObjectIdentifier
  /// The identifier that was passed at registration.
  let id: AnyHashable
}

/// An observer without an owner.
final class PlainPropertyObserver<Value>: PropertyObserver<Value> {
  private let body: (Change<Value>) -> Void

  init(
    _ registration: PropertyRegistration,
    _ roles: Roles,
    _ body: @escaping (Change<Value>) -> Void
  ) {
    self.body = body
    super.init(registration, roles)
  }

  @usableFromInline
  override func receive(_ change: Change<Value>) -> Bool {
    body(change)
    return true
  }
}

/// An observer that belongs to an object, which it holds weakly and passes to its handler.
final class OwnedPropertyObserver<Owner: AnyObject, Value>: PropertyObserver<Value> {
  private weak let owner: Owner?
  private let hasLifetime: Bool
  private let body: (Owner, Change<Value>) -> Void

  init(
    _ registration: PropertyRegistration,
    _ roles: Roles,
    owner: Owner,
    _ body: @escaping (Owner, Change<Value>) -> Void
  ) {
    self.owner = owner
    hasLifetime = owner is any LifetimeOwner
    self.body = body
    super.init(registration, roles)
  }

  @usableFromInline
  override func receive(_ change: Change<Value>) -> Bool {
    guard let owner else { return false }
    body(owner, change)
    return true
  }

  override func belongs(to object: AnyObject) -> Bool { owner === object }
  override var needsSweeping: Bool { !hasLifetime }
  override var hasLostOwner: Bool { owner == nil }
}

/// An observer that validates proposed values.
final class PropertyValidator<Value>: PropertyObserver<Value> {
  private let body: (Value, inout Value) -> Bool

  init(_ registration: PropertyRegistration, _ body: @escaping (Value, inout Value) -> Bool) {
    self.body = body
    super.init(registration, .proposals)
  }

  override func approves(_ proposed: inout Value, old: Value) -> Bool {
    body(old, &proposed)
  }
}

@available(*, unavailable)
extension PropertyObserver: Sendable {}
