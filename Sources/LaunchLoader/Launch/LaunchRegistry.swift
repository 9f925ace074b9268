/// The rules of a loader: the acceptance of registrations, the claim of the launch, and the order of
/// turns.
///
///     collecting ──claim──▶ launching ──last worker ended──▶ launched ──▶ idle work, late registrations
///         │                     │ (refuses registrations)       │
///         └────────stop─────────┴───────▶ stopped ◀─────────────┘
///
/// A plain value: it takes no lock, runs no worker and reads no clock. Its methods return actions,
/// which the caller performs after unlocking, and objects, which the caller releases after unlocking.
package struct LaunchRegistry: Sendable {
  /// The decision about a registration.
  package enum Acceptance: Sendable {
    /// Accepted for the coming or running launch; the number withdraws it.
    case kept(UInt64, LaunchWake)
    /// The launch is over: run the work now, with the options of the launch, and report its end under
    /// this place, if there is one.
    case runsNow(LaunchOptions, at: Int?)
    /// A dependency can no longer be met.
    case skipped(because: LaunchID)
    /// The name is taken, by a registration at this source site.
    case duplicate(of: LaunchID, at: LaunchSite)
    /// The loader was stopped.
    case refused
  }

  /// The abilities of the code that runs a launch.
  package enum Runner: Sendable {
    /// It can only call work directly: work of no actor, and of the actor it runs on.
    case caller
    /// It can also wait.
    case task
  }

  /// The next action of the code that runs a launch.
  package enum Step: Sendable {
    /// Run this work, then report its end under this place.
    case run(LaunchRegistration, at: Int)
    /// Dismiss this work with this outcome.
    case skip(LaunchRegistration, LaunchOutcome)
    /// Undo this work, then report that.
    case undo(LaunchRegistration, at: Int)
    /// Wait: nothing more can begin here now, and the launch is not over.
    case wait
    /// The launch is over. If `goesOn` is `true`, the caller starts a runner for the work after it.
    case over(LaunchSummary, goesOn: Bool)
    /// The launch was over before, and nothing can begin now; release these rows.
    case rest([LaunchRow])
  }

  /// The progress of the loader.
  enum Stage {
    /// Registrations are collected.
    case collecting
    /// The launch runs.
    case launching
    /// The launch is over.
    case launched
  }

  /// The effect of a failure on the launch.
  let policy: FailurePolicy
  /// The number of asynchronous workers that may run at once.
  let width: Int
  /// The progress of the loader.
  var stage = Stage.collecting
  /// A Boolean value that indicates whether registrations are refused.
  var isStopping = false
  /// The outcome of all work that has not begun, once nothing more may begin.
  var halt: LaunchOutcome?
  /// The verdict on the launch so far.
  var verdict = LaunchSummary.Verdict.fine
  /// A Boolean value that indicates whether the runner of the launch waits.
  var isWaitedOn = false
  /// A Boolean value that indicates whether work after the launch has a runner.
  var hasRunner = false
  /// The tasks of running workers, by place.
  var workerTasks: [Int: LaunchTasks] = [:]
  /// The finished workers that can be undone, in order of completion.
  var finished: [Int] = []
  /// The faults in the dependencies.
  var problems: [LaunchError] = []
  /// The options that the workers receive, once the launch has begun.
  var options: LaunchOptions?
  /// The registrations before the launch.
  var roster = LaunchRoster()
  /// The scheduling of the launch and of the work after it.
  var agenda = LaunchAgenda()
  /// The names that are taken.
  var names = LaunchNames()
  /// The number of registrations without a name on each line.
  var siteCounts: [LaunchSite: Int] = [:]
  /// The most recently assigned number.
  var lastSerial: UInt64 = 0

  /// Creates a registry that collects.
  ///
  /// - Parameters:
  ///   - policy: The effect of a failure on the launch.
  ///   - width: The number of asynchronous workers that may run at once.
  package init(onFailure policy: FailurePolicy = .continue, width: Int? = nil) {
    self.policy = policy
    self.width = max(1, width ?? .max)
  }

  /// A Boolean value that indicates whether the loader was neither launched nor stopped.
  package var isCollecting: Bool { stage == .collecting && !isStopping }

  /// A Boolean value that indicates whether workers that finish must be kept for a rollback.
  var keepsWorkers: Bool { policy == .rollback && stage == .launching }

  /// Returns the runner to wake, because there may be something to do.
  mutating func wake() -> LaunchWake {
    switch stage {
    case .collecting:
      return .noRunner
    case .launching:
      defer { isWaitedOn = false }
      return isWaitedOn ? .waitingRunner : .noRunner
    case .launched:
      guard !hasRunner && agenda.hasNext else { return .noRunner }
      hasRunner = true
      return .newRunner
    }
  }
}
