internal import EventBus

extension Application {
  /// What the application is doing.
  ///
  /// In a handler of an edge, and in a method of the delegate, it is the state that the edge led to, or,
  /// for an edge that will happen, the state it leads away from. The exceptions are the first and the last:
  /// `willFinishLaunching` happens in ``AppState/launching``, `willTerminate` in ``AppState/stopping``.
  public var state: AppState { locked.withLock { $0.machine.state } }

  /// Waits until the application is in a state.
  ///
  /// Returns at once if it is, or if the state is one that is passed once (``AppState/notRunning``,
  /// ``AppState/launching``, ``AppState/stopping``, ``AppState/terminated``) and has been.
  ///
  /// - Parameter state: The state.
  /// - Throws: `CancellationError` when the task is cancelled; ``AppStateError`` when the application is
  ///   stopping and will not be in the state any more.
  public func waitUntil(_ state: AppState) async throws {
    guard await wait(.state(state)) else { throw CancellationError() }
    if !self.state.mayReach(state) { throw AppStateError(state: state) }
  }

  /// Waits until everybody has been told of all that has happened so far.
  package func settled() async {
    let count = locked.withLock { $0.machine.stepCount }
    _ = await wait(.told(count))
  }

  /// Runs a closure whenever the application is at least so alive, and for no longer.
  ///
  /// Waits for the level, runs the closure, cancels it when the level is left, and begins anew when it is
  /// reached again. A closure that returns by itself is run again only when the level has been left in
  /// between. Returns when the application stops, whatever the level, or when the task is cancelled, and
  /// always after the closure.
  ///
  /// - Parameters:
  ///   - level: How alive.
  ///   - body: What to do; runs on no actor.
  /// - Throws: What the closure throws, unless it is the `CancellationError` of one whose level was left.
  public func whileAtLeast<Failure: Error>(
    _ level: AppState.Level,
    _ body: @Sendable () async throws(Failure) -> Void
  ) async throws(Failure) {
    while !Task.isCancelled, await wait(.atLeast(level)), state.isAtLeast(level) {
      let left = Latch()
      guard let ticket = locked.withLock({ $0.waiters.add(.below(level), left, $0.machine) })
      else { continue }
      let result = await attempt(until: left, body)
      // Asked in one go: a level that is left and reached again meanwhile is not missed.
      let leftLater = Latch()
      let stays = locked.withLock { $0.waiters.exchange(ticket, leftLater) } != nil
      if case .failure(let error) = result, stays || Task.isCancelled || !error.isCancellation {
        _ = locked.withLock { $0.waiters.remove(ticket) }
        throw error
      }
      if stays, await !leftLater.wait() {
        _ = locked.withLock { $0.waiters.remove(ticket) }
      }
    }
  }

  /// Takes in what happened, and tells everybody unless somebody is doing so.
  ///
  /// - Returns: How many steps have to be told until this is.
  @discardableResult
  func change(
    _ cause: AppStateMachine.Cause,
    isolation: isolated (any Actor)? = #isolation
  ) -> Int {
    let (tells, count) = locked.withLock { state in
      (state.machine.send(cause), state.machine.stepCount)
    }
    if tells {
      while let step = takeStep() {
        if let edge = step.will { tell(edge) }
        if let newState = step.state {
          enter(newState)
          bus.post(.stateDidChange, newState, from: self)
        }
        if let edge = step.did { tell(edge) }
      }
    }
    return count
  }

  /// Takes in what happened, and returns when everybody has been told of it, whoever is cancelled.
  func changed(
    _ cause: AppStateMachine.Cause,
    isolation: isolated (any Actor)? = #isolation
  ) async {
    let count = change(cause)
    let latch = Latch()
    let ticket = locked.withLock { $0.waiters.add(.told(count), latch, $0.machine) }
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

  private func tell(
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
      // The run does this itself, because it waits for the handlers.
      break
    }
  }

  /// Announces the end to the delegate and on the bus; its handlers are waited for.
  func postWillTerminate(isolation: isolated (any Actor)? = #isolation) {
    delegate?.applicationWillTerminate(self)
    _ = pending.post(.willTerminate, on: bus, from: self)
  }

  /// Waits for something about the state.
  ///
  /// - Returns: `false` when the task was cancelled first.
  private func wait(_ goal: AppStateWaiters.Goal) async -> Bool {
    let latch = Latch()
    let ticket = locked.withLock { $0.waiters.add(goal, latch, $0.machine) }
    guard let ticket else { return true }
    let isReached = await latch.wait()
    if !isReached { _ = locked.withLock { $0.waiters.remove(ticket) } }
    return isReached
  }

  /// Runs a closure until it ends, or is cancelled because a latch was opened; opens it in the end.
  private func attempt<Failure: Error>(
    until latch: Latch,
    _ body: @Sendable () async throws(Failure) -> Void
  ) async -> Result<Void, Failure> {
    let ending = AttemptEnding<Failure>()
    await run(until: latch, ending, body)
    return ending.result
  }

  /// The end of this function is what cancels the closure, and waits for it.
  private func run<Failure: Error>(
    until latch: Latch,
    _ ending: AttemptEnding<Failure>,
    _ body: @Sendable () async throws(Failure) -> Void
  ) async {
    async let _: Void = {
      do throws(Failure) {
        try await body()
      } catch {
        ending.fail(error)
      }
      latch.open()
    }()
    await latch.wait()
  }
}

extension Error {
  fileprivate var isCancellation: Bool { self is CancellationError }
}

/// How a closure ended, for the one who cancelled it.
private final class AttemptEnding<Failure: Error>: Sendable {
  private struct State: Sendable {
    var result: Result<Void, Failure> = .success(())
  }

  private let state = Locked(State())

  var result: Result<Void, Failure> { state.withLock { $0.result } }

  func fail(_ error: Failure) { state.withLock { $0.result = .failure(error) } }
}
