internal import EventBus

/// The turns of one that runs a launch: who has been called, and who comes next, in one look.
///
/// So a synchronous worker costs one look at the registry and one at the clock.
internal struct LaunchTurns: ~Copyable {
  private let loader: LaunchLoader
  private let stopwatch: Stopwatch
  private let runner: LaunchRegistry.Runner
  /// The time, if nothing but asking has happened since it was read.
  private var now: Duration?

  /// Creates the turns of a runner.
  internal init(
    _ loader: LaunchLoader,
    _ session: LaunchSession,
    _ runner: LaunchRegistry.Runner
  ) {
    self.loader = loader
    stopwatch = session.stopwatch
    self.runner = runner
  }

  /// What is to be done next.
  internal mutating func next() -> LaunchRegistry.Step {
    now = nil
    return loader.state.withLock { [runner] state in state.registry.next(for: runner) }
  }

  /// Calls synchronous work.
  ///
  /// - Parameters:
  ///   - registration: The work.
  ///   - place: Its place.
  ///   - options: What it receives: handed through, because a copy costs more than most calls.
  /// - Returns: What is to be done next.
  internal mutating func call(
    _ registration: LaunchRegistration,
    at place: Int,
    _ options: LaunchOptions
  ) -> LaunchRegistry.Step {
    if registration.hasCondition {
      now = nil
      let isWanted = registration.isWanted(options)
      // Ended meanwhile: cancelled, or its launch was.
      guard claim(place, begins: isWanted) else { return next() }
      guard isWanted else {
        _ = registration.takeWork()
        return end(registration, at: place, nil, .skipped(because: nil))
      }
    }
    let start = now ?? stopwatch.elapsed()
    let outcome = registration.call(options)
    let end = stopwatch.elapsed()
    now = end
    let times = LaunchTimes(start: start, duration: end - start)
    return self.end(registration, at: place, times, registration.limited(outcome, times))
  }

  /// Lets work whose condition has been asked begin, or end without that.
  private func claim(_ place: Int, begins: Bool) -> Bool {
    loader.state.withLock { state in
      begins ? state.registry.begin(at: place) : state.registry.claimEnd(at: place)
    }
  }

  private func end(
    _ registration: LaunchRegistration,
    at place: Int,
    _ times: LaunchTimes?,
    _ outcome: LaunchOutcome
  ) -> LaunchRegistry.Step {
    registration.outcome.resolve(outcome)
    let (aftermath, step) = loader.state.withLock { [runner] state in
      let aftermath = state.registry.end(at: place, times, outcome)
      return (aftermath, state.registry.next(for: runner))
    }
    if let aftermath { loader.finish(aftermath) }
    return step
  }
}
