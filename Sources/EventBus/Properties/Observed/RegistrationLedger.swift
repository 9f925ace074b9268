public import Synchronization

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

  private struct State: ~Copyable {
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
