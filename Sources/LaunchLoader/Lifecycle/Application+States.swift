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
  public func waitUntil(_ state: AppState) async throws {
    guard await wait(.state(state)) else { throw CancellationError() }
    if !self.state.mayReach(state) { throw AppStateError(state: state) }
  }

  /// Waits until all edges queued so far are delivered.
  package func settled() async {
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
  public func whileAtLeast<Failure: Error>(
    _ level: AppState.Level,
    _ body: @Sendable () async throws(Failure) -> Void
  ) async throws(Failure) {
    while !Task.isCancelled, await wait(.atLeast(level)), state.isAtLeast(level) {
      let left = Latch()
      guard let ticket = locked.withLock({ $0.waiters.add(.below(level), left, $0.machine) })
      else { continue }
      let result = await attempt(until: left, body)
      // Exchange the latch in one step, so that a level that is left and reached again meanwhile is not
      // missed.
      let leftLater = Latch()
      let stays = locked.withLock { $0.waiters.exchange(ticket, leftLater) } != nil
      if case .failure(let error) = result,
        stays || Task.isCancelled || !(error is CancellationError)
      {
        _ = locked.withLock { $0.waiters.remove(ticket) }
        throw error
      }
      if stays, await !leftLater.wait() {
        _ = locked.withLock { $0.waiters.remove(ticket) }
      }
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
      while let step = takeStep() {
        if let edge = step.will { deliver(edge) }
        if let newState = step.state {
          enter(newState)
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
    let ticket = locked.withLock { $0.waiters.add(.completed(count), latch, $0.machine) }
    if ticket != nil { await Task { _ = await latch.wait() }.value }
  }

  private func takeStep() -> AppStateMachine.Step? {
    let (step, served) = locked.withLock { state in
      let step = state.machine.takeStep()
      return (step, state.waiters.takeServed(state.machine))
    }
    for latch in served { latch.open() }
    return step
  }

  private func enter(_ newState: AppState) {
    let served = locked.withLock { state in
      state.machine.enter(newState)
      return state.waiters.takeServed(state.machine)
    }
    for latch in served { latch.open() }
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
    case .didBecomeActive:
      delegate?.applicationDidBecomeActive(self)
      bus.post(.didBecomeActive, from: self)
    case .willResignActive:
      delegate?.applicationWillResignActive(self)
      bus.post(.willResignActive, from: self)
    case .didEnterBackground:
      delegate?.applicationDidEnterBackground(self)
      bus.post(.didEnterBackground, from: self)
    case .willEnterForeground:
      delegate?.applicationWillEnterForeground(self)
      bus.post(.willEnterForeground, from: self)
    case .willTerminate:
      // `run()` does this because it waits for the handlers.
      break
    }
  }

  /// Announces the end to the delegate and on the bus, and adds the handlers to the pending work.
  func postWillTerminate(isolation: isolated (any Actor)? = #isolation) {
    delegate?.applicationWillTerminate(self)
    _ = pending.post(.willTerminate, on: bus, from: self)
  }

  /// Waits for a goal.
  ///
  /// - Returns: `false` if the task was cancelled first.
  private func wait(_ goal: AppStateWaiters.Goal) async -> Bool {
    let latch = Latch()
    let ticket = locked.withLock { $0.waiters.add(goal, latch, $0.machine) }
    guard let ticket else { return true }
    let isReached = await latch.wait()
    if !isReached { _ = locked.withLock { $0.waiters.remove(ticket) } }
    return isReached
  }

  /// Runs a closure, and cancels it when the latch opens.
  ///
  /// Opens the latch when the closure ends.
  private func attempt<Failure: Error>(
    until latch: Latch,
    _ body: @Sendable () async throws(Failure) -> Void
  ) async -> Result<Void, Failure> {
    let ending = AttemptEnding<Failure>()
    do {
      async let _: Void = {
        do throws(Failure) {
          try await body()
        } catch {
          ending.fail(error)
        }
        latch.open()
      }()
      await latch.wait()
      // Leaving this scope cancels the closure and waits for it.
    }
    return ending.result
  }
}

/// The result of a closure that may be cancelled.
private final class AttemptEnding<Failure: Error>: Sendable {
  private let state = Locked(Result<Void, Failure>.success(()))

  var result: Result<Void, Failure> { state.withLock { $0 } }

  func fail(_ error: Failure) { state.withLock { $0 = .failure(error) } }
}
