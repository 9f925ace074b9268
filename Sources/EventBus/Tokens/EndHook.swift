/// A closure that runs when a lifetime ends, exactly once unless it is removed before.
package final class EndHook: TokenTarget, EndingMembers.Member,
  @unchecked Sendable  // Reason: locked.
{
  private enum Phase {
    /// The lifetime has not ended.
    case waiting(@Sendable () -> Void)
    /// The closure was called and has not returned; the latch is opened when it has.
    case running(Latch)
    /// It was called or removed.
    case over

    var isWaiting: Bool {
      if case .waiting = self { true } else { false }
    }

    var latch: Latch? {
      if case .running(let latch) = self { latch } else { nil }
    }
  }

  private struct State {
    var phase: Phase
    var members: EndingMembers?
    var ticket: EndingMembers.Ticket?
    var watcher: WeakCancellable?

    /// Enters a phase.
    ///
    /// - Returns: The state before, or `nil`, with nothing changed, when the hook does not wait any more.
    mutating func enter(_ phase: Phase) -> State? {
      guard self.phase.isWaiting else { return nil }
      let former = self
      self = State(phase: phase)
      return former
    }
  }

  private let state: Locked<State>

  init(_ body: @escaping @Sendable () -> Void) {
    state = Locked(State(phase: .waiting(body)))
  }

  /// Joins the group, or runs at once when it has ended.
  func join(_ members: EndingMembers) {
    guard let ticket = members.join(self) else { return lifetimeEnded() }
    state.withLock { state in
      guard state.phase.isWaiting else { return }
      state.members = members
      state.ticket = ticket
    }
  }

  override package func end(_ handle: UInt) {
    let removed = state.withLock { $0.enter(.over) }
    if let ticket = removed?.ticket { removed?.members?.leave(ticket) }
  }

  override package func isActive(_ handle: UInt) -> Bool { state.withLock { $0.phase.isWaiting } }

  override package func watch(_ handle: UInt, by token: any Cancellable) -> Bool {
    let watcher = WeakCancellable(token)
    return state.withLock { state in
      if state.phase.isWaiting { state.watcher = watcher }
      return state.phase.isWaiting
    }
  }

  override package func waitUntilFinished(_ handle: UInt) async {
    await state.withLock { $0.phase.latch }?.wait()
  }

  package func lifetimeEnded() {
    let returned = Latch()
    guard run(returned) else { return }
    state.withLock { $0.phase = .over }
    returned.open()
  }

  /// Runs the closure, in a frame of its own: what it captured is released before the hook counts as over.
  ///
  /// - Returns: `false` when the hook was called or removed before.
  private func run(_ returned: Latch) -> Bool {
    let taken = state.withLock { $0.enter(.running(returned)) }
    guard let taken, case .waiting(let body) = taken.phase else { return false }
    // The token has ended by then, as it has in the call of a registration for one call.
    taken.watcher?.object?.cancel()
    body()
    return true
  }
}
