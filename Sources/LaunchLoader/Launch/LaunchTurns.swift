internal import EventBus

/// The turns of one that runs a launch: what it called last is recorded when it asks for the next.
///
/// So a synchronous worker costs one look at the registry and one at the clock.
internal struct LaunchTurns: ~Copyable {
  private struct Ended {
    let registration: LaunchRegistration
    let place: Int
    let times: LaunchTimes?
    let outcome: LaunchOutcome
  }

  private let loader: LaunchLoader
  private let stopwatch: Stopwatch
  private let runner: LaunchRegistry.Runner
  private var ended: Ended?
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
    guard let ended = ended.take() else {
      now = nil
      return loader.state.withLock { [runner] state in state.registry.next(for: runner) }
    }
    ended.registration.outcome.resolve(ended.outcome)
    let (aftermath, step) = loader.state.withLock { [runner] state in
      let aftermath = state.registry.end(at: ended.place, ended.times, ended.outcome)
      return (aftermath, state.registry.next(for: runner))
    }
    if let aftermath { loader.finish(aftermath) }
    return step
  }

  /// Calls synchronous work.
  ///
  /// - Parameters:
  ///   - registration: The work.
  ///   - place: Its place.
  ///   - options: What it receives: handed through, because a copy costs more than most calls.
  internal mutating func call(
    _ registration: LaunchRegistration,
    at place: Int,
    _ options: LaunchOptions
  ) {
    let start = now ?? stopwatch.elapsed()
    guard registration.isWanted(options) else {
      now = nil
      ended = Ended(
        registration: registration,
        place: place,
        times: nil,
        outcome: .skipped(because: nil)
      )
      return
    }
    let outcome = registration.call(options)
    let end = stopwatch.elapsed()
    let times = LaunchTimes(start: start, duration: end - start)
    now = end
    ended = Ended(
      registration: registration,
      place: place,
      times: times,
      outcome: registration.limited(outcome, times)
    )
  }
}
