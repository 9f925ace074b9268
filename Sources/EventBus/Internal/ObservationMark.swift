public import Synchronization

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
  @usableFromInline internal let word = Atomic<UInt>(0)
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
