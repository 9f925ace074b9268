/// The part of a registration that holds the handler and stays in the property's isolation domain.
///
/// The `receive` methods return `false` if the owner has died.
@usableFromInline
class PropertyObserver<Value> {
  /// The part of the registration that tokens refer to.
  @usableFromInline let registration: PropertyRegistration
  /// The events for which the observer is called.
  final let roles: PropertyFlags
  /// The registration number; ascending in registration order.
  final let number: UInt
  /// A Boolean value that indicates whether the observer belongs to an object.
  private final let isOwned: Bool
  /// A Boolean value that indicates whether the owner's death must be found by a sweep.
  final let needsSweeping: Bool
  /// The key under which a later registration replaces this one.
  final var key: PropertyObserverKey?

  init(_ registration: PropertyRegistration, _ roles: PropertyFlags, owner: AnyObject? = nil) {
    self.registration = registration
    self.roles = roles
    number = registration.number
    isOwned = owner != nil
    needsSweeping = owner.map { !($0 is any LifetimeOwner) } ?? false
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

  /// The owner; `nil` if there is none or it has died.
  var currentOwner: AnyObject? { nil }

  /// A Boolean value that indicates whether the owner has died.
  final var hasLostOwner: Bool { isOwned && currentOwner == nil }
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
    _ roles: PropertyFlags,
    _ body: @escaping (Change<Value>) -> Void
  ) {
    self.body = body
    super.init(registration, roles)
  }

  override func receive(_ change: Change<Value>) -> Bool {
    body(change)
    return true
  }
}

/// An observer that belongs to an object, which it holds weakly and passes to its handler.
final class OwnedPropertyObserver<Owner: AnyObject, Value>: PropertyObserver<Value> {
  private weak let owner: Owner?
  private let body: (Owner, Change<Value>) -> Void

  init(
    _ registration: PropertyRegistration,
    _ roles: PropertyFlags,
    owner: Owner,
    _ body: @escaping (Owner, Change<Value>) -> Void
  ) {
    self.owner = owner
    self.body = body
    super.init(registration, roles, owner: owner)
  }

  override func receive(_ change: Change<Value>) -> Bool {
    guard let owner else { return false }
    body(owner, change)
    return true
  }

  override var currentOwner: AnyObject? { owner }
}

/// An observer that validates proposed values.
final class PropertyValidator<Value>: PropertyObserver<Value> {
  private let body: (Value, inout Value) -> Bool

  init(_ registration: PropertyRegistration, _ body: @escaping (Value, inout Value) -> Bool) {
    self.body = body
    super.init(registration, .validators)
  }

  override func approves(_ proposed: inout Value, old: Value) -> Bool { body(old, &proposed) }
}

@available(*, unavailable)
extension PropertyObserver: Sendable {}

/// The part of a registration that other threads may use: its end and its pauses.
///
/// It never refers to the handler.
@usableFromInline
package final class PropertyRegistration: Registration,
  @unchecked Sendable  // Reason: constants.
{
  /// The registration number.
  @usableFromInline let number: UInt
  private let ended: EndedRegistrations

  init(number: UInt, _ ended: EndedRegistrations) {
    self.number = number
    self.ended = ended
  }

  override func didEnd() { ended.note(number) }

  override func waitForCalls() async { await ended.untilFinished() }
}

/// The writes since the last report, for observers of elements, which do not need the old value.
///
/// While no observer needs a ``Change``, the value is mutated in place without a copy.
@usableFromInline
package struct WriteReport<Value> {
  /// The new value.
  @usableFromInline package let new: Value
  /// The old value, if it was kept.
  @usableFromInline package let old: Value?
  /// The records of the writes, in order; `nil` if any write was not described.
  @usableFromInline package let records: [AnyObject]?
  /// A Boolean value that indicates whether this is the initial report of a registration.
  @usableFromInline package let isInitial: Bool
  /// A Boolean value that indicates whether this is the report of a batch, which is left out if the writes
  /// cancel each other out.
  @usableFromInline let isOfBatch: Bool

  @inlinable
  init(
    new: Value,
    old: Value? = nil,
    records: [AnyObject]? = nil,
    isInitial: Bool = false,
    isOfBatch: Bool = false
  ) {
    self.new = new
    self.old = old
    self.records = records
    self.isInitial = isInitial
    self.isOfBatch = isOfBatch
  }

  /// The descriptions of the writes, in order.
  @inlinable
  func edits<Edits>(_: Edits.Type) -> some Sequence<Edits> {
    (records ?? []).lazy.compactMap { ($0 as? WriteRecord<Edits>)?.edits }
  }
}

/// The description of one write, in the form that suits the kind of collection.
///
/// A class, because a value of type `Any` takes 150 instructions more on its way to the observers.
@usableFromInline
final class WriteRecord<Edits> {
  @usableFromInline let edits: Edits

  @inlinable
  init(_ edits: Edits) { self.edits = edits }
}

@available(*, unavailable)
extension WriteReport: Sendable {}

@available(*, unavailable)
extension WriteRecord: Sendable {}
