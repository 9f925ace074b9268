internal import EventBus

/// The rows of a loader, and which of them may begin next.
///
///     phase opens ──▶ calls ─┐
///                     hops  ─┼─ lowest rank ──▶ running ──▶ ended ──▶ dependants
///                     tasks ─┘
///
/// A plain value. Rows are identified by their numbers. Numbers are never reused, so abandoned work may
/// report its end at any time.
struct LaunchSchedule: Sendable {
  /// The rows, by number.
  var rows: [LaunchRow] = []
  /// The number of the next row to be added.
  private(set) var nextRow = 0
  /// A Boolean value that indicates whether no planning is needed: no dependencies and only the
  /// standard phase.
  private(set) var isPlain = true
  /// The number of rows that were withdrawn before the launch and are still here.
  var withdrawnCount = 0
  /// The edges of the graph: a row that waits for another, which must finish if `isHard` is `true`, and
  /// otherwise only end; and the index of the next edge that leads to the same row.
  ///
  /// One array for all, because an array for each row would cost more than everything else in a launch.
  var edges: [(row: Int, isHard: Bool, next: Int?)] = []

  /// The current phase.
  private(set) var phase = LaunchPhase.early
  /// The rows that wait for their phase, by phase.
  private var phases: [[Int]] = Array(repeating: [], count: LaunchPhase.allCases.count)
  /// The number of rows of each phase that have not ended, including those to be skipped.
  var open = Array(repeating: 0, count: LaunchPhase.allCases.count)
  /// The rows with the status `skipped`, in order.
  var skipped = BoundedQueue<Int>()

  /// Work that can be called directly.
  private var calls = LaunchQueue()
  /// Work that belongs to another actor.
  private var hops = LaunchQueue()
  /// Work that runs in tasks.
  private var tasks = LaunchQueue()
  /// The number of asynchronous workers that may run at once.
  var width: Int
  /// The number of asynchronous workers of the launch that run.
  var runningTasks = 0
  /// The actor on which the launch began, if it is known.
  private var home: ObjectIdentifier?
  /// The synchronous worker that runs on its actor; nothing else begins meanwhile.
  var hopping: Int?
  /// The most recently assigned rank.
  private var lastRank = 0
  /// The most recently assigned turn.
  private var lastTurn = 0

  /// Creates an empty schedule.
  ///
  /// - Parameter width: The number of asynchronous workers that may run at once.
  init(width: Int) { self.width = width }

  /// The row with a number, or `nil` if the schedule no longer contains it.
  ///
  /// Copies the row. Frequent code uses its index in `rows`.
  subscript(row: Int) -> LaunchRow? { rows.index(of: row).map { rows[$0] } }

  /// Indicates whether all phases up to and including `last` have ended.
  func isOver(upTo last: LaunchPhase) -> Bool { open.prefix(last.index + 1).allSatisfy { $0 == 0 } }

  /// Stops the program if the counts or the queues contradict the rows.
  ///
  /// - Complexity: O(*n*²).
  func _checkInvariants() {
    for queue in [calls, hops, tasks] { queue._checkInvariants() }
    assert(zip(rows, rows.dropFirst()).allSatisfy { $0.number < $1.number }, "out of order")
    assert(rows.allSatisfy { $0.number < nextRow && self[$0.number] != nil }, "a row is lost")
    for phase in LaunchPhase.allCases {
      let count = rows.count { $0.phase == phase && !$0.isOver }
      assert(open[phase.index] == count, "the number of open rows is wrong")
    }
    assert(
      runningTasks == rows.count { $0.turn?.isCounted == true },
      "the number of tasks is wrong"
    )
    assert(hopping.map { self[$0]?.isOver == false } ?? true, "a hop has ended")
    assert(rows.count(where: \.isSkipped) == skipped.count, "a skipped row is lost")
    let open = rows.indices.filter { !rows[$0].isOver }
    let waiting = open.flatMap { index in dependants(of: index).map { $0.row } }
    for row in rows where row.isWaiting {
      let count = waiting.count { $0 == row.number }
      assert(row.wait.count == count, "a row waits for the wrong number of rows")
    }
  }
}

// Adding rows.
extension LaunchSchedule {
  /// Appends a row, whose number is ``nextRow``.
  ///
  /// - Returns: Its index.
  /// - Complexity: Amortized O(1).
  @discardableResult
  mutating func append(_ row: consuming LaunchRow) -> Int {
    if !row.registration.isPlain { isPlain = false }
    if row.isWaiting { open[row.phase.index] += 1 }
    rows.append(row)
    nextRow += 1
    return rows.count - 1
  }

  /// Uses up the number of a row that is not added.
  mutating func skipNumber() { nextRow += 1 }

  /// Removes all rows; the numbering continues.
  mutating func removeAll() {
    rows = []
    edges = []
    for index in open.indices { open[index] = 0 }
    calls = LaunchQueue()
    hops = LaunchQueue()
    tasks = LaunchQueue()
  }

  /// Begins with rows that need no planning, in order of registration.
  ///
  /// - Parameter home: The actor on which the launch begins, if it is known.
  /// - Complexity: O(*n*).
  mutating func begin(on home: ObjectIdentifier?) {
    self.home = home
    phase = .standard
    lastRank = nextRow
    for index in rows.indices where rows[index].isWaiting {
      rows[index].state = .waiting(LaunchRow.Wait(rank: index))
      enqueue(index)
    }
  }

  /// Begins with rows as planned.
  ///
  /// - Parameters:
  ///   - plan: The plan for these rows.
  ///   - home: The actor on which the launch begins, if it is known.
  /// - Complexity: O(*n* + *e*) in the numbers of rows and of dependencies.
  mutating func begin(_ plan: LaunchPlanner, on home: ObjectIdentifier?) {
    self.home = home
    lastRank = nextRow
    for index in rows.indices where rows[index].isWaiting {
      move(index, to: plan.phases[index])
    }
    edges.reserveCapacity(plan.edgeCount)
    for (rank, index) in plan.order.enumerated() {
      rows[index].wait.rank = rank
      phases[rows[index].phase.index].append(rows[index].number)
      plan.forEachDependency(of: index) { target, isHard in
        if plan.excluded[target] == nil { wait(index, for: target, isHard: isHard) }
      }
    }
    for index in plan.excluded.keys.ordered(by: <) {
      skip(index, .skipped(because: plan.excluded[index]))
    }
    openPhase()
  }

  /// Makes a row wait for another row, which has not ended.
  ///
  /// - Complexity: Amortized O(1).
  mutating func wait(_ index: Int, for target: Int, isHard: Bool) {
    rows[index].wait.count += 1
    connect(index, to: target, isHard: isHard)
  }

  /// Adds an edge from a row to one that it waits for.
  mutating func connect(_ index: Int, to target: Int, isHard: Bool) {
    let edge = edges.count
    edges.append((rows[index].number, isHard, nil))
    guard let (first, last) = rows[target].edges else { return rows[target].edges = (edge, edge) }
    edges[last].next = edge
    rows[target].edges = (first, edge)
  }

  /// Returns the rows that wait for a row, in the order in which they began to.
  func dependants(of index: Int) -> [(row: Int, isHard: Bool)] {
    var dependants: [(row: Int, isHard: Bool)] = []
    var next = rows[index].edges?.first
    while let edge = next {
      dependants.append((edges[edge].row, edges[edge].isHard))
      next = edges[edge].next
    }
    return dependants
  }

  /// Assigns a rank to a row that was added, and enqueues it now or when its phase and its dependencies
  /// permit.
  mutating func schedule(_ index: Int) {
    lastRank += 1
    rows[index].wait.rank = lastRank
    if rows[index].phase > phase {
      phases[rows[index].phase.index].append(rows[index].number)
    } else if rows[index].isReady {
      enqueue(index)
    }
  }

  /// Moves a waiting row to an earlier phase that depends on it; the caller then schedules it.
  ///
  /// - Returns: `true` if the row was in a later phase.
  @discardableResult
  mutating func move(_ index: Int, to earlier: LaunchPhase) -> Bool {
    guard rows[index].isWaiting && rows[index].phase > earlier else { return false }
    open[rows[index].phase.index] -= 1
    open[earlier.index] += 1
    rows[index].phase = earlier
    return true
  }
}

// Handing out rows.
extension LaunchSchedule {
  /// Returns the next action and opens phases as the previous ones end.
  ///
  /// - Parameters:
  ///   - canWait: `true` if the runner can wait; otherwise it can only call work on its own actor.
  ///   - last: The last phase to open.
  /// - Returns: The action; `nil` if nothing can begin now.
  /// - Complexity: Amortized O(1); O(log *n*) for work that was added out of order.
  mutating func next(canWait: Bool, upTo last: LaunchPhase) -> LaunchStep? {
    while true {
      if !skipped.isEmpty, let index = skipped.popFirst().flatMap({ rows.index(of: $0) }) {
        open[rows[index].phase.index] -= 1
        let outcome = rows[index].outcome ?? .skipped(because: nil)
        rows[index].state = .ended(LaunchResult(outcome))
        return .skip(rows[index].registration, outcome)
      }
      if hopping == nil, let index = nextReady(canWait: canWait) { return begin(index, canWait) }
      guard open[phase.index] == 0, phase < last else { return nil }
      openNextPhase()
    }
  }

  /// Opens all phases, because those before the last one have ended.
  mutating func openLastPhase() {
    while phase < .idle { openNextPhase() }
  }

  /// A Boolean value that indicates whether a runner that can wait could begin something now.
  var hasNext: Bool {
    !skipped.isEmpty
      || hopping == nil && (calls.first != nil || hops.first != nil || canStartTask)
  }

  /// Records that a row has its turn.
  ///
  /// - Parameters:
  ///   - index: The index of the row.
  ///   - isDirect: `true` if the worker is called immediately, without a wait and without a condition.
  ///   - isCounted: `true` if the worker counts toward the width of the launch.
  mutating func handOut(_ index: Int, isDirect: Bool, isCounted: Bool = false) {
    lastTurn += 1
    let turn = LaunchRow.Turn(number: lastTurn, isCounted: isCounted)
    if isCounted { runningTasks += 1 }
    rows[index].state = isDirect ? .running(turn) : .starting(turn)
  }

  private var canStartTask: Bool { runningTasks < width && tasks.first != nil }

  /// Removes the turn of the lowest rank, discarding turns of rows that have ended, and returns the index
  /// of its row.
  private mutating func nextReady(canWait: Bool) -> Int? {
    while let turn = canWait ? popFirst() : calls.popFirst() {
      if let index = rows.index(of: turn.row), rows[index].isWaiting { return index }
    }
    return nil
  }

  private mutating func popFirst() -> RankedRow? {
    let call = calls.first?.rank ?? .max
    let hop = hops.first?.rank ?? .max
    let task = canStartTask ? tasks.first?.rank ?? .max : .max
    if call <= min(hop, task) { return calls.popFirst() }
    return hop < task ? hops.popFirst() : tasks.popFirst()
  }

  private mutating func begin(_ index: Int, _ canWait: Bool) -> LaunchStep {
    let isCalled = rows[index].isInline || !canWait
    let isDirect = isCalled && !rows[index].registration.hasCondition
    handOut(index, isDirect: isDirect, isCounted: rows[index].isAsynchronous)
    if !rows[index].isAsynchronous && !isCalled { hopping = rows[index].number }
    return .run(rows[index].registration, row: rows[index].number)
  }

  private mutating func openNextPhase() {
    guard let next = LaunchPhase.allCases.first(where: { $0 > phase }) else { return }
    phase = next
    openPhase()
  }

  /// Enqueues the rows of the phase that wait for no other row.
  private mutating func openPhase() {
    let planned = phases[phase.index]
    phases[phase.index] = []
    for row in planned {
      guard let index = rows.index(of: row), rows[index].phase == phase else { continue }
      if rows[index].isReady { enqueue(index) }
    }
  }

  /// Adds a row to the queue of its kind.
  mutating func enqueue(_ index: Int) {
    let turn = RankedRow(rank: rows[index].wait.rank, row: rows[index].number)
    if rows[index].isAsynchronous {
      tasks.insert(turn)
    } else if rows[index].isInline || rows[index].registration.home == home {
      calls.insert(turn)
    } else {
      hops.insert(turn)
    }
  }
}
