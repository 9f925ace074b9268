package import EventBus

/// One attempt of a service: its task, the request to stop, the lifetime that it ends, the closures that it runs, and the
/// tasks that wait for it.
///
/// The attempt is closed when the service has returned. That also ends the lifetime; closures that have not run by
/// then are released without running.
///
/// ## Thread safety
///
/// Every member may be called from any thread. Closures run, and waiters are resumed, outside the lock.
package final class ServiceAttempt: Sendable {
  private struct State {
    var isRaised = false
    /// True if a cancellation raised it: cancelled tasks throw from their waits, whenever they begin.
    var isCancellation = false
    var isClosed = false
    /// True if the closures registered before the request have not all returned.
    var runsHooks = false
    /// The number of callers that run or register closures.
    var runners = 0
    /// Opened when the closures registered before the request have returned.
    var latch: Latch?
    /// The task, once it is known; released when the attempt is closed.
    var task: Task<Void, Never>?
    /// The groups that the service runs, and those that have ended since the last one began, with their runners.
    var groups: [(group: AppServiceGroup, runner: ServiceRunner)] = []
    /// The values that end with the request, each created on first use: the public lifetime; then the
    /// closures of ``onRaise(_:)``; and those of ``onEnd(_:)``, which no other closure delays.
    var lifetime, hooks, enders: Lifetime?

    /// Returns a lifetime; one that is first used when the service was asked to stop or the attempt was closed has ended.
    mutating func use(_ lifetime: WritableKeyPath<State, Lifetime?>) -> Lifetime {
      let used = self[keyPath: lifetime] ?? (isRaised || isClosed ? .ended : Lifetime())
      self[keyPath: lifetime] = used
      return used
    }
  }

  /// The service.
  let id: ServiceMachine.ID
  /// The number of the attempt, from 1.
  package let number: Int
  private let state = Locked(State())
  private let isQuiet = Latch()

  /// Creates an attempt that was not asked to stop.
  package init(_ id: ServiceMachine.ID = 0, number: Int = 1) {
    (self.id, self.number) = (id, number)
  }

  deinit { endHooks() }

  /// The lifetime that ends when the service is asked to stop or the attempt is closed, before the first closure runs.
  package var lifetime: Lifetime { use(\.lifetime) }

  /// True if the service was asked to stop; `true` before the first closure runs.
  package var isRaised: Bool { state.withLock { $0.isRaised } }

  /// Runs a closure when the service is asked to stop, or immediately if it already was.
  ///
  /// - Parameter body: Called at most once, and released after the call or when the attempt is closed.
  /// - Returns: A token that removes the closure before it starts to run. Dropping the token has no effect.
  /// - Complexity: Amortized O(1).
  package func onRaise(_ body: @escaping @Sendable () -> Void) -> Token {
    let hook = ActionRegistration(at: .endOfLifetime) { [weak self] in
      // An attempt that is closed without the request also ends its hooks.
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
      // Runs the closure at once if the service was asked to stop meanwhile and its closures have been taken.
      hook.join(use(\.hooks).members)
    }
    leave()
    return token
  }

  /// Runs a closure when the service is asked to stop or the attempt is closed, or immediately if it already was.
  ///
  /// ``close()`` does not wait for a closure that runs immediately.
  ///
  /// - Parameter body: Called at most once, and then released.
  /// - Returns: A token that removes the closure. Dropping the token has no effect.
  /// - Complexity: Amortized O(1).
  package func onEnd(_ body: @escaping @Sendable () -> Void) -> Token {
    let hook = ActionRegistration(at: .endOfLifetime, body)
    let token = Token(hook, isKept: true)
    hook.join(use(\.enders).members)
    return token
  }

  /// Waits until the service was asked to stop and the closures registered before have returned.
  ///
  /// - Throws: `CancellationError` when the waiting task is cancelled first, or the attempt is closed without
  ///   the request.
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

  /// Asks the service to stop.
  ///
  /// Repeated calls have no effect.
  ///
  /// Tokens attached to the lifetime end, and then the closures run, each in registration order, in a
  /// separate task, so that a blocking closure does not delay the caller. Waiters resume after them.
  ///
  /// - Parameter isCancellation: Whether the service is cancelled, and not only asked to stop.
  /// - Complexity: O(*n*) in the number of closures and of attachments to the lifetime.
  package func raise(isCancellation: Bool = false) {
    let (raised, latch): (State?, Latch?) = state.withLock { state in
      if state.isRaised || state.isClosed { return (nil, nil) }
      state.isRaised = true
      state.isCancellation = isCancellation
      // Fast path: nothing is attached to this attempt.
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

  /// Closes the attempt.
  ///
  /// Called once, by the task of the service.
  ///
  /// - Returns: `true` if closures still run or are being registered, for which ``untilQuiet()`` waits.
  package func close() -> Bool {
    let (isRaised, isBusy, latch, task) = state.withLock { state in
      state.isClosed = true
      let latch = state.runsHooks ? nil : state.latch.take()
      return (state.isRaised, state.runners > 0, latch, state.task.take())
    }
    withExtendedLifetime(task) {}
    latch?.open()
    if !isRaised { endHooks() }
    return isBusy
  }

  /// Waits, regardless of cancellation, until the closures of a closed attempt have returned.
  nonisolated(nonsending) package func untilQuiet() async { await isQuiet.waitUncancelled() }

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
    if isDone { isQuiet.open() }
  }
}

/// The task and the groups of an attempt.
extension ServiceAttempt {
  /// Stores the task, unless the attempt is closed.
  func adopt(_ task: Task<Void, Never>) {
    state.withLock { state in
      if !state.isClosed { state.task = task }
    }
  }

  /// Cancels the task, and asks the service to stop: before, or right after.
  ///
  /// In a task, because cancellation handlers are code of the program.
  func cancel(stopsFirst: Bool) {
    Task.detached { [self] in
      if stopsFirst { raise() }
      state.withLock { $0.task }?.cancel()
      raise(isCancellation: true)
    }
  }

  /// The runners of the groups that the service runs, and of those that have ended since the last one began.
  var groups: [ServiceRunner] { state.withLock { $0.groups }.map(\.runner) }

  /// Records that the service runs a group.
  ///
  /// A group that has ended stays until the next one begins: the service can be abandoned before its own end is known,
  /// and what the group has abandoned must be named then.
  func begins(_ group: AppServiceGroup, _ runner: ServiceRunner) {
    let groups = state.withLock { $0.groups }.filter { !$0.runner.isOver } + [(group, runner)]
    let former = state.withLock { state in
      defer { state.groups = groups }
      return state.groups
    }
    withExtendedLifetime(former) {}
  }

  /// Releases the services of the groups, which will not start again.
  func forgetGroups() {
    let groups = state.withLock { state in
      defer { state.groups = [] }
      return state.groups
    }
    for (group, _) in groups { group.forgetServices() }
  }
}
