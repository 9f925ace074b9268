/// The way from a token to an observer that may be removed by others than its token: one with an owner,
/// with one call only, or with calls that wait in a queue.
///
/// Whoever takes the observer out of the link has the right, and the duty, to unlink it from the list.
package final class ObserverLink: TokenTarget, EndingMembers.Member,
  @unchecked Sendable  // Reason: locked.
{
  private struct State {
    /// Borrowed from the list, which lets it go only after it was taken from here.
    var observer: UInt = 0
    var hasEnded = false
    var running = 0
    var pauses = 0
    var watcher: WeakCancellable?
    /// The lifetime of the owner, and the place in it.
    var members: EndingMembers?
    var ticket: EndingMembers.Ticket?
    var idle: Latch?
  }

  /// The list that holds the observer.
  package let list: ObserverList
  private let state = Locked(State())

  /// Creates a link without an observer.
  package init(_ list: ObserverList) { self.list = list }

  /// Takes up the observer, before it is added to the list.
  package func connect(_ observer: AnyObserver) {
    let address = observer.address
    state.withLock { $0.observer = address }
  }

  /// Ends the registration with the lifetime of its owner, at once if that has ended.
  package func join(_ members: EndingMembers) {
    guard let ticket = members.join(self) else { return endByItself() }
    let hasEnded = state.withLock { state in
      if !state.hasEnded { (state.members, state.ticket) = (members, ticket) }
      return state.hasEnded
    }
    if hasEnded { members.leave(ticket) }
  }

  package func lifetimeEnded() { endByItself() }

  override package func end(_ handle: UInt) {
    if let observer = take() { list.unlink(address: observer) }
  }

  override package func isActive(_ handle: UInt) -> Bool { state.withLock { !$0.hasEnded } }

  override package func watch(_ handle: UInt, by token: any Cancellable) -> Bool {
    let reference = WeakCancellable(token)
    return state.withLock { state in
      state.watcher = reference
      return !state.hasEnded
    }
  }

  /// Ends the registration without its token, which is told.
  package func endByItself() {
    end(0)
    let watcher = state.withLock { $0.watcher }
    watcher?.object?.cancel()
  }

  /// Marks the registration as ended; the list is being emptied.
  package func disconnect() {
    _ = take()
    let watcher = state.withLock { $0.watcher }
    watcher?.object?.cancel()
  }

  override package func changePauses(_ handle: UInt, by change: Int, unless hasEnded: () -> Bool) {
    state.withLock { state in
      guard !state.hasEnded else { return }
      state.pauses += change
      AnyObserver.borrow(state.observer) { $0.setPaused(state.pauses > 0) }
    }
  }

  /// Begins a call from a queue.
  ///
  /// The class is the caller's to know: an observer and what it puts into a queue are of one kind.
  ///
  /// - Returns: The observer, or `nil` when the registration has ended. Balanced by ``finish()`` if not.
  package func begin<Kind: AnyObserver>() -> Kind? {
    state.withLock { state in
      guard !state.hasEnded else { return nil }
      state.running += 1
      return ObjectAddress.object(state.observer, as: Kind.self)
    }
  }

  /// Ends a call from a queue.
  package func finish() {
    let idle: Latch? = state.withLock { state in
      state.running -= 1
      return state.running == 0 ? state.idle.take() : nil
    }
    idle?.open()
  }

  override package func finished(_ handle: UInt) async {
    await list.finished(handle)
    // A handler that waits for its own end does not wait for the call it is in.
    if RunningCall.isCalling(self) { return }
    let idle: Latch? = state.withLock { state in
      guard state.running > 0 else { return nil }
      let idle = state.idle ?? Latch()
      state.idle = idle
      return idle
    }
    await idle?.wait()
  }

  private func take() -> UInt? {
    let taken: State? = state.withLock { state in
      guard !state.hasEnded else { return nil }
      let taken = state
      state.hasEnded = true
      (state.members, state.ticket) = (nil, nil)
      return taken
    }
    guard let taken else { return nil }
    if let ticket = taken.ticket { taken.members?.leave(ticket) }
    return taken.observer
  }
}
