public import Synchronization

/// What other threads may tell a property: which of its registrations have ended, and who waits until
/// it calls nobody.
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
/// ## Thread safety
///
/// Every member may be called on any thread, except ``begin()``, ``end()`` and ``takeEnded()``, which
/// belong to the property.
@usableFromInline
package final class ObservationLedger: Sendable {
  /// Set while handlers are called.
  @usableFromInline internal static var calling: UInt { 1 }
  /// Set while numbers of ended registrations are waiting.
  @usableFromInline internal static var soiled: UInt { 2 }
  /// Set while somebody waits for the end of the calls.
  @usableFromInline internal static var awaited: UInt { 4 }

  private struct State {
    var ended: [UInt] = []
    var idle: Latch?
  }

  @usableFromInline internal let word = Atomic<UInt>(0)
  private let state = Locked(State())

  /// Creates an empty ledger.
  package init() {}

  /// Whether registrations have ended that the property still holds.
  @inlinable
  package var isSoiled: Bool { word.load(ordering: .relaxed) & Self.soiled != 0 }

  /// Announces that handlers will be called.
  ///
  /// Sequentially consistent, as is the end of a registration: whoever ended one either is seen by the
  /// property before it calls, or sees that the property is calling.
  @inlinable
  package func begin() { word.bitwiseOr(Self.calling, ordering: .sequentiallyConsistent) }

  /// Announces that no handler is being called any more.
  ///
  /// - Returns: Whether registrations have ended meanwhile.
  @inlinable
  package func end() -> Bool {
    let former = word.bitwiseAnd(
      ~(Self.calling | Self.awaited),
      ordering: .sequentiallyConsistent
    ).oldValue
    if former & Self.awaited != 0 { openIdle() }
    return former & Self.soiled != 0
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

  /// Waits until no handler is being called.
  ///
  /// Returns early when the task is cancelled.
  package func untilIdle() async {
    let idle = state.withLock { state in
      let idle = state.idle ?? Latch()
      state.idle = idle
      return idle
    }
    // When nobody is calling, calls that begin now see that the registration has ended. The flag may
    // stay: others may be waiting already, and the next end of calls clears it.
    let former = word.bitwiseOr(Self.awaited, ordering: .sequentiallyConsistent).oldValue
    if former & Self.calling != 0 { await idle.wait() }
  }

  @usableFromInline
  internal func openIdle() {
    let idle = state.withLock { $0.idle.take() }
    idle?.open()
  }
}
