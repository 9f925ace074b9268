internal import EventBus

extension Application {
  /// The current state.
  ///
  /// During the delivery of an edge, handlers and the delegate read the state that the edge led to, or the
  /// state that a `will…` edge leads away from. There are two exceptions: `willFinishLaunching` occurs in
  /// ``AppState/launching``, and `willTerminate` in ``AppState/stopping``.
  public var state: AppState { locked.withLock { $0.machine.state } }

  /// Waits until the application is in a state.
  ///
  /// Returns immediately if the application is in the state, or has passed a state that occurs only once
  /// (``AppState/notRunning``, ``AppState/launching``, ``AppState/stopping``, ``AppState/terminated``).
  ///
  /// - Parameter state: The state to wait for.
  /// - Throws: `CancellationError` when the task is cancelled; ``AppStateError`` when the application is
  ///   stopping and can no longer enter the state.
  nonisolated(nonsending) public func waitUntil(_ state: AppState) async throws {
    guard await wait(.state(state)) else { throw CancellationError() }
    if !self.state.mayReach(state) { throw AppStateError(state: state) }
  }

  /// Waits until all edges queued so far are delivered.
  nonisolated(nonsending) package func settled() async {
    let count = locked.withLock { $0.machine.stepCount }
    _ = await wait(.completed(count))
  }

  /// Runs a closure while the application is at least at a level.
  ///
  /// Waits for the level, runs the closure, cancels it when the application falls below the level, and
  /// repeats when the level is reached again. A closure that returns early runs again only after the
  /// application has left and regained the level. This method returns when the application stops, regardless
  /// of the level, or when the task is cancelled, and always after the closure has returned.
  ///
  /// - Parameters:
  ///   - level: The required level.
  ///   - body: The closure to run; it runs on no actor.
  /// - Throws: The error of the closure, except a `CancellationError` after the level was left.
  nonisolated(nonsending) public func whileAtLeast<Failure: Error>(
    _ level: AppState.Level,
    _ body: @Sendable () async throws(Failure) -> Void
  ) async throws(Failure) {
    while !Task.isCancelled, await wait(.atLeast(level)), state.isAtLeast(level) {
      let left = Latch()
      guard let waiter = locked.withLock({ $0.addWaiter(.below(level), left) }) else { continue }
      let error = await attempt(until: left, body)
      let hasLeft = locked.withLock { $0.waiters.element(number: waiter) } == nil
      if let error, !hasLeft || Task.isCancelled || !(error is CancellationError) {
        _ = locked.withLock { $0.waiters.remove(number: waiter) }
        throw error
      }
      await waitOrRemove(waiter, left)
    }
  }

  /// Applies a cause, and delivers the resulting edges unless another call is delivering.
  ///
  /// - Returns: The number of steps that complete this change.
  @discardableResult
  func change(
    _ cause: AppStateMachine.Cause,
    isolation: isolated (any Actor)? = #isolation
  ) -> Int {
    let (delivers, count) = locked.withLock { state in
      (state.machine.send(cause), state.machine.stepCount)
    }
    if delivers {
      while let step = update({ $0.takeStep() }) {
        if let edge = step.will { deliver(edge) }
        if let newState = step.state {
          update { $0.enter(newState) }
          bus.post(.stateDidChange, newState, from: self)
        }
        if let edge = step.did { deliver(edge) }
      }
    }
    return count
  }

  /// Applies a cause, and returns when its edges are delivered, regardless of cancellation.
  func changed(
    _ cause: AppStateMachine.Cause,
    isolation: isolated (any Actor)? = #isolation
  ) async {
    let count = change(cause)
    let latch = Latch()
    let waiter = locked.withLock { $0.addWaiter(.completed(count), latch) }
    if waiter != nil { await Task { _ = await latch.wait() }.value }
  }

  /// Changes the state machine, and resumes the tasks whose goals are reached.
  private func update<Result: Sendable>(_ change: (inout AppStateMachine) -> Result) -> Result {
    let (result, reached) = locked.withLock { state in
      (change(&state.machine), state.takeReached())
    }
    for latch in reached { latch.open() }
    return result
  }

  private func deliver(
    _ edge: AppStateMachine.Edge,
    isolation: isolated (any Actor)? = #isolation
  ) {
    let (delegate, options) = locked.withLock { ($0.delegate, $0.options) }
    switch edge {
    case .willFinishLaunching:
      delegate?.applicationWillFinishLaunching(self, options: options)
      bus.post(.willFinishLaunching, options, from: self)
    case .didFinishLaunching:
      delegate?.applicationDidFinishLaunching(self, options: options)
      bus.post(.didFinishLaunching, options, from: self)
    case .didBecomeActive: announce(.didBecomeActive) { $0.applicationDidBecomeActive(self) }
    case .willResignActive: announce(.willResignActive) { $0.applicationWillResignActive(self) }
    case .didEnterBackground:
      announce(.didEnterBackground) { $0.applicationDidEnterBackground(self) }
    case .willEnterForeground:
      announce(.willEnterForeground) { $0.applicationWillEnterForeground(self) }
    // `run()` announces this edge because it waits for the handlers.
    case .willTerminate: break
    }
  }

  private func announce(
    _ name: EventName<Void>,
    isolation: isolated (any Actor)? = #isolation,
    _ inform: (any ApplicationDelegate) -> Void
  ) {
    if let delegate { inform(delegate) }
    bus.post(name, from: self)
  }

  /// Announces the end to the delegate and on the bus, and adds the handlers to the pending work.
  func postWillTerminate(isolation: isolated (any Actor)? = #isolation) {
    delegate?.applicationWillTerminate(self)
    _ = pending.post(.willTerminate, on: bus, from: self)
  }

  /// Waits for a goal.
  ///
  /// - Returns: `false` if the task was cancelled first.
  nonisolated(nonsending) private func wait(_ goal: AppStateMachine.Goal) async -> Bool {
    let latch = Latch()
    guard let waiter = locked.withLock({ $0.addWaiter(goal, latch) }) else { return true }
    return await waitOrRemove(waiter, latch)
  }

  /// Waits for a latch, and removes its waiter if the task is cancelled first.
  @discardableResult
  nonisolated(nonsending) private func waitOrRemove(_ waiter: UInt, _ latch: Latch) async -> Bool {
    let isReached = await latch.wait()
    if !isReached { _ = locked.withLock { $0.waiters.remove(number: waiter) } }
    return isReached
  }

  /// Runs a closure, and cancels it when the latch opens.
  ///
  /// - Returns: The error that the closure threw.
  nonisolated(nonsending) private func attempt<Failure: Error>(
    until left: Latch,
    _ body: @Sendable () async throws(Failure) -> Void
  ) async -> Failure? {
    let failure = Locked<Failure?>(nil)
    let isOver = Latch()
    do {
      async let _: Void = {
        do throws(Failure) {
          try await body()
        } catch {
          failure.withLock { $0 = error }
        }
        isOver.open()
      }()
      async let _: Void = {
        await left.wait()
        isOver.open()
      }()
      await isOver.wait()
      // Leaving this scope cancels both and waits for them.
    }
    return failure.withLock { $0 }
  }
}
