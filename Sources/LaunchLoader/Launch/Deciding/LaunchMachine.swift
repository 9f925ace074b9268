internal import EventBus

/// Decides which launch work runs next, and when the launch is over.
///
///     collecting ──claim──▶ launching ──last worker ended──▶ launched ──▶ idle work, late registrations
///
/// Each piece of work has a row:
///
///     waiting ──▶ starting ──▶ running ──▶ ending ──▶ ended
///        │           │                                  ▲
///        ├───────────┴──▶ skipped, to be settled ───────┘
///        └──▶ withdrawn
///
/// Registrations are accepted in every stage, until a stop. It is not a stage: it refuses all later registrations
/// and, of what is registered, all that is not part of a launch that has begun.
///
/// A plain value: it takes no lock, runs no worker and reads no clock. One driver at a time asks for the next step;
/// other threads report events. The consequences of an event for its caller are in the ``outbox``, which the caller
/// takes under the same lock and handles after unlocking. Rows are identified by their numbers, which are never
/// reused, so that abandoned work may report its end at any time.
package struct LaunchMachine: Sendable {
  /// The progress of the loader.
  enum Stage: Sendable {
    /// Registrations are collected.
    case collecting
    /// The launch runs.
    case launching
    /// The launch is over.
    case launched
  }

  /// The next step of the driver.
  package enum Step: Sendable {
    /// Run this work, then report its end under this row.
    case run(LaunchItem, row: Int)
    /// Settle this work, which did not run, with this outcome.
    case settle(LaunchItem, LaunchOutcome)
    /// Undo this work, and release what it made, then report that.
    case undo(LaunchItem, row: Int)
    /// Wait: nothing more can begin here now, and the launch is not over.
    case wait
    /// The launch is over, with these rows, including those without an outcome.
    case over([Row], problems: [LaunchError], Verdict)
    /// The launch was over before, and nothing can begin now.
    case rest
  }

  /// The verdict on a launch, according to its policy.
  package enum Verdict: Sendable {
    /// No worker failed, or the policy is to continue.
    case fine
    /// A worker failed, or the time limit was reached.
    case failed
    /// The dependencies could not be met; nothing ran, or nothing more.
    case impossible
  }

  /// The consequence of an event, to be handled outside of the lock.
  package enum Notice: Sendable {
    /// Work was refused, with this outcome and, if its name is taken, the place of the first work of the name.
    case refused(LaunchItem, LaunchOutcome, original: LaunchSite?)
    /// The task of a row is to be cancelled.
    case cancelled(Int)
    /// The task of a row is no longer needed.
    case ended(Int)
    /// Rows are to be released.
    case released([Row])
    /// Work has made a value after the others were closed, which is to be closed as well.
    case late(LaunchItem)
  }

  /// The work of a name that is taken.
  struct Named: Sendable {
    /// The source site of its registration.
    let site: LaunchSite
    /// What it makes.
    let makes: AnyLaunchKey?
    /// The work, until it has its outcome.
    let pending: LaunchItem?
    /// Its outcome.
    let outcome: LaunchOutcome?
    /// True if it was refused after the launch, and other work may take the name.
    var isFree = false
  }

  /// The effect of a failure on the launch.
  var policy: LaunchFailurePolicy
  /// The progress of the loader.
  var stage = Stage.collecting
  /// True if registrations are refused.
  var isStopping = false
  /// The outcome of all work that has not begun, once nothing more may begin.
  var halt: LaunchOutcome?
  /// The verdict on the launch so far.
  var verdict = Verdict.fine
  /// The faults in the dependencies.
  var problems: [LaunchError] = []
  /// The consequences of events that were not taken yet.
  var outbox: [Notice] = []

  /// The registered work, by number.
  var rows: [Row] = []
  /// The number of the next row.
  var nextRow = 0
  /// True if no planning is needed: no dependencies and only the
  /// standard phase.
  var isPlain = true
  /// The number of rows that were withdrawn before the launch and are still here.
  var withdrawnCount = 0
  /// True if names are read when work is registered.
  ///
  /// Before the first question about a name, registering only appends.
  var readsNames = false
  /// The rows that have taken names.
  var names: [LaunchID: Int] = [:]
  /// The named work that has ended and has no row any more, by the number of the row.
  var past: [Int: Named] = [:]
  /// The number of registrations without a name on each line.
  var siteCounts: [LaunchSite: Int] = [:]
  /// The rows of the launch when it was over, which its report shares.
  var launched: [Row] = []

  /// The current phase.
  var phase = LaunchPhase.early
  /// The number of rows of each phase that have not ended, including those to be settled; counted from the claim on.
  var open = Array(repeating: 0, count: LaunchPhase.allCases.count)
  /// The rows that wait for their phase, by phase.
  var later: [[Int]] = Array(repeating: [], count: LaunchPhase.allCases.count)
  /// The edges of the graph: a row that waits for another, which must finish if `isHard` is `true`, and
  /// otherwise only end; and the index of the next edge that leads to the same row.
  ///
  /// One array for all, because an array for each row would cost more than everything else in a launch.
  var edges: [(row: Int, isHard: Bool, next: Int?)] = []
  /// The rows by rank, which is the position in the planned order.
  var ranked: [Int] = []
  /// The ranks of work that may be called directly.
  var calls = RankSet()
  /// The ranks of work that belongs to another actor, and may begin.
  var hops = RankSet()
  /// The ranks of work that runs in tasks, and may begin.
  var tasks = RankSet()
  /// The rows to be settled, in order.
  var skipped = BoundedQueue<Int>()
  /// The number of asynchronous workers that may run at once.
  let width: Int
  /// The number of asynchronous workers of the launch that run.
  var runningTasks = 0
  /// The actor on which the launch began, if it is known.
  var home: ObjectIdentifier?
  /// The synchronous worker that runs on its actor; nothing else begins meanwhile.
  var hopping: Int?
  /// The most recently assigned turn.
  var lastTurn = 0
  /// The finished work that a rollback undoes, or whose values are closed, in order of completion: a value comes before
  /// those of the work that may have used it.
  var kept: [(row: Int, item: LaunchItem)] = []
  /// The worker that is being undone.
  var undoing: Int?
  /// True if the values were closed, and others are closed when they are made.
  var isClosed = false

  /// Creates a machine that collects.
  ///
  /// - Parameters:
  ///   - policy: The effect of a failure on the launch.
  ///   - width: The number of asynchronous workers that may run at once.
  package init(onFailure policy: LaunchFailurePolicy = .continue, width: Int? = nil) {
    self.policy = policy
    self.width = max(1, width ?? .max)
  }

  /// True if the loader was neither launched nor stopped.
  package var isCollecting: Bool { stage == .collecting && !isStopping }

  /// True if the launch is over, or there will be none.
  var isOver: Bool { stage == .launched || stage == .collecting && isStopping }

  /// True if running work is cancelled: that of a launch that was halted, or the work after it, once a stop has begun.
  var cancelsWork: Bool { stage == .launching ? halt != nil : isStopping }

  /// True if work that finishes must be kept, because a rollback would undo it.
  var keepsForRollback: Bool { policy == .rollback && stage == .launching }

  /// True if work has an outcome or may begin, so that a driver has something to do.
  package var hasNext: Bool {
    !skipped.isEmpty
      || hopping == nil && (calls.first != nil || hops.first != nil || canStartTask)
  }

  var canStartTask: Bool { runningTasks < width && tasks.first != nil }

  /// The names of the workers that were handed out, or are being undone, and have not ended.
  ///
  /// - Complexity: O(*n*) in the number of workers.
  var unfinished: [LaunchID] {
    rows.filter { $0.isOut || $0.state == .ending || $0.number == undoing }.map(\.id)
  }

  /// The workers that run after the launch.
  ///
  /// - Complexity: O(*n*) in the number of workers.
  var lateWork: [Row] {
    stage == .launched ? rows.filter { $0.isOut || $0.state == .ending } : []
  }

  /// The row with a number, or `nil` if it is not kept any more.
  ///
  /// Copies the row. Frequent code uses its index in `rows`.
  subscript(row: Int) -> Row? { rows.index(of: row).map { rows[$0] } }

  /// Removes and returns the consequences of events.
  package mutating func takeOutbox() -> [Notice] {
    defer { outbox = [] }
    return outbox
  }

  /// Returns the plan of a launch that begins now.
  package mutating func planner() -> LaunchPlanner {
    readNames()
    return LaunchPlanner(rows, names)
  }

  /// Stops the program if the parts of the machine contradict each other.
  ///
  /// - Complexity: O(*n*²).
  package func _checkInvariants() {
    assert(verdict == .fine || halt != nil || stage == .launched, "a failed launch goes on")
    assert(zip(rows, rows.dropFirst()).allSatisfy { $0.number < $1.number }, "out of order")
    assert(rows.allSatisfy { $0.number < nextRow && self[$0.number] != nil }, "a row is lost")
    assert(
      rows.allSatisfy { ($0.outcome != nil) == [.skipped, .ended].contains($0.state) },
      "an outcome is wrong"
    )
    guard stage != .collecting else { return }
    for phase in LaunchPhase.allCases {
      let count = rows.count { $0.phase == phase && !$0.isOver }
      assert(open[phase.index] == count, "the number of open rows is wrong")
    }
    assert(runningTasks == rows.count(where: \.isCounted), "the number of tasks is wrong")
    assert(hopping.map { self[$0]?.isOver == false } ?? true, "a hop has ended")
    assert(rows.count { $0.state == .skipped } == skipped.count, "a skipped row is lost")
    let waiting = rows.indices.filter { !rows[$0].isOver }
      .flatMap { index in dependants(of: index).map(\.row) }
    for row in rows where row.state == .waiting {
      assert(row.blockers == waiting.count { $0 == row.number }, "a row waits for the wrong number")
    }
  }
}
