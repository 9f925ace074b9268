public import Synchronization

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
  final var number: UInt { registration.number }
  /// True if the observer belongs to an object.
  final let isOwned: Bool
  /// True if the owner's death must be found by a sweep.
  final let needsSweeping: Bool
  /// The key under which a later registration replaces this one.
  final var key: PropertyObserverKey?

  init(_ registration: PropertyRegistration, _ roles: PropertyFlags, owner: AnyObject? = nil) {
    self.registration = registration
    self.roles = roles
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

  /// True if the owner has died.
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
  /// True if this is the initial report of a registration.
  @usableFromInline package let isInitial: Bool
  /// True if this is the report of a batch, which is left out if the writes
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
}

@available(*, unavailable)
extension WriteReport: Sendable {}

/// The state that a property shares with other threads: the registrations that have ended, and whether it is reporting.
///
/// A property and its closures belong to one isolation domain, but tokens are cancelled on any thread. A cancellation
/// therefore only records a number here; the property removes and releases the closure when it is next set, mutated or
/// observed.
///
/// ```
/// property ──owns──► observers ──own──► registrations ──► ended registrations ◄──owns── property
///                                             ▲
///                                token ──owns─┘      (the token never refers to a closure)
/// ```
///
/// A report is published before it checks which registrations have ended, and an end is recorded before
/// ``untilFinished()`` looks for a report. Either the handler is not called, or ``untilFinished()`` waits for the
/// report. A report costs two atomic additions, whatever the number of observers.
///
/// ## Thread safety
///
/// Every member may be called on any thread, except ``isReporting``, ``beginReport()``, ``endReport()`` and
/// ``takeAll()``, which belong to the property.
@usableFromInline
final class EndedRegistrations: Sendable {
  /// Set while the property has yet to remove ended registrations.
  @usableFromInline static var dirty: UInt { 1 }
  /// Set while tasks wait for the end of a report.
  @usableFromInline static var awaited: UInt { 2 }
  /// The number of reports in progress, one inside the other, counts in this unit; only the property changes it.
  @usableFromInline static var reporting: UInt { 4 }

  private struct State: ~Copyable {
    var numbers: [UInt] = []
    /// Opens when the report in progress ends.
    var endOfReport: Latch?
  }

  @usableFromInline let word = Atomic<UInt>(0)
  private let state = Locked(State())

  /// True if the property still holds ended registrations.
  @inlinable
  var isDirty: Bool { word.load(ordering: .relaxed) & Self.dirty != 0 }

  /// True if handlers are being called; for the property only.
  @inlinable
  var isReporting: Bool { word.load(ordering: .relaxed) >= Self.reporting }

  /// Publishes that handlers are going to be called.
  ///
  /// Sequentially consistent, as is the end of a registration.
  @inlinable
  func beginReport() { word.wrappingAdd(Self.reporting, ordering: .sequentiallyConsistent) }

  /// Publishes the end of a report.
  ///
  /// - Returns: `true` if no handler is being called any more, and the property holds ended registrations.
  @inlinable
  func endReport() -> Bool {
    let former = word.wrappingSubtract(Self.reporting, ordering: .sequentiallyConsistent).oldValue
    guard former < 2 * Self.reporting else { return false }
    if former & Self.awaited != 0 { reportHasEnded() }
    return former & Self.dirty != 0
  }

  /// Records the end of a registration.
  func note(_ number: UInt) {
    state.withLock { $0.numbers.append(number) }
    word.bitwiseOr(Self.dirty, ordering: .releasing)
  }

  /// Removes and returns the numbers of the registrations that have ended since the last call.
  func takeAll() -> [UInt] {
    // Cleared before the numbers are taken: a number added in between sets the bit again, harmlessly.
    word.bitwiseAnd(~Self.dirty, ordering: .acquiringAndReleasing)
    return state.withLock { state in
      defer { state.numbers = [] }
      return state.numbers
    }
  }

  /// Waits, after the end of a registration, until its handler is not being called.
  ///
  /// Returns early if the task is cancelled.
  func untilFinished() async {
    // The latch is created before the flag is set: the end of a report that sees the flag opens it.
    let latch = state.withLock { state in
      let latch = state.endOfReport ?? Latch()
      state.endOfReport = latch
      return latch
    }
    let former = word.bitwiseOr(Self.awaited, ordering: .sequentiallyConsistent).oldValue
    // The flag may stay set: other tasks may be waiting, and the end of the next report clears it.
    if former >= Self.reporting { await latch.wait() }
  }

  @usableFromInline
  func reportHasEnded() {
    // Cleared before the latch is taken: a task that begins to wait later sets it again.
    word.bitwiseAnd(~Self.awaited, ordering: .sequentiallyConsistent)
    let latch = state.withLock { $0.endOfReport.take() }
    latch?.open()
  }
}
