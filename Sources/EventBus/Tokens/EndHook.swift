/// A closure that runs exactly once when a lifetime ends, unless it is removed first.
package final class EndHook: TokenTarget, EndingMembers.Member,
  @unchecked Sendable  // Reason: locked.
{
  private enum Phase {
    /// Registered; the lifetime has not ended.
    case waiting(@Sendable () -> Void)
    /// Inside the closure; the latch opens when it returns.
    case running(Latch)
    /// Called or removed.
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

    /// Enters a phase, if the hook is still waiting.
    ///
    /// - Returns: The previous state, or `nil` with nothing changed.
    mutating func enter(_ phase: Phase) -> State? {
      guard self.phase.isWaiting else { return nil }
      let former = self
      self = State(phase: phase)
      return former
    }
  }

  private let state: Locked<State>

  /// Creates a hook, which ``join(_:)`` adds to a lifetime.
  package init(_ body: @escaping @Sendable () -> Void) {
    state = Locked(State(phase: .waiting(body)))
  }

  /// Joins the group, or runs at once if the group has ended.
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

  /// Runs the closure in a frame of its own, which releases the captures before the hook counts as over.
  ///
  /// - Returns: `false` if the hook was already called or removed.
  private func run(_ returned: Latch) -> Bool {
    let taken = state.withLock { $0.enter(.running(returned)) }
    guard let taken, case .waiting(let body) = taken.phase else { return false }
    // The token ends before the call, as it does for a registration with `once: true`.
    taken.watcher?.object?.cancel()
    body()
    return true
  }
}
