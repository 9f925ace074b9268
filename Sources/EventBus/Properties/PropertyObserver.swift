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

  @usableFromInline
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

  @usableFromInline
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
  private let ledger: RegistrationLedger

  init(number: UInt, ledger: RegistrationLedger) {
    self.number = number
    self.ledger = ledger
  }

  override package func didEnd() { ledger.note(number) }

  override package func waitUntilFinished(_ handle: UInt) async {
    await ledger.untilFinished(number)
  }
}

/// The state that a property shares with other threads: the ended registrations, the current call, and
/// the tasks that wait for its end.
///
/// A property and its closures belong to one isolation domain, but tokens are cancelled on any thread. A
/// cancellation therefore only records a number here; the property removes and releases the closure when
/// it is next set, mutated or observed.
///
/// ```
/// property ──owns──► observers ──own──► registrations ──► ledger ◄──owns── property
///                                             ▲
///                                token ──owns─┘      (the token never refers to a closure)
/// ```
///
/// A call publishes its registration number before it checks whether the registration has ended, and
/// an end is recorded before ``untilFinished(_:)`` reads that number. Either the call does not happen, or
/// ``untilFinished(_:)`` waits for it. A walk costs one atomic addition for each registration, and one
/// more.
///
/// ## Thread safety
///
/// Every member may be called on any thread, except ``call(_:)``, ``callSeveral()``, ``resume(_:)``,
/// ``end()`` and ``takeEnded()``, which belong to the property.
@usableFromInline
final class RegistrationLedger: Sendable {
  /// Set while the property has yet to remove ended registrations.
  @usableFromInline static var dirty: UInt { 1 }
  /// Set while tasks wait for the end of a call.
  @usableFromInline static var awaited: UInt { 2 }
  /// The bits of the current call, which only the property changes.
  ///
  /// They are zero if there is no call and all ones if calls are nested; otherwise they hold the
  /// registration number plus one.
  @usableFromInline static var call: UInt { ~3 }
  @usableFromInline static var oneCall: UInt { 4 }

  private struct State {
    var ended: [UInt] = []
    /// The latch that the next change of the call opens.
    var change: Latch?
  }

  @usableFromInline let word = Atomic<UInt>(0)
  private let state = Locked(State())

  /// A Boolean value that indicates whether the property still holds ended registrations.
  @inlinable
  var isDirty: Bool { word.load(ordering: .relaxed) & Self.dirty != 0 }

  /// Publishes the call of a registration, replacing the previous call.
  ///
  /// Sequentially consistent, as is the end of a registration.
  @inlinable
  func call(_ number: UInt) { _ = change(to: (number &+ 1) &* Self.oneCall) }

  /// Publishes calls nested in the current one.
  ///
  /// - Returns: The current call, for ``resume(_:)``.
  @inlinable
  func callSeveral() -> UInt { change(to: Self.call) & Self.call }

  /// Publishes that the calls nested in a call have returned.
  @inlinable
  func resume(_ call: UInt) { _ = change(to: call) }

  /// Publishes that no handler is being called.
  ///
  /// - Returns: `true` if the property holds ended registrations.
  @inlinable
  func end() -> Bool { change(to: 0) & Self.dirty != 0 }

  /// Changes the bits of the call and wakes the tasks that wait for its end.
  ///
  /// - Returns: The previous word.
  @inlinable
  func change(to call: UInt) -> UInt {
    // No other thread changes these bits.
    let difference = call &- word.load(ordering: .relaxed) & Self.call
    let former = word.wrappingAdd(difference, ordering: .sequentiallyConsistent).oldValue
    if former & Self.awaited != 0 { callHasEnded() }
    return former
  }

  /// Records the end of a registration.
  func note(_ number: UInt) {
    state.withLock { $0.ended.append(number) }
    word.bitwiseOr(Self.dirty, ordering: .releasing)
  }

  /// Returns the registrations that have ended since the last call.
  func takeEnded() -> [UInt] {
    // Cleared before the numbers are taken: a number added in between sets the bit again, harmlessly.
    word.bitwiseAnd(~Self.dirty, ordering: .acquiringAndReleasing)
    return state.withLock { state in
      let ended = state.ended
      state.ended = []
      return ended
    }
  }

  /// Waits until the handler of an ended registration is not being called.
  ///
  /// Returns early if the task is cancelled.
  func untilFinished(_ number: UInt) async {
    while true {
      // The latch is created before the flag is set: a change of the call that sees the flag opens it.
      let latch = state.withLock { state in
        let latch = state.change ?? Latch()
        state.change = latch
        return latch
      }
      let call =
        word.bitwiseOr(Self.awaited, ordering: .sequentiallyConsistent).oldValue & Self.call
      // The flag may stay set: other tasks may be waiting, and the next change of the call clears it.
      guard call == Self.call || call == (number &+ 1) &* Self.oneCall else { return }
      guard await latch.wait() else { return }
    }
  }

  @usableFromInline
  func callHasEnded() {
    // Cleared before the latch is taken: a task that begins to wait later sets it again.
    word.bitwiseAnd(~Self.awaited, ordering: .sequentiallyConsistent)
    let latch = state.withLock { $0.change.take() }
    latch?.open()
  }
}
