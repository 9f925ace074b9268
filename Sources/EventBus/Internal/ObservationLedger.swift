public import Synchronization

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
  @usableFromInline internal static var soiled: UInt { 1 }
  /// Set while tasks wait for the end of the call.
  @usableFromInline internal static var awaited: UInt { 2 }
  /// The bits of the call, which only the property changes.
  ///
  /// Zero for none, all for several at once, else one more than the registration's number.
  @usableFromInline internal static var call: UInt { ~3 }
  @usableFromInline internal static var oneCall: UInt { 4 }

  private struct State {
    var ended: [UInt] = []
    /// Opened by the next change of the call.
    var change: Latch?
  }

  @usableFromInline internal let word = Atomic<UInt>(0)
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
  internal func change(to call: UInt) -> UInt {
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
  internal func callHasEnded() {
    // Cleared before the latch is taken: a task that waits from now on sets it again.
    word.bitwiseAnd(~Self.awaited, ordering: .sequentiallyConsistent)
    let latch = state.withLock { $0.change.take() }
    latch?.open()
  }
}
