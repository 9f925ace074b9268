/// The way from a token to an observer that may be removed by others than its token: one with an owner,
/// with one call only, or with calls that wait in a queue.
///
/// Whoever takes the observer out of the link has the right, and the duty, to unlink it from the list.
package final class ObserverLink: TokenTarget, @unchecked Sendable {  // Reason: locked.
  private struct State {
    /// Borrowed from the list, which lets it go only after it was taken from here.
    var observer: UInt = 0
    var hasEnded = false
    var running = 0
    var watcher: WeakCancellable?
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

  override package func end(_ handle: UInt) { take().map { list.unlink(address: $0) } }

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

  /// Begins a call from a queue.
  ///
  /// - Returns: The observer, or `nil` when the registration has ended. Balanced by ``finish()`` if not.
  package func begin() -> AnyObserver? {
    state.withLock { state in
      guard !state.hasEnded else { return nil }
      state.running += 1
      return ObjectAddress.object(state.observer, as: AnyObserver.self)
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
    let idle: Latch? = state.withLock { state in
      guard state.running > 0 else { return nil }
      let idle = state.idle ?? Latch()
      state.idle = idle
      return idle
    }
    await idle?.wait()
  }

  private func take() -> UInt? {
    state.withLock { state in
      guard !state.hasEnded else { return nil }
      state.hasEnded = true
      return state.observer
    }
  }
}
