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
  }

  private struct State: Sendable {
    var isRaised = false
    var isClosed = false
    var nextKey: UInt = 0
    /// The closures that have not been called.
    var hooks: [UInt: Hook] = [:]
    /// The keys of those that were there when the signal was raised and have not had their turn, the next one
    /// last.
    var turns: [UInt] = []
    /// Whether a task gives them their turns.
    var runsHooks = false
    /// The closures that are being called; each latch is opened when the call has returned.
    var running: [UInt: Latch] = [:]
    /// Opened when the closures that were there when the signal was raised have returned.
    var latch: Latch?

    /// Whether ``ShutdownSignal/close()``, if it waits, has nothing more to wait for.
    var isDone: Bool { isClosed && !runsHooks && running.isEmpty }

    /// Takes the next closure out to be called; passes over those that were removed meanwhile.
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

  /// Whether it was raised; `true` already for the first closure.
  package var isRaised: Bool { state.withLock { $0.isRaised } }

  /// Runs a closure when the signal is raised, or now if it was.
  ///
  /// - Parameter body: Called at most once, and released then, or when the signal is closed.
  /// - Returns: A token that removes the closure until its turn has come. Dropping it does nothing.
  /// - Complexity: O(1), amortized.
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

  /// Waits until the signal was raised and the closures that were there have run.
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

  /// Closes the signal and waits until closures that run, or have yet to because it was raised, have returned,
  /// whoever is cancelled.
  ///
  /// Called once, by the one that runs what the signal is for.
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

  /// Calls the next closure, which is released when this returns.
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

  /// Waits for the call of this closure and of no other.
  ///
  /// A closure is synchronous, and so never waits for itself.
  package func waitUntilFinished(_ key: UInt) async {
    await state.withLock { $0.running[key] }?.wait()
  }
}

/// One service that was added: its shutdown signal and its task.
///
/// ## Thread safety
///
/// Every member may be called from any thread. Tasks are cancelled outside the lock.
final class ServicePlace: Sendable {
  private struct State {
    var task: Task<Void, Never>?
    var isCancelled = false
    var hasEnded = false
  }

  /// The service.
  let service: any Service
  /// Tells it to stop.
  let signal = ShutdownSignal()
  private let state = Locked(State())

  /// Makes the place of a service.
  init(_ service: any Service) {
    self.service = service
  }

  /// Remembers the task of the service, and cancels it if that is due already.
  func adopt(_ task: Task<Void, Never>) {
    let isCancelled = state.withLock { state in
      if !state.hasEnded { state.task = task }
      return state.isCancelled
    }
    if isCancelled { task.cancel() }
  }

  /// Cancels the task of the service and tells it to stop.
  ///
  /// What it has for the case of cancellation runs in a task of its own: it may block.
  func cancel() {
    let task = state.withLock { state in
      state.isCancelled = true
      return state.task
    }
    Task {
      task?.cancel()
      signal.raise()
    }
  }

  /// Forgets everything, after the service has returned and its closures for the shutdown, too.
  func finish() async {
    await signal.close()
    state.withLock { state in
      state.task = nil
      state.hasEnded = true
    }
  }
}
