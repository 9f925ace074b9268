public import Synchronization

/// The part of a registration that other threads may use: its end and its pauses.
///
/// It never refers to the handler.
@usableFromInline
package final class PropertyRegistration: TokenTarget, EndingMembers.Member,
  @unchecked Sendable  // Reason: atomic and locked.
{
  private struct State {
    var members: EndingMembers?
    var ticket: EndingMembers.Ticket?
    var watcher: WeakCancellable?
  }

  private static let ended: UInt = 1
  /// Set when the owner's lifetime has ended but has not yet reached this registration.
  private static let stopped: UInt = 2
  private static let onePause: UInt = 4

  /// The registration number.
  @usableFromInline let number: UInt
  /// Zero while the handler may be called.
  ///
  /// The lowest two bits mark the end; the others count the pauses.
  @usableFromInline let word = Atomic<UInt>(0)
  private let ledger: RegistrationLedger
  private let state = Locked(State())

  init(number: UInt, ledger: RegistrationLedger) {
    self.number = number
    self.ledger = ledger
  }

  /// A Boolean value that indicates whether the handler may be called: the registration is neither ended nor
  /// stopped nor paused.
  @inlinable
  var isOpen: Bool { word.load(ordering: .sequentiallyConsistent) == 0 }

  /// A Boolean value that indicates whether the registration has ended.
  var hasEnded: Bool { word.load(ordering: .sequentiallyConsistent) & Self.ended != 0 }

  /// Ties the registration to a lifetime.
  ///
  /// - Returns: `false` if the lifetime has already ended.
  func join(_ members: EndingMembers) -> Bool {
    guard let ticket = members.join(self) else {
      end(0)
      return false
    }
    state.withLock { ($0.members, $0.ticket) = (members, ticket) }
    // An end that came before the ticket was stored has not left the group.
    if hasEnded { members.leave(ticket) }
    return true
  }

  package func stopCalls() { word.bitwiseOr(Self.stopped, ordering: .sequentiallyConsistent) }

  override package func stopCalls(_ handle: UInt, unless hasEnded: () -> Bool) { stopCalls() }

  package func lifetimeEnded() { endByItself() }

  /// Ends the registration and cancels its token.
  @usableFromInline
  func endByItself() {
    guard finish() else { return }
    let watcher = state.withLock { $0.watcher }
    watcher?.object?.cancel()
  }

  override package func end(_ handle: UInt) { _ = finish() }

  override package func isActive(_ handle: UInt) -> Bool {
    let word = word.load(ordering: .sequentiallyConsistent)
    // A lifetime ends its members one by one and runs hooks in between.
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

  /// Ends the registration.
  ///
  /// - Returns: `true` if this call ended it; `false` if it had already ended.
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

/// The state that a property shares with other threads: the ended registrations, the current call, and
/// the tasks that wait for its end.
///
/// A property and its closures belong to one isolation domain, but tokens are cancelled on any thread. A
/// cancellation therefore only records a number here; the property removes and releases the closure when
/// it is next used.
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
