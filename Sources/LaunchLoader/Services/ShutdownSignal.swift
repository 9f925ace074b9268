package import EventBus

/// A one-time shutdown request, with the closures that it runs and the tasks that wait for it.
///
/// The signal is closed when its service has ended: closures that have not run by then are released without
/// running.
///
/// ## Thread safety
///
/// Every member may be called from any thread. Closures run, and waiters are resumed, outside the lock.
package final class ShutdownSignal: Sendable {
  private struct Hook: Sendable {
    let body: @Sendable () -> Void
    var watcher: WeakCancellable?
  }

  private struct State: Sendable {
    var isRaised = false
    var isClosed = false
    var nextKey: UInt = 0
    /// The closures that have not been called.
    var hooks: [UInt: Hook] = [:]
    /// The keys of closures that were registered when the signal was raised and have not run, the next one
    /// last.
    var turns: [UInt] = []
    /// Indicates that a task is running these closures.
    var runsHooks = false
    /// The closures that are running; each latch opens when its closure returns.
    var running: [UInt: Latch] = [:]
    /// Opened when the closures registered before the signal was raised have returned.
    var latch: Latch?

    /// A Boolean value that indicates whether ``ShutdownSignal/close()`` can return.
    var isDone: Bool { isClosed && !runsHooks && running.isEmpty }

    /// Removes the next closure in order to run it, skipping removed ones.
    mutating func takeTurn() -> (key: UInt, hook: Hook)? {
      while let key = turns.popLast() {
        guard let hook = hooks.removeValue(forKey: key) else { continue }
        running[key] = Latch()
        return (key, hook)
      }
      runsHooks = false
      return nil
    }
  }

  private let state = Locked(State())
  private let hooksDone = Doorbell()

  /// Creates a signal that is not raised.
  package init() {}

  /// A Boolean value that indicates whether the signal was raised; `true` before the first closure runs.
  package var isRaised: Bool { state.withLock { $0.isRaised } }

  /// Runs a closure when the signal is raised, or immediately if it already was.
  ///
  /// - Parameter body: Called at most once, and released afterwards or when the signal is closed.
  /// - Returns: A token that removes the closure before it starts to run. Dropping the token has no effect.
  /// - Complexity: Amortized O(1).
  package func onRaise(_ body: @escaping @Sendable () -> Void) -> Token {
    let hook = Hook(body: body)
    let (key, runsNow) = state.withLock { state in
      let key = state.nextKey
      state.nextKey += 1
      let runsNow = state.isRaised && !state.isClosed
      if runsNow { state.running[key] = Latch() }
      if !runsNow && !state.isClosed { state.hooks[key] = hook }
      return (key, runsNow)
    }
    if runsNow {
      body()
      finish(key)
    }
    return Token(KeyedTarget(self, key: key), handle: 0, isKept: true)
  }

  /// Waits until the signal was raised and the closures registered before have returned.
  ///
  /// - Throws: `CancellationError` when the waiting task is cancelled first, or the signal is closed without
  ///   being raised.
  package func wait() async throws(CancellationError) {
    let candidate = Latch()
    let latch: Latch? = state.withLock { state in
      if !state.runsHooks && (state.isRaised || state.isClosed) { return nil }
      if state.latch == nil { state.latch = candidate }
      return state.latch
    }
    let isOpen = await latch?.wait() ?? true
    if !isOpen || !isRaised { throw CancellationError() }
  }

  /// Raises the signal.
  ///
  /// Repeated calls have no effect.
  ///
  /// The closures run in registration order in a task of their own, so that a blocking closure does not delay
  /// the caller. Waiters resume after them.
  ///
  /// - Complexity: O(*n* log *n*) in the number of closures.
  package func raise() {
    let (runsHooks, latch) = state.withLock { state -> (Bool, Latch?) in
      if state.isRaised || state.isClosed { return (false, nil) }
      state.isRaised = true
      state.turns = state.hooks.keys.sorted(by: >)
      state.runsHooks = !state.turns.isEmpty
      return (state.runsHooks, state.runsHooks ? nil : state.latch.take())
    }
    latch?.open()
    if runsHooks { Task { runHooks() } }
  }

  /// Closes the signal and waits, regardless of cancellation, until the closures of a raised signal have
  /// returned.
  ///
  /// Called once, by the runner of the service.
  package func close() async {
    let (isDone, hooks, latch) = state.withLock { state in
      state.isClosed = true
      let hooks = state.runsHooks ? [:] : state.hooks
      if !state.runsHooks { state.hooks = [:] }
      return (state.isDone, hooks, state.runsHooks ? nil : state.latch.take())
    }
    latch?.open()
    for hook in hooks.sorted(by: { $0.key < $1.key }) { hook.value.watcher?.object?.cancel() }
    if !isDone { await hooksDone.wait() }
  }

  private func runHooks() {
    while let (key, watcher) = callNext() {
      finish(key)
      watcher?.object?.cancel()
    }
    let (latch, isDone) = state.withLock { ($0.latch.take(), $0.isDone) }
    latch?.open()
    if isDone { hooksDone.ring() }
  }

  /// Calls the next closure and releases it.
  private func callNext() -> (key: UInt, watcher: WeakCancellable?)? {
    guard let (key, hook) = state.withLock({ $0.takeTurn() }) else { return nil }
    hook.body()
    return (key, hook.watcher)
  }

  /// Records that a closure has returned.
  private func finish(_ key: UInt) {
    let (latch, isDone) = state.withLock { ($0.running.removeValue(forKey: key), $0.isDone) }
    latch?.open()
    if isDone { hooksDone.ring() }
  }
}

extension ShutdownSignal: KeyedRegistrations {
  package func end(_ key: UInt) {
    let hook = state.withLock { $0.hooks.removeValue(forKey: key) }
    withExtendedLifetime(hook) {}
  }

  package func endByItself(_ key: UInt) {
    state.withLock { $0.hooks.removeValue(forKey: key) }?.watcher?.object?.cancel()
  }

  package func isActive(_ key: UInt) -> Bool { state.withLock { $0.hooks[key] != nil } }

  package func watch(_ key: UInt, by token: any Cancellable) -> Bool {
    let watcher = WeakCancellable(token)
    return state.withLock { state in
      state.hooks[key]?.watcher = watcher
      return state.hooks[key] != nil
    }
  }

  package func changePauses(_ key: UInt, by change: Int) {}

  /// Waits until this closure has returned.
  ///
  /// A closure is synchronous and therefore cannot wait for itself.
  package func waitUntilFinished(_ key: UInt) async {
    await state.withLock { $0.running[key] }?.wait()
  }
}
