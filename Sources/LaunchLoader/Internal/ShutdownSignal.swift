package import EventBus

/// A flag that is raised once, with the closures to run then and the tasks that wait for it.
///
/// It is closed when the one it was for has ended: closures that have not run by then never do.
///
/// ## Thread safety
///
/// Every member may be called from any thread. Closures run, and waiters are resumed, outside the lock.
package final class ShutdownSignal: Sendable {
  private struct Hook: Sendable {
    let body: @Sendable () -> Void
    var watcher: WeakCancellable?

    func run() {
      body()
      watcher?.object?.cancel()
    }
  }

  private struct State: Sendable {
    var isRaised = false
    var isClosed = false
    var runsHooks = false
    var nextKey: UInt = 0
    var hooks: [UInt: Hook] = [:]
    var latch: Latch?

    /// The closures, oldest first.
    mutating func takeHooks() -> [Hook] {
      defer { hooks = [:] }
      return hooks.isEmpty ? [] : hooks.sorted { $0.key < $1.key }.map(\.value)
    }
  }

  private let state = Locked(State())
  private let hooksDone = Doorbell()

  /// Creates a signal that is not raised.
  package init() {}

  /// Whether it was raised; `true` already for the first closure.
  package var isRaised: Bool { state.withLock { $0.isRaised } }

  /// Runs a closure when the signal is raised, or now if it was.
  ///
  /// - Parameter body: Called at most once, and released then, or when the signal is closed.
  /// - Returns: A token that removes the closure. Dropping it does nothing.
  /// - Complexity: O(1), amortized.
  package func onRaise(_ body: @escaping @Sendable () -> Void) -> Token {
    let hook = Hook(body: body)
    let (key, runsNow) = state.withLock { state in
      let key = state.nextKey
      state.nextKey += 1
      if !state.isRaised && !state.isClosed { state.hooks[key] = hook }
      return (key, state.isRaised && !state.isClosed)
    }
    if runsNow { body() }
    return Token(KeyedTarget(self, key: key), handle: 0, isKept: true)
  }

  /// Waits until the signal was raised and its closures have run.
  ///
  /// - Throws: `CancellationError` when the waiting task is cancelled first, or the signal was closed
  ///   without being raised.
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

  /// Raises the signal; doing so again does nothing.
  ///
  /// The closures run in the order in which they were registered, in a task of their own: one that blocks
  /// does not hold up who raises the signal. The waiters go on after them.
  ///
  /// - Complexity: O(*n* log *n*) in the number of closures.
  package func raise() {
    let raised: (hooks: [Hook], latch: Latch?)? = state.withLock { state in
      if state.isRaised || state.isClosed { return nil }
      state.isRaised = true
      let hooks = state.takeHooks()
      state.runsHooks = !hooks.isEmpty
      return (hooks, state.runsHooks ? nil : state.latch.take())
    }
    guard let raised else { return }
    raised.latch?.open()
    if raised.hooks.isEmpty { return }
    Task {
      for hook in raised.hooks { hook.run() }
      let latch = state.withLock { state in
        state.runsHooks = false
        return state.latch.take()
      }
      latch?.open()
      hooksDone.ring()
    }
  }

  /// Closes the signal and waits until closures that are running have returned, whoever is cancelled.
  ///
  /// Called once, by the one that runs what the signal is for.
  package func close() async {
    let (runsHooks, hooks, latch) = state.withLock { state in
      state.isClosed = true
      return (state.runsHooks, state.takeHooks(), state.runsHooks ? nil : state.latch.take())
    }
    latch?.open()
    for hook in hooks { hook.watcher?.object?.cancel() }
    if runsHooks { await hooksDone.wait() }
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

  package func waitUntilFinished(_ key: UInt) async {
    let candidate = Latch()
    let latch: Latch? = state.withLock { state in
      if state.runsHooks && state.latch == nil { state.latch = candidate }
      return state.runsHooks ? state.latch : nil
    }
    await latch?.wait()
  }
}
