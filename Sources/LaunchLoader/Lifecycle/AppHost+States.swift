internal import EventBus

extension AppHost {
  /// The current state.
  ///
  /// During the delivery of a state change, handlers and the delegate read the state that the change led
  /// to, or the state that a `will…` event leads away from. There are two exceptions:
  /// `willFinishLaunching` occurs in ``AppState/launching``, and `willTerminate` in ``AppState/stopping``.
  public var state: AppState { locked.withLock { $0.machine.state } }

  /// Waits until the host is in a state.
  ///
  /// Returns immediately if the host is in the state, or has passed a state that occurs only once
  /// (``AppState/notRunning``, ``AppState/launching``, ``AppState/stopping``, ``AppState/terminated``).
  ///
  /// - Parameter state: The state to wait for.
  /// - Throws: `CancellationError` when the task is cancelled; ``AppStateError`` when the host is
  ///   stopping and can no longer enter the state.
  nonisolated(nonsending) public func waitUntil(state: AppState) async throws {
    guard await wait(.state(state)) else { throw CancellationError() }
    if !self.state.mayReach(state) { throw AppStateError(state: state) }
  }

  /// Waits until all state changes queued so far are delivered.
  nonisolated(nonsending) package func waitUntilSettled() async {
    let count = locked.withLock { $0.machine.stepCount }
    _ = await wait(.completed(count))
  }

  /// Applies a cause, and delivers the resulting state changes unless another call is delivering.
  ///
  /// When this call returns, they are delivered, unless another call is delivering or a method of the
  /// delegate has suspended. In that case a task continues the delivery, on the actor of the caller.
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
    if delivers { deliver() }
    return count
  }

  /// Applies a cause, and returns when its state changes are delivered, regardless of cancellation.
  func changed(
    _ cause: AppStateMachine.Cause,
    isolation: isolated (any Actor)? = #isolation
  ) async {
    await delivered(change(cause))
  }

  /// Waits until this number of steps is complete, regardless of cancellation.
  nonisolated(nonsending) func delivered(_ count: Int) async {
    let latch = Latch()
    let waiter = locked.withLock { $0.addWaiter(.completed(count), latch) }
    if waiter != nil { await latch.waitUncancelled() }
  }

  /// Changes the state machine, and resumes the tasks whose goals are reached.
  private func update<Result: Sendable>(_ change: (inout AppStateMachine) -> Result) -> Result {
    let (result, reached) = locked.withLock { state in
      (change(&state.machine), state.takeReached())
    }
    for latch in reached { latch.open() }
    return result
  }

  /// Enters the last state without an event, because the run was refused.
  func refuse() { update { $0.refuse() } }

  /// Delivers the rest of a step, and then all queued steps.
  ///
  /// With a delegate, a task continues the delivery when the method has returned or is abandoned.
  ///
  /// - Parameters:
  ///   - rest: The rest of the step.
  ///   - informed: A state change that the delegate has received, and the bus has not.
  ///   - isolation: The isolation of the caller.
  private func deliver(
    _ rest: AppStateMachine.Step = AppStateMachine.Step(),
    _ informed: AppStateMachine.Edge? = nil,
    isolation: isolated (any Actor)? = #isolation
  ) {
    var (step, informed) = (rest, informed)
    while true {
      if let edge = informed.take() {
        post(edge)
      } else if step.will == nil, let state = step.state.take() {
        enter(state)
      } else if let edge = step.will.take() ?? step.did.take() {
        informed = edge
        guard let call = inform(edge) else { continue }
        let rest = step
        Task {
          // Captured so that the task runs on this actor.
          _ = isolation
          await call.end.waitUncancelled()
          deliver(rest, edge)
        }
        return
      } else if let next = update({ $0.takeStep() }) {
        step = next
      } else {
        return
      }
    }
  }

  /// Calls the delegate.
  ///
  /// - Returns: The call; `nil` without a delegate.
  private func inform(
    _ edge: AppStateMachine.Edge,
    isolation: isolated (any Actor)? = #isolation
  ) -> EdgeCalls.Call? {
    let (delegate, options, isOfStop) = locked.withLock { state in
      (state.delegate, state.options, state.machine.isInStop)
    }
    guard let delegate else { return nil }
    return calls.inform(delegate, of: edge, from: self, options, isOfStop: isOfStop)
  }

  private func enter(_ state: AppState, isolation: isolated (any Actor)? = #isolation) {
    update { $0.enter(state) }
    post(.appStateDidChange, state)
  }

  private func post(_ edge: AppStateMachine.Edge, isolation: isolated (any Actor)? = #isolation) {
    if edge == .willTerminate {
      // The stop waits for these handlers.
      let call = calls.list(handlersOf: EventNames.willTerminate.name, of: self)
      return calls.suspend(call, until: bus.postCounting(.willTerminate, (), from: self))
    }
    let options = locked.withLock { $0.options }
    switch edge {
    case .willFinishLaunching: post(.willFinishLaunching, options)
    case .didFinishLaunching: post(.didFinishLaunching, options)
    case .didBecomeActive: post(.didBecomeActive, ())
    case .willResignActive: post(.willResignActive, ())
    case .didEnterBackground: post(.didEnterBackground, ())
    case .willEnterForeground: post(.willEnterForeground, ())
    case .willTerminate: break
    }
  }

  /// Posts an event whose handlers are listed until the post returns.
  ///
  /// Those of an event of the stop that go on, on actors or asynchronously, are awaited at the end of the run.
  /// Not specialized: these are a few posts in the life of a host.
  @_semantics("optimize.sil.specialize.generic.never")
  private func post<Payload>(
    _ name: EventName<Payload>,
    _ payload: Payload,
    isolation: isolated (any Actor)? = #isolation
  ) {
    let call = calls.list(handlersOf: name.name, of: self)
    defer { calls.finish(call) }
    guard locked.withLock({ $0.machine.isInStop }) else {
      bus.post(name, payload, from: self)
      return
    }
    let completion = bus.postCounting(name, payload, from: self)
    if completion.isDone { return }
    locked.withLock { $0.lastPosts.append((name.name, completion)) }
  }

  /// Waits until the handlers of the events of the stop have finished, at most for the time in which a
  /// cancelled service must end, and regardless of cancellation.
  nonisolated(nonsending) func lastPostsAreHandled() async {
    let posts = locked.withLock { $0.lastPosts }
    if posts.isEmpty { return }
    let areHandled = Latch()
    Task {
      for post in posts { await post.completion.wait() }
      areHandled.open()
    }
    await areHandled.waitUncancelled(within: configuration.cancelTimeout, on: configuration.clock)
    for post in posts where !post.completion.isDone {
      messages.send("Abandoned: \(EdgeCalls.describe(post.event, bus)).")
    }
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
}

/// The phases that a system reports by other means than a signal.
extension AppHost {
  /// Reports the activity of the program, as the system sees it.
  ///
  /// For systems that report phases: scenes of UIKit, a window manager.
  ///
  /// ```swift
  /// let app = AppHost()
  ///
  /// func sceneWillResignActive() { app.report(.inactive) }
  /// func sceneDidEnterBackground() { app.report(.background) }
  /// func sceneWillEnterForeground() { app.report(.inactive) }
  /// func sceneDidBecomeActive() { app.report(.active) }
  /// ```
  ///
  /// The host passes all states in between and reports each state change in order. The call is legal from any
  /// thread and in every state:
  ///
  /// - Before services have started, the last call decides: they start in the background, or the host
  ///   stays inactive.
  /// - While another state change is being reported, those of the call follow it.
  /// - A call that changes nothing reports no state change, like every call after services have begun
  ///   to stop.
  ///
  /// When the call returns, its state changes have been delivered in the isolation of the caller, unless another call
  /// is delivering or there is a delegate, whose methods are called in tasks; ``waitUntil(state:)`` then waits for
  /// the state.
  ///
  /// - Parameters:
  ///   - level: The activity. From ``ReportedLevel/background``, a program that `SIGCONT` continues returns to the level
  ///     before.
  ///   - isolation: The isolation of the caller.
  public func report(_ level: ReportedLevel, isolation: isolated (any Actor)? = #isolation) {
    switch level {
    case .active: change(.activate)
    case .inactive: change(.deactivate)
    case .background: change(.background)
    }
  }
}
