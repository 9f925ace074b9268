public import Synchronization

/// One registration of a property: the side that has the handler and stays in the property's domain.
///
/// The property calls it through the virtual methods; each answers `false` when its owner has died.
@usableFromInline
class PropertyObserver<Value> {
  /// What a registration is called for.
  @usableFromInline
  struct Roles: OptionSet, Sendable {
    @usableFromInline let rawValue: UInt8

    @usableFromInline
    init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Every change, with the value before.
    @usableFromInline static var changes: Roles { Roles(rawValue: 1) }
    /// Every change before it is stored.
    @usableFromInline static var priors: Roles { Roles(rawValue: 2) }
    /// Every value that is about to be stored, to be declined or replaced.
    @usableFromInline static var proposals: Roles { Roles(rawValue: 4) }
    /// Every report of writes; the value before is not wanted.
    @usableFromInline static var writes: Roles { Roles(rawValue: 8) }
  }

  /// The side of the registration that tokens know.
  @usableFromInline let mark: ObservationMark
  /// What it is called for.
  @usableFromInline let roles: Roles
  /// The place in the order of all registrations of the property.
  @usableFromInline let number: UInt
  /// The value this observer knows, if it registered when others had yet to be told of a change.
  @usableFromInline var baseline: Value?
  /// Under which owner and name the registration can be replaced.
  var key: PropertyObserverKey?

  init(_ mark: ObservationMark, _ roles: Roles) {
    self.mark = mark
    self.roles = roles
    number = mark.number
  }

  /// Calls the handler with a change.
  @usableFromInline
  func receive(_ change: Change<Value>) -> Bool { true }

  /// Calls the handler with what was written.
  @usableFromInline
  func receive(_ report: WriteReport<Value>) -> Bool { true }

  /// Takes note that a report came while the registration was paused.
  @usableFromInline
  func miss() {}

  /// Asks whether a value may be stored; it may be replaced.
  func approves(_ proposed: inout Value, old: Value) -> Bool { true }

  /// Told when it stands among the observers, before it is called.
  func wasAdded() {}

  /// Whether an object is the owner.
  func belongs(to object: AnyObject) -> Bool { false }

  /// Whether the owner dies without telling.
  var needsSweeping: Bool { false }

  /// Whether the owner has died.
  var hasLostOwner: Bool { false }
}

/// What names a registration that a second one replaces.
struct PropertyObserverKey: Hashable {
  /// The owner.
  let owner: ObjectIdentifier
  /// The name the owner gave it.
  let id: AnyHashable
}

/// An observer without an owner.
final class PlainPropertyObserver<Value>: PropertyObserver<Value> {
  private let body: (Change<Value>) -> Void

  init(_ mark: ObservationMark, _ roles: Roles, _ body: @escaping (Change<Value>) -> Void) {
    self.body = body
    super.init(mark, roles)
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
  private let tells: Bool
  private let body: (Owner, Change<Value>) -> Void

  init(
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
  override func receive(_ change: Change<Value>) -> Bool {
    guard let owner else { return false }
    body(owner, change)
    return true
  }

  override func belongs(to object: AnyObject) -> Bool { owner === object }
  override var needsSweeping: Bool { !tells }
  override var hasLostOwner: Bool { owner == nil }
}

/// A validator.
final class PropertyValidator<Value>: PropertyObserver<Value> {
  private let body: (Value, inout Value) -> Bool

  init(_ mark: ObservationMark, _ body: @escaping (Value, inout Value) -> Bool) {
    self.body = body
    super.init(mark, .proposals)
  }

  override func approves(_ proposed: inout Value, old: Value) -> Bool {
    body(old, &proposed)
  }
}

@available(*, unavailable)
extension PropertyObserver: Sendable {}

/// The side of a property's registration that other threads may touch: whether it has ended, and how
/// often it is paused.
///
/// It never refers to the handler.
@usableFromInline
package final class ObservationMark: TokenTarget, EndingMembers.Member,
  @unchecked Sendable  // Reason: atomic and locked.
{
  private struct State {
    var members: EndingMembers?
    var ticket: EndingMembers.Ticket?
    var watcher: WeakCancellable?
  }

  private static let ended: UInt = 1
  /// Set when the lifetime has ended to which it belongs, and it has not been its turn.
  private static let stopped: UInt = 2
  private static let onePause: UInt = 4

  /// Which registration of the property it is.
  @usableFromInline package let number: UInt
  /// Zero while calls get through: the lowest bits are the end, the others count the pauses.
  @usableFromInline let word = Atomic<UInt>(0)
  private let ledger: ObservationLedger
  private let state = Locked(State())

  /// Creates the mark of a registration that has not ended.
  package init(number: UInt, ledger: ObservationLedger) {
    self.number = number
    self.ledger = ledger
  }

  /// Whether the handler may be called now: neither ended nor stopped nor paused.
  @inlinable
  package var isOpen: Bool { word.load(ordering: .sequentiallyConsistent) == 0 }

  /// Whether the registration has ended.
  package var hasEnded: Bool { word.load(ordering: .sequentiallyConsistent) & Self.ended != 0 }

  /// Ends the registration with a lifetime.
  ///
  /// - Returns: `false` when that has ended already.
  package func join(_ members: EndingMembers) -> Bool {
    guard let ticket = members.join(self) else {
      end(0)
      return false
    }
    state.withLock { ($0.members, $0.ticket) = (members, ticket) }
    // It may have ended meanwhile, with nobody there to leave the group.
    if hasEnded { members.leave(ticket) }
    return true
  }

  package func stopCalls() { word.bitwiseOr(Self.stopped, ordering: .sequentiallyConsistent) }

  override package func stopCalls(_ handle: UInt, unless hasEnded: () -> Bool) { stopCalls() }

  package func lifetimeEnded() { endByItself() }

  /// Ends the registration without its token, which is told.
  @usableFromInline
  package func endByItself() {
    guard finish() else { return }
    let watcher = state.withLock { $0.watcher }
    watcher?.object?.cancel()
  }

  override package func end(_ handle: UInt) { _ = finish() }

  override package func isActive(_ handle: UInt) -> Bool {
    let word = word.load(ordering: .sequentiallyConsistent)
    // The lifetime ends its members one after the other, and calls hooks in between.
    return word & (Self.ended | Self.stopped) == 0
      && state.withLock { $0.members }?.hasEnded != true
  }

  override package func waitUntilFinished(_ handle: UInt) async {
    await ledger.untilFinished(number)
  }

  override package func changePauses(_ handle: UInt, by change: Int, unless hasEnded: () -> Bool) {
    let amount = UInt(bitPattern: change) &* Self.onePause
    word.wrappingAdd(amount, ordering: .acquiringAndReleasing)
  }

  override package func watch(_ handle: UInt, by token: any Cancellable) -> Bool {
    let reference = WeakCancellable(token)
    state.withLock { $0.watcher = reference }
    return !hasEnded
  }

  /// Whether this call was the one that ended it.
  private func finish() -> Bool {
    let former = word.bitwiseOr(Self.ended, ordering: .sequentiallyConsistent).oldValue
    guard former & Self.ended == 0 else { return false }
    ledger.note(number)
    let membership = state.withLock { state in
      let membership = (state.members, state.ticket)
      (state.members, state.ticket) = (nil, nil)
      return membership
    }
    if let ticket = membership.1 { membership.0?.leave(ticket) }
    return true
  }
}

/// What a property and other threads know of each other: which registrations have ended, which one is
/// being called, and who waits for the end of that call.
///
/// A property and its closures belong to one isolation domain; tokens are cancelled anywhere. So a
/// token only writes a number here, and the property takes the closure out, and lets it go, the next
/// time it is used.
///
/// ```
/// property ──owns──► observers ──own──► marks ──► ledger ◄──owns── property
///                                         ▲
///                            token ──owns─┘          (nothing on the token's side has a closure)
/// ```
///
/// The number of the registration that is being called is published before the registration is looked at,
/// and the end of a registration is set before that number is read: so either the call is not made, or
/// ``untilFinished(_:)`` sees it. A walk over one registration costs two atomic additions, each further
/// registration one more.
///
/// ## Thread safety
///
/// Every member may be called on any thread, except ``call(_:)``, ``callSeveral()``, ``resume(_:)``,
/// ``end()`` and ``takeEnded()``, which belong to the property.
@usableFromInline
package final class ObservationLedger: Sendable {
  /// Set while numbers of ended registrations are waiting.
  @usableFromInline static var soiled: UInt { 1 }
  /// Set while tasks wait for the end of the call.
  @usableFromInline static var awaited: UInt { 2 }
  /// The bits of the call, which only the property changes.
  ///
  /// Zero for none, all for several at once, else one more than the registration's number.
  @usableFromInline static var call: UInt { ~3 }
  @usableFromInline static var oneCall: UInt { 4 }

  private struct State {
    var ended: [UInt] = []
    /// Opened by the next change of the call.
    var change: Latch?
  }

  @usableFromInline let word = Atomic<UInt>(0)
  private let state = Locked(State())

  /// Creates an empty ledger.
  package init() {}

  /// Whether registrations have ended that the property still holds.
  @inlinable
  package var isSoiled: Bool { word.load(ordering: .relaxed) & Self.soiled != 0 }

  /// Announces the call of a registration, in place of the call before.
  ///
  /// Sequentially consistent, as is the end of a registration.
  @inlinable
  package func call(_ number: UInt) { _ = change(to: (number &+ 1) &* Self.oneCall) }

  /// Announces calls inside the one there is.
  ///
  /// - Returns: That one, for ``resume(_:)``.
  @inlinable
  package func callSeveral() -> UInt { change(to: Self.call) & Self.call }

  /// Announces that the calls inside a call have ended.
  @inlinable
  package func resume(_ call: UInt) { _ = change(to: call) }

  /// Announces that no handler is being called any more.
  ///
  /// - Returns: Whether registrations have ended meanwhile.
  @inlinable
  package func end() -> Bool { change(to: 0) & Self.soiled != 0 }

  /// Changes the bits of the call, and lets those look that wait for its end.
  ///
  /// - Returns: The word before.
  @inlinable
  func change(to call: UInt) -> UInt {
    // These bits are what they were: no other thread changes them.
    let difference = call &- word.load(ordering: .relaxed) & Self.call
    let former = word.wrappingAdd(difference, ordering: .sequentiallyConsistent).oldValue
    if former & Self.awaited != 0 { callHasEnded() }
    return former
  }

  /// Notes the end of a registration.
  package func note(_ number: UInt) {
    state.withLock { $0.ended.append(number) }
    word.bitwiseOr(Self.soiled, ordering: .releasing)
  }

  /// The registrations that have ended since it was asked last.
  package func takeEnded() -> [UInt] {
    // Cleared before the numbers are taken: a number that comes between soils it again, for nothing.
    word.bitwiseAnd(~Self.soiled, ordering: .acquiringAndReleasing)
    return state.withLock { state in
      let ended = state.ended
      state.ended = []
      return ended
    }
  }

  /// Waits until a registration that has ended is not being called.
  ///
  /// Returns early when the task is cancelled.
  package func untilFinished(_ number: UInt) async {
    while true {
      // The latch comes first: it is opened by a change of the call that sees the flag.
      let latch = state.withLock { state in
        let latch = state.change ?? Latch()
        state.change = latch
        return latch
      }
      let call =
        word.bitwiseOr(Self.awaited, ordering: .sequentiallyConsistent).oldValue & Self.call
      // The flag may stay: others may be waiting already, and the next change of the call clears it.
      guard call == Self.call || call == (number &+ 1) &* Self.oneCall else { return }
      guard await latch.wait() else { return }
    }
  }

  @usableFromInline
  func callHasEnded() {
    // Cleared before the latch is taken: a task that waits from now on sets it again.
    word.bitwiseAnd(~Self.awaited, ordering: .sequentiallyConsistent)
    let latch = state.withLock { $0.change.take() }
    latch?.open()
  }
}
