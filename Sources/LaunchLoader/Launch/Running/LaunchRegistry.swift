/// The rules of a loader: the acceptance of registrations, the claim of the launch, and the order of
/// turns.
///
///     collecting ──claim──▶ launching ──last worker ended──▶ launched ──▶ idle work, late registrations
///
/// Registrations are accepted in every stage, until a stop. It is not a stage: it refuses all later registrations
/// and, of what is registered, all that is not part of a launch that has begun.
///
/// A plain value: it takes no lock, runs no worker and reads no clock. Its methods return actions,
/// which the caller performs after unlocking, and objects, which the caller releases after unlocking.
/// Work is identified by the number of its row.
package struct LaunchRegistry: Sendable {
  /// The decision about a registration.
  package enum Acceptance: Sendable {
    /// Accepted for the coming or running launch; the row withdraws it.
    case kept(row: Int, LaunchWake)
    /// The launch is over: run the work now, with the options of the launch, and report its end under
    /// this row, if there is one.
    case runsNow(LaunchOptions, row: Int?)
    /// Not accepted: dismiss it with this outcome. If the name is taken, `original` is the source site
    /// of the first registration.
    case dismissed(LaunchOutcome, original: LaunchSite?)
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
  var policy: LaunchFailurePolicy
  /// The progress of the loader.
  var stage = Stage.collecting
  /// A Boolean value that indicates whether registrations are refused.
  var isStopping = false
  /// The outcome of all work that has not begun, once nothing more may begin.
  var halt: LaunchOutcome?
  /// The verdict on the launch so far.
  var verdict = LaunchVerdict.fine
  /// A Boolean value that indicates whether the runner of the launch waits.
  var isWaitedOn = false
  /// A Boolean value that indicates whether work after the launch has a runner.
  var hasRunner = false
  /// The tasks of running workers, by row.
  var tasks: [Int: LaunchTasks] = [:]
  /// The finished workers that a rollback undoes, or whose values it releases, in order of completion.
  var finished: [Int] = []
  /// The worker that is being undone.
  var undoing: Int?
  /// The faults in the dependencies.
  var problems: [LaunchError] = []
  /// The options that the workers receive, once the launch has begun.
  var options: LaunchOptions?
  /// The registered work and its order.
  var schedule: LaunchSchedule
  /// The names that are taken.
  var names = LaunchNames()
  /// The rows of the launch when it was over, which its report shares.
  var launched: [LaunchRow] = []
  /// The results of named work that ended after the launch and has no row, by the number of the row.
  var ended: [Int: NamedWork] = [:]
  /// The number of registrations without a name on each line.
  var siteCounts = StableDictionary<LaunchSite, Int>()

  /// Creates a registry that collects.
  ///
  /// - Parameters:
  ///   - policy: The effect of a failure on the launch.
  ///   - width: The number of asynchronous workers that may run at once.
  package init(onFailure policy: LaunchFailurePolicy = .continue, width: Int? = nil) {
    self.policy = policy
    schedule = LaunchSchedule(width: max(1, width ?? .max))
  }

  /// A Boolean value that indicates whether the loader was neither launched nor stopped.
  package var isCollecting: Bool { stage == .collecting && !isStopping }

  /// A Boolean value that indicates whether the launch is over, or there will be none.
  var isOver: Bool { stage == .launched || stage == .collecting && isStopping }

  /// A Boolean value that indicates whether workers that finish must be kept for a rollback.
  var keepsWorkers: Bool { policy == .rollback && stage == .launching }

  /// The registrations that a launch would run now, in order of registration.
  ///
  /// - Complexity: O(*n*).
  var waitingRows: [LaunchRow] {
    stage == .collecting ? schedule.rows.filter(\.isWaiting) : []
  }

  /// The names of the workers that were handed out, or are being undone, and have not ended.
  ///
  /// - Complexity: O(*n*) in the number of workers.
  var unfinished: [LaunchID] {
    schedule.rows.filter { $0.turn != nil || $0.number == undoing }.map(\.id)
  }

  /// Returns the runner to wake, because there may be something to do.
  mutating func wake() -> LaunchWake {
    switch stage {
    case .collecting:
      return .noRunner
    case .launching:
      defer { isWaitedOn = false }
      return isWaitedOn ? .waitingRunner : .noRunner
    case .launched:
      guard !hasRunner && schedule.hasNext else { return .noRunner }
      hasRunner = true
      return .newRunner
    }
  }

  /// Stops the program if the parts of the registry contradict each other.
  ///
  /// - Complexity: O(*n*²).
  package func _checkInvariants() {
    schedule._checkInvariants()
    assert(tasks.keys.allSatisfy { schedule[$0] != nil }, "tasks of a removed row")
    assert(verdict == .fine || halt != nil || stage == .launched, "a failed launch goes on")
    assert(!isWaitedOn || stage == .launching, "a runner waits for no launch")
    assert(!hasRunner || stage == .launched, "a runner works before its time")
  }
}
