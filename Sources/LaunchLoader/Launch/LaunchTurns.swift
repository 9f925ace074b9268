internal import EventBus

/// The state that all workers of a launch share.
struct LaunchSession: Sendable {
  /// The options that each worker receives.
  let options: LaunchOptions
  /// Measures the time since the beginning of the launch.
  let stopwatch: Stopwatch
}

/// The conclusion of a launch: its report, unless it never began, and the error that it throws.
struct LaunchConclusion: Sendable {
  /// The report.
  let report: LaunchReport?
  /// The error that `launch(_:)` throws instead of returning the report.
  let error: LaunchError?

  /// The result of `launch(_:)`.
  func launched() throws(LaunchError) -> LaunchReport {
    if let error { throw error }
    return try reported()
  }

  /// The value of `report`.
  func reported() throws(LaunchError) -> LaunchReport {
    guard let report else { throw error ?? LaunchError(.stopped) }
    return report
  }
}

extension LaunchConclusion {
  /// Creates the conclusion of a launch that is over.
  init(_ summary: LaunchSummary, total: Duration) {
    let report = LaunchReport(rows: summary.rows, total: total, problems: summary.problems)
    self.report = report
    switch summary.verdict {
    case .fine: error = nil
    case .failed: error = LaunchError(.failed(report))
    case .impossible: error = summary.problems.first
    }
  }
}

/// The loop state of a runner, which reports an end and obtains the next step under one lock.
///
/// Thus each synchronous worker costs one access to the registry and one reading of the clock.
struct LaunchTurns: ~Copyable {
  private let loader: LaunchLoader
  private let stopwatch: Stopwatch
  private let runner: LaunchRegistry.Runner
  /// The time, if nothing has been called since it was read.
  private var now: Duration?

  init(
    _ loader: LaunchLoader,
    _ session: LaunchSession,
    _ runner: LaunchRegistry.Runner
  ) {
    self.loader = loader
    stopwatch = session.stopwatch
    self.runner = runner
  }

  /// Returns the next step.
  mutating func next() -> LaunchRegistry.Step {
    now = nil
    return loader.state.withLock { [runner] state in state.registry.next(for: runner) }
  }

  /// Calls synchronous work.
  ///
  /// - Parameters:
  ///   - registration: The work.
  ///   - place: The place of its row.
  ///   - options: The options it receives, passed through because a copy costs more than most calls.
  /// - Returns: The next step.
  mutating func call(
    _ registration: LaunchRegistration,
    at place: Int,
    _ options: LaunchOptions
  ) -> LaunchRegistry.Step {
    if registration.hasCondition {
      now = nil
      let isWanted = registration.isWanted(options)
      // Ended meanwhile, because it or its launch was cancelled.
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

  /// Lets work begin, or claims its end, after its condition was evaluated.
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

/// The tasks of a running worker.
package struct LaunchTasks: Sendable {
  /// The time at which the worker began, relative to the beginning of the launch.
  let start: Duration
  /// The task that runs the worker.
  let task: Task<Void, Never>
  /// The task that waits for the worker's time limit, if it has one.
  let watch: Task<Void, Never>?
}

/// The runner to wake because there is something to do.
package enum LaunchWake: Hashable, Sendable {
  /// No runner.
  case noRunner
  /// The waiting runner of the launch.
  case waitingRunner
  /// A new runner, for the work after the launch.
  case newRunner
}

/// A worker that has exceeded its time limit and is abandoned.
struct LaunchOverrun: Sendable {
  /// The place of its row.
  let place: Int
  /// The registration, whose outcome the caller publishes and then records.
  let registration: LaunchRegistration
  /// Its tasks, once they are known.
  let tasks: LaunchTasks?
}

/// The actions to perform, after unlocking, when a worker has ended.
package struct LaunchAftermath: Sendable {
  /// The tasks of the worker: cancel its time limit and release both.
  package var tasks: LaunchTasks?
  /// The tasks of workers that will not begin: cancel all of them.
  var skipped: [LaunchTasks] = []
  /// The tasks of other workers: cancel the workers, but not their time limits.
  var cancelled: [LaunchTasks] = []
  /// The runner to wake.
  package var wake = LaunchWake.noRunner
  /// Rows to release.
  var dropped: [LaunchRow] = []
}

/// The final state of a launch, from which its report is made.
package struct LaunchSummary: Sendable {
  /// The verdict on a launch, according to its policy.
  package enum Verdict: Hashable, Sendable {
    /// No worker failed, or the policy is to continue.
    case fine
    /// A worker failed, or the time limit was reached.
    case failed
    /// The dependencies could not be met; nothing ran.
    case impossible
  }

  /// All rows, including those without an outcome.
  package let rows: [LaunchRow]
  /// The faults in the dependencies.
  let problems: [LaunchError]
  /// The verdict on the launch.
  package let verdict: Verdict
}
