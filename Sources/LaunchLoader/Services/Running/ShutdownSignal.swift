package import EventBus

/// A one-time shutdown request, with the lifetime that it ends, the closures that it runs and the tasks that
/// wait for it.
///
/// The signal is closed when its service has ended. That ends the lifetime, too; closures that have not run by
/// then are released without running.
///
/// ## Thread safety
///
/// Every member may be called from any thread. Closures run, and waiters are resumed, outside the lock.
package final class ShutdownSignal: Sendable {
  private struct State {
    var isRaised = false
    /// Indicates that a cancellation raised it: cancelled tasks throw from their waits, whenever they begin.
    var isCancellation = false
    var isClosed = false
    /// Indicates that the closures registered before the signal was raised have not all returned.
    var runsHooks = false
    /// The number of callers that run or register closures.
    var runners = 0
    /// Opened when the closures registered before the signal was raised have returned.
    var latch: Latch?
    /// What ends with the signal, each created on first use: the public lifetime; then the closures of
    /// ``onRaise(_:)``; and those of ``onEnd(_:)``, which no other closure delays.
    var lifetime, hooks, enders: Lifetime?

    /// Returns a lifetime; one that is first used when the signal was raised or closed has ended.
    mutating func use(_ lifetime: WritableKeyPath<State, Lifetime?>) -> Lifetime {
      let used = self[keyPath: lifetime] ?? (isRaised || isClosed ? .ended : Lifetime())
      self[keyPath: lifetime] = used
      return used
    }
  }

  private let state = Locked(State())
  private let isQuiet = Doorbell()

  /// Creates a signal that is not raised.
  package init() {}

  deinit { endHooks() }

  /// The lifetime that ends when the signal is raised or closed, before the first closure runs.
  package var lifetime: Lifetime { use(\.lifetime) }

  /// A Boolean value that indicates whether the signal was raised; `true` before the first closure runs.
  package var isRaised: Bool { state.withLock { $0.isRaised } }

  /// Runs a closure when the signal is raised, or immediately if it already was.
  ///
  /// - Parameter body: Called at most once, and released afterward or when the signal is closed.
  /// - Returns: A token that removes the closure before it starts to run. Dropping the token has no effect.
  /// - Complexity: Amortized O(1).
  package func onRaise(_ body: @escaping @Sendable () -> Void) -> Token {
    let hook = ActionRegistration(at: .endOfLifetime) { [weak self] in
      // A signal that is closed without being raised ends its hooks, too.
      if self?.isRaised == true { body() }
    }
    let token = Token(hook, isKept: true)
    let (isRaised, isOpen) = state.withLock { state in
      if !state.isClosed { state.runners += 1 }
      return (state.isRaised, !state.isClosed)
    }
    guard isOpen else {
      hook.end()
      return token
    }
    if isRaised {
      hook.endWithOwner()
    } else {
      // Runs the closure at once if the signal was raised meanwhile and its closures have been taken.
      hook.join(use(\.hooks).members)
    }
    leave()
    return token
  }

  /// Runs a closure when the signal is raised or closed, or immediately if it already was.
  ///
  /// ``close()`` does not wait for a closure that runs immediately.
  ///
  /// - Parameter body: Called at most once, and released afterward.
  /// - Returns: A token that removes the closure. Dropping the token has no effect.
  /// - Complexity: Amortized O(1).
  package func onEnd(_ body: @escaping @Sendable () -> Void) -> Token {
    let hook = ActionRegistration(at: .endOfLifetime, body)
    let token = Token(hook, isKept: true)
    hook.join(use(\.enders).members)
    return token
  }

  /// Waits until the signal was raised and the closures registered before have returned.
  ///
  /// - Throws: `CancellationError` when the waiting task is cancelled first, or the signal is closed without
  ///   being raised.
  nonisolated(nonsending) package func wait() async throws(CancellationError) {
    let latch: Latch? = state.withLock { state in
      if !state.runsHooks && (state.isRaised || state.isClosed) { return nil }
      let latch = state.latch ?? Latch()
      state.latch = latch
      return latch
    }
    let isOpen = await latch?.wait() ?? true
    let (isRaised, isCancellation) = state.withLock { ($0.isRaised, $0.isCancellation) }
    if !isOpen || !isRaised || isCancellation && Task.isCancelled { throw CancellationError() }
  }

  /// Raises the signal.
  ///
  /// Repeated calls have no effect.
  ///
  /// What is attached to the lifetime ends, and then the closures run, each in registration order, in a task
  /// of their own, so that a blocking closure does not delay the caller. Waiters resume after them.
  ///
  /// - Parameter isCancellation: Whether the service is cancelled, and not only asked to stop.
  /// - Complexity: O(*n*) in the number of closures and of attachments to the lifetime.
  package func raise(isCancellation: Bool = false) {
    let (raised, latch): (State?, Latch?) = state.withLock { state in
      if state.isRaised || state.isClosed { return (nil, nil) }
      state.isRaised = true
      state.isCancellation = isCancellation
      // The rest is for a signal that something ends with.
      if state.lifetime == nil, state.hooks == nil, state.enders == nil {
        return (nil, state.latch.take())
      }
      state.runsHooks = true
      state.runners += 1
      return (state, nil)
    }
    latch?.open()
    guard let raised else { return }
    let (lifetime, hooks, enders) = (raised.lifetime, raised.hooks, raised.enders)
    let members = (lifetime?.takeMembers() ?? []) + (hooks?.takeMembers() ?? [])
    if let enders = enders?.takeMembers(), !enders.isEmpty {
      Task { EndingMembers.end(enders) }
    }
    guard !members.isEmpty else { return hooksHaveRun() }
    Task {
      EndingMembers.end(members)
      hooksHaveRun()
    }
  }

  /// Closes the signal.
  ///
  /// Called once, by the runner of the service.
  ///
  /// - Returns: `true` if closures still run or are being registered, for which ``untilQuiet()`` waits.
  package func close() -> Bool {
    let (isRaised, isBusy, latch) = state.withLock { state in
      state.isClosed = true
      return (state.isRaised, state.runners > 0, state.runsHooks ? nil : state.latch.take())
    }
    latch?.open()
    if !isRaised { endHooks() }
    return isBusy
  }

  /// Waits, regardless of cancellation, until the closures of a closed signal have returned.
  nonisolated(nonsending) package func untilQuiet() async { await isQuiet.wait() }

  private func endHooks() {
    let (lifetime, enders, hooks) = state.withLock { ($0.lifetime, $0.enders, $0.hooks) }
    lifetime?.end()
    enders?.end()
    hooks?.end()
  }

  private func use(_ lifetime: any WritableKeyPath<State, Lifetime?> & Sendable) -> Lifetime {
    state.withLock { $0.use(lifetime) }
  }

  private func hooksHaveRun() {
    let latch = state.withLock { state in
      state.runsHooks = false
      return state.latch.take()
    }
    latch?.open()
    leave()
  }

  private func leave() {
    let isDone = state.withLock { state in
      state.runners -= 1
      return state.isClosed && state.runners == 0
    }
    if isDone { isQuiet.ring() }
  }
}
