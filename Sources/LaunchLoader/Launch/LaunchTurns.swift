internal import EventBus

/// What all workers of one launch share.
struct LaunchSession: Sendable {
  /// The options that each worker receives.
  let options: LaunchOptions
  /// Measures from the beginning of the launch.
  let stopwatch: Stopwatch
}

/// What came of a launch: its report, unless it never began, and what its callers are to be thrown.
struct LaunchConclusion: Sendable {
  /// The report.
  let report: LaunchReport?
  /// What is thrown instead of returning the report.
  let error: LaunchError?

  /// What `launch(_:)` returns.
  func launched() throws(LaunchError) -> LaunchReport {
    if let error { throw error }
    return try reported()
  }

  /// What `report` returns.
  func reported() throws(LaunchError) -> LaunchReport {
    guard let report else { throw error ?? LaunchError(.stopped) }
    return report
  }
}

extension LaunchConclusion {
  /// Draws the conclusion from what a launch leaves behind.
  init(_ summary: LaunchSummary, total: Duration) {
    let problems = summary.problems.map(LaunchError.init)
    let report = LaunchReport(rows: summary.rows, total: total, problems: problems)
    self.report = report
    switch summary.verdict {
    case .fine: error = nil
    case .failed: error = LaunchError(.failed(report))
    case .impossible: error = problems.first
    }
  }
}

/// The turns of one that runs a launch: who has been called, and who comes next, in one look.
///
/// So a synchronous worker costs one look at the registry and one at the clock.
struct LaunchTurns: ~Copyable {
  private let loader: LaunchLoader
  private let stopwatch: Stopwatch
  private let runner: LaunchRegistry.Runner
  /// The time, if nothing but asking has happened since it was read.
  private var now: Duration?

  /// Creates the turns of a runner.
  init(
    _ loader: LaunchLoader,
    _ session: LaunchSession,
    _ runner: LaunchRegistry.Runner
  ) {
    self.loader = loader
    stopwatch = session.stopwatch
    self.runner = runner
  }

  /// What is to be done next.
  mutating func next() -> LaunchRegistry.Step {
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
  mutating func call(
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

/// The tasks of a worker that runs.
package struct LaunchErrand: Sendable {
  /// When the worker began, counted from the beginning of the launch.
  package let start: Duration
  /// The worker's own.
  package let task: Task<Void, Never>
  /// The one that waits until it has taken too long, if its time is limited.
  package let watch: Task<Void, Never>?

  /// Keeps the tasks together.
  package init(start: Duration, task: Task<Void, Never>, watch: Task<Void, Never>?) {
    self.start = start
    self.task = task
    self.watch = watch
  }
}

/// Whom to tell that there is something to do.
package enum LaunchWake: Hashable, Sendable {
  /// Nobody waits for it.
  case nobody
  /// The one that runs the launch.
  case waiter
  /// A new task, which runs what comes after the launch.
  case newRunner
}

/// A worker that has taken too long, and is left behind.
package struct LaunchOverrun: Sendable {
  /// Its place.
  package let place: Int
  /// The worker, whose outcome the caller makes known and then records.
  package let registration: LaunchRegistration
  /// Its tasks, if it has any yet.
  package let errand: LaunchErrand?
}

/// What is to be done, after unlocking, when a worker has ended.
package struct LaunchAftermath: Sendable {
  /// The tasks of the worker: its watch to be cancelled, both to be let go of.
  package var errand: LaunchErrand?
  /// The tasks of workers that will not begin: all of them to be cancelled.
  package var skipped: [LaunchErrand] = []
  /// The tasks of other workers, to be cancelled; their watches go on.
  package var cancelled: [LaunchErrand] = []
  /// Whom to wake.
  package var wake = LaunchWake.nobody
  /// Rows to be let go of.
  package var dropped: [LaunchRow] = []
}

/// What a launch leaves behind for its report.
package struct LaunchSummary: Sendable {
  /// How the launch went, by its policy.
  package enum Verdict: Hashable, Sendable {
    /// Its workers are not to be judged, or none of them failed.
    case fine
    /// A worker failed, or the time was up.
    case failed
    /// The dependencies could not be met; nothing ran.
    case impossible
  }

  /// All rows, those without an outcome included.
  package let rows: [LaunchRow]
  /// What was wrong with the dependencies.
  package let problems: [LaunchProblem]
  /// How the launch went.
  package let verdict: Verdict
}

/// Something wrong with the dependencies, and the rows concerned.
package enum LaunchProblem: Sendable {
  /// Each waits for the next one; the last one is the first one again.
  case cycle([LaunchRow])
  /// Nobody has the name.
  case missing(LaunchID, neededBy: LaunchRow)

  /// Looks up the rows of a fault.
  init(_ fault: LaunchPlanner.Fault, _ row: (Int) -> LaunchRow) {
    switch fault {
    case .cycle(let path): self = .cycle(path.map(row))
    case .missing(let id, let place): self = .missing(id, neededBy: row(place))
    }
  }
}
