/// The rule of a loader: what becomes of a registration, who launches, and whose turn it is.
///
///     collecting ──claim──▶ launching ──last worker ended──▶ launched ──▶ idle work, latecomers
///         │                     │ (newcomers are refused)       │
///         └────────stop─────────┴───────▶ stopped ◀─────────────┘
///
/// A plain value: it takes no lock, runs no worker and reads no clock. Its methods say what to do, and
/// the caller does it after unlocking; whatever is to be let go of is handed out.
package struct LaunchRegistry: Sendable {
  /// What becomes of a registration.
  package enum Acceptance: Sendable {
    /// It has its place in the coming or running launch; the number withdraws it.
    case kept(UInt64, LaunchWake)
    /// The launch is over: run it now, with the options of the launch, and report its end under this
    /// place, if there is one.
    case runsNow(LaunchOptions, at: Int?)
    /// What it needs cannot be had any more.
    case skipped(because: LaunchID)
    /// The name is taken, by a registration there.
    case duplicate(of: LaunchID, at: LaunchSite)
    /// The loader was stopped.
    case refused
  }

  /// What the one that runs a launch is able to do.
  package enum Runner: Sendable {
    /// It can only call: work of no actor, and of the actor it runs on.
    case caller
    /// It can wait as well.
    case task
  }

  /// What the one that runs a launch does next.
  package enum Step: Sendable {
    /// Run this work, then report its end under this place.
    case run(LaunchRegistration, at: Int)
    /// Let go of this work, for this reason.
    case skip(LaunchRegistration, LaunchOutcome)
    /// Undo this work, then report that.
    case undo(LaunchRegistration, at: Int)
    /// Nothing more can begin here now, and the launch is not over.
    case wait
    /// The launch is over. If so told, somebody has to run what comes after it.
    case over(LaunchSummary, goesOn: Bool)
    /// The launch was over before, and nothing can begin now; these rows are to be let go of.
    case rest([LaunchRow])
  }

  /// How far the loader has come.
  enum Stage {
    /// Registrations are noted.
    case collecting
    /// The launch runs.
    case launching
    /// The launch is over.
    case launched
  }

  /// What a failure does.
  let policy: FailurePolicy
  /// How many asynchronous workers may run at once.
  let width: Int
  /// How far it has come.
  var stage = Stage.collecting
  /// Whether registrations are refused.
  var isStopping = false
  /// Why nothing more begins, if that is so.
  var halt: LaunchOutcome?
  /// How the launch goes.
  var verdict = LaunchSummary.Verdict.fine
  /// Whether the one that runs the launch was told to wait.
  var isWaitedOn = false
  /// Whether somebody runs what comes after the launch.
  var hasRunner = false
  /// The tasks of those that run, by place.
  var errands: [Int: LaunchErrand] = [:]
  /// What finished and can be undone, in this order.
  var finished: [Int] = []
  /// What is wrong with the dependencies.
  var problems: [LaunchProblem] = []
  /// What the workers of the launch receive, once it has begun.
  package internal(set) var options: LaunchOptions?
  /// What has been registered before the launch.
  var roster = LaunchRoster()
  /// Whose turn it is in the launch, and after it.
  var agenda = LaunchAgenda()
  /// The names that are taken.
  var names = LaunchNames()
  /// Numbers those without names.
  var anonymous = LaunchSiteCounter()
  /// The number given last.
  var lastSerial: UInt64 = 0

  /// Creates a registry that collects.
  ///
  /// - Parameters:
  ///   - policy: What a failure does.
  ///   - width: How many asynchronous workers may run at once.
  package init(onFailure policy: FailurePolicy = .continue, width: Int? = nil) {
    self.policy = policy
    self.width = max(1, width ?? .max)
  }

  /// Whether nobody has launched or stopped it.
  package var isCollecting: Bool { stage == .collecting && !isStopping }

  /// Whether workers that finish may have to be undone.
  package var keepsWorkers: Bool { policy == .rollback && stage == .launching }

  /// Whom to tell that there may be something to do.
  mutating func wake() -> LaunchWake {
    switch stage {
    case .collecting:
      return .nobody
    case .launching:
      defer { isWaitedOn = false }
      return isWaitedOn ? .waiter : .nobody
    case .launched:
      guard !hasRunner && agenda.hasNext else { return .nobody }
      hasRunner = true
      return .newRunner
    }
  }
}
