/// A closure that runs when a lifetime ends, exactly once unless it is removed before.
package final class EndHook: TokenTarget, EndingMembers.Member,
  @unchecked Sendable  // Reason: locked.
{
  private struct State {
    var body: (@Sendable () -> Void)?
    var members: EndingMembers?
    var ticket: EndingMembers.Ticket?
  }

  private let state: Locked<State>

  internal init(_ body: @escaping @Sendable () -> Void) {
    state = Locked(State(body: body))
  }

  /// Joins the group, or runs at once when it has ended.
  internal func join(_ members: EndingMembers) {
    guard let ticket = members.join(self) else { return lifetimeEnded() }
    state.withLock { state in
      guard state.body != nil else { return }
      state.members = members
      state.ticket = ticket
    }
  }

  override package func end(_ handle: UInt) {
    let removed = take()
    if let ticket = removed.ticket { removed.members?.leave(ticket) }
  }

  override package func isActive(_ handle: UInt) -> Bool { state.withLock { $0.body != nil } }

  package func lifetimeEnded() { take().body?() }

  private func take() -> State {
    state.withLock { state in
      let taken = state
      state = State()
      return taken
    }
  }
}
