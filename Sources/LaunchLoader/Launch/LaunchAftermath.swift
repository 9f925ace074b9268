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
  internal init(_ fault: LaunchPlanner.Fault, _ row: (Int) -> LaunchRow) {
    switch fault {
    case .cycle(let path): self = .cycle(path.map(row))
    case .missing(let id, let place): self = .missing(id, neededBy: row(place))
    }
  }
}
