/// Whose turn it is in a launch: the rows of those that take part, their phases, and who waits for whom.
///
///     phase opens ──▶ calls ─┐
///                     hops  ─┼─ lowest rank ──▶ running ──▶ ended ──▶ those that waited for it
///                     tasks ─┘
///
/// A plain value. A place is the number of a row; places are never given to another row, so that work that
/// was abandoned may report its end at any time.
internal struct LaunchAgenda: Sendable {
  /// The number of a row.
  internal typealias Place = Int

  /// What there is to do.
  internal enum Turn: Sendable {
    /// Run it.
    case run(LaunchRegistration, at: Place)
    /// Let go of it, for this reason.
    case skip(LaunchRegistration, LaunchOutcome)
  }

  private struct Dependant: Sendable {
    let place: Place
    let isHard: Bool
  }

  /// The rows of the launch and of what came after it, from `base` on.
  internal private(set) var rows: [LaunchRow] = []
  private var base = 0
  /// What waits for its phase, by phase.
  private var phases: [[Place]] = Array(repeating: [], count: LaunchPhase.allCases.count)
  /// How many rows of each phase have not ended, those to be skipped included.
  private var open = Array(repeating: 0, count: LaunchPhase.allCases.count)
  /// The phase that runs.
  internal private(set) var phase = LaunchPhase.early

  /// What may be called without waiting; what belongs to another actor; what gets a task.
  private var calls = LaunchQueue()
  private var hops = LaunchQueue()
  private var tasks = LaunchQueue()
  private let width: Int
  private let home: ObjectIdentifier?
  private var runningTasks = 0
  /// The synchronous worker that runs on its actor; nothing else begins meanwhile.
  private var hopping: Place?
  private var lastRank = 0
  private var lastTurn = 0

  private var skipped: [Place] = []
  private var skippedStart = 0
  /// How many each row still waits for; rows that wait for nobody are not in it.
  private var waitCounts: [Place: Int] = [:]
  private var dependants: [Place: [Dependant]] = [:]

  /// Creates an agenda with nothing on it.
  ///
  /// - Parameters:
  ///   - width: How many asynchronous workers may run at once.
  ///   - home: The actor that the launch begins on, as far as it is known.
  internal init(width: Int = .max, home: ObjectIdentifier? = nil) {
    self.width = width
    self.home = home
  }

  // MARK: Filling

  /// Puts the rows of a roster on an empty agenda, in their order, all in the usual phase.
  ///
  /// - Complexity: O(*n*).
  internal mutating func fill(from roster: inout LaunchRoster) {
    // Taken out by the one that changes them, because rows that two have are copied.
    rows = roster.takeRows()
    phase = .standard
    lastRank = rows.count
    for place in rows.indices where rows[place].status == .waiting {
      rows[place].rank = place
      open[phase.index] += 1
      enqueue(place)
    }
  }

  /// Puts rows on an empty agenda, as planned.
  ///
  /// - Parameters:
  ///   - rows: All rows.
  ///   - places: Those that were planned.
  ///   - schedule: The plan for them.
  /// - Complexity: O(*n* + *e*) in the numbers of rows and of dependencies.
  internal mutating func fill(
    _ rows: [LaunchRow],
    planned places: [Place],
    _ schedule: LaunchPlanner.Schedule
  ) {
    self.rows = rows
    for (index, place) in places.enumerated() {
      self.rows[place].phase = schedule.phases[index]
      open[schedule.phases[index].index] += 1
    }
    for (rank, index) in schedule.order.enumerated() {
      let place = places[index]
      self.rows[place].rank = rank
      phases[schedule.phases[index].index].append(place)
      for edge in schedule.waits[index] where schedule.excluded[edge.target] == nil {
        wait(place, for: places[edge.target], isHard: edge.isHard)
      }
    }
    for index in schedule.excluded.keys.sorted() {
      skip(places[index], .skipped(because: schedule.excluded[index]))
    }
    lastRank = rows.count
    openPhase()
  }

  /// Adds a row, behind those that are there.
  ///
  /// - Returns: Its place.
  internal mutating func append(_ row: LaunchRow) -> Place {
    rows.append(row)
    let place = base + rows.count - 1
    if row.status == .waiting { open[row.phase.index] += 1 }
    return place
  }

  /// Makes a row wait for another one, which has not ended.
  internal mutating func wait(_ place: Place, for target: Place, isHard: Bool) {
    waitCounts[place, default: 0] += 1
    dependants[target, default: []].append(Dependant(place: place, isHard: isHard))
  }

  /// Gives a row that was added its turn, now or when its phase and what it waits for allow.
  internal mutating func schedule(_ place: Place) {
    lastRank += 1
    rows[place - base].rank = lastRank
    if rows[place - base].phase > phase {
      phases[rows[place - base].phase.index].append(place)
    } else if waitCounts[place] == nil {
      enqueue(place)
    }
  }

  /// Moves a waiting row to an earlier phase, because something of that phase waits for it.
  ///
  /// - Returns: Whether it was in a later one.
  internal mutating func move(_ place: Place, to earlier: LaunchPhase) -> Bool {
    let later = rows[place - base].phase
    guard rows[place - base].status == .waiting && later > earlier else { return false }
    open[later.index] -= 1
    open[earlier.index] += 1
    rows[place - base].phase = earlier
    schedule(place)
    return true
  }

  // MARK: Running

  /// Whether the place is one of a row that is still here.
  internal func has(_ place: Place) -> Bool { rows.indices.contains(place - base) }

  /// The row of a place.
  internal func row(at place: Place) -> LaunchRow { rows[place - base] }

  /// Whether the row of a place is here, and runs.
  internal func isRunning(_ place: Place) -> Bool {
    has(place) && rows[place - base].status == .running
  }

  /// The registration of a place.
  internal func registration(at place: Place) -> LaunchRegistration {
    rows[place - base].registration
  }

  /// Whether a row has to wait for another one.
  internal func isWaiting(_ place: Place) -> Bool { waitCounts[place] != nil }

  /// Whether everything up to a phase has ended.
  internal func isOver(upTo last: LaunchPhase) -> Bool {
    open.prefix(last.index + 1).allSatisfy { $0 == 0 }
  }

  /// Says what there is to do, opening phases as those before them end.
  ///
  /// - Parameters:
  ///   - canWait: Whether the one that asks can do more than call what may be called on its actor.
  ///   - last: The last phase to open.
  /// - Returns: The turn; `nil` if nothing can begin now.
  /// - Complexity: Amortized O(1); O(log *n*) for what came out of order.
  internal mutating func next(canWait: Bool, upTo last: LaunchPhase) -> Turn? {
    while true {
      if let place = nextSkipped() {
        open[rows[place - base].phase.index] -= 1
        return .skip(
          rows[place - base].registration,
          rows[place - base].outcome ?? .skipped(because: nil)
        )
      }
      if hopping == nil, let place = nextReady(canWait: canWait) { return begin(place, canWait) }
      guard open[phase.index] == 0, phase < last else { return nil }
      openNextPhase()
    }
  }

  /// Opens the last phase, because those before it have ended.
  internal mutating func openLastPhase() {
    while phase < .idle { openNextPhase() }
  }

  /// Whether anything could begin now, for one that can wait.
  internal var hasNext: Bool {
    skippedStart < skipped.count
      || hopping == nil && (calls.first != nil || hops.first != nil || canStartTask)
  }

  /// Notes that a row that was added runs already.
  internal mutating func beginNow(_ place: Place) {
    lastTurn += 1
    rows[place - base].turn = lastTurn
    rows[place - base].status = .running
  }

  /// Records the end of a row that ran, or was to run.
  ///
  /// What needs it is skipped if it did not finish; what else waits for it may have its turn.
  ///
  /// - Complexity: O(*d*) in the number of those that wait for it, and for those that are skipped.
  internal mutating func end(_ place: Place, _ times: LaunchTimes?, _ outcome: LaunchOutcome) {
    guard rows[place - base].status == .running else { return }
    if rows[place - base].isCounted { runningTasks -= 1 }
    if hopping == place { hopping = nil }
    open[rows[place - base].phase.index] -= 1
    // Who was called directly needs no claim, and has returned.
    if !rows[place - base].isEnding { rows[place - base].hasReturned = true }
    if times == nil { rows[place - base].turn = nil }
    rows[place - base].times = times
    rows[place - base].outcome = outcome
    rows[place - base].status = .ended
    release(place, isFinished: outcome.isFinished)
  }

  /// Lets one record the end of a row that runs: its work, or whoever gives it up.
  ///
  /// - Returns: Whether nobody else does or did.
  internal mutating func claimEnd(_ place: Place, hasReturned: Bool) -> Bool {
    guard has(place) else { return false }
    if hasReturned { rows[place - base].hasReturned = true }
    guard rows[place - base].status == .running, !rows[place - base].isEnding else { return false }
    rows[place - base].isEnding = true
    return true
  }

  /// Marks a row as undone.
  internal mutating func setUndone(_ place: Place) { rows[place - base].outcome = .undone }

  /// Takes a waiting row out; what needs it is skipped.
  ///
  /// - Returns: The row, or `nil` if it does not wait.
  internal mutating func withdraw(_ serial: UInt64) -> LaunchRow? {
    guard let index = rows.place(of: serial), rows[index].status == .waiting else { return nil }
    rows[index].status = .withdrawn
    open[rows[index].phase.index] -= 1
    release(base + index, isFinished: false)
    return rows[index]
  }

  /// Gives a waiting row an outcome without its turn.
  internal mutating func skip(_ place: Place, _ outcome: LaunchOutcome) {
    guard rows[place - base].status == .waiting else { return }
    markSkipped(place, outcome)
    release(place, isFinished: false)
  }

  /// Gives every waiting row of some phases an outcome without its turn.
  internal mutating func skipAll(from first: LaunchPhase = .early, _ outcome: LaunchOutcome) {
    for index in rows.indices where rows[index].status == .waiting && rows[index].phase >= first {
      markSkipped(base + index, outcome)
    }
  }

  /// The places of the rows that run.
  internal var running: [Place] {
    rows.indices.filter { rows[$0].status == .running }.map { base + $0 }
  }

  /// Hands all rows out when the last one has ended; places go on where they were.
  internal mutating func takeRows() -> [LaunchRow] {
    let ended = rows
    base += ended.count
    rows = []
    waitCounts = [:]
    dependants = [:]
    skipped = []
    skippedStart = 0
    for index in phases.indices { phases[index] = [] }
    calls = LaunchQueue()
    hops = LaunchQueue()
    tasks = LaunchQueue()
    return ended
  }

  // MARK: Details

  private var canStartTask: Bool { runningTasks < width && tasks.first != nil }

  private mutating func nextSkipped() -> Place? {
    guard skippedStart < skipped.count else { return nil }
    defer { skippedStart += 1 }
    return skipped[skippedStart]
  }

  /// Takes the turn of the lowest rank; turns of rows that have ended meanwhile are passed over.
  private mutating func nextReady(canWait: Bool) -> Place? {
    while let turn = canWait ? takeFirst() : calls.removeFirst() {
      if rows[turn.place - base].status == .waiting { return turn.place }
    }
    return nil
  }

  private mutating func takeFirst() -> LaunchTurn? {
    let call = calls.first?.rank ?? .max
    let hop = hops.first?.rank ?? .max
    let task = runningTasks < width ? tasks.first?.rank ?? .max : .max
    if call <= min(hop, task) { return calls.removeFirst() }
    return hop < task ? hops.removeFirst() : tasks.removeFirst()
  }

  private mutating func begin(_ place: Place, _ canWait: Bool) -> Turn {
    beginNow(place)
    let registration = rows[place - base].registration
    switch registration.kind {
    case .inline:
      break
    case .isolated:
      if canWait { hopping = place }
    case .asynchronous:
      rows[place - base].isCounted = true
      runningTasks += 1
    }
    return .run(registration, at: place)
  }

  private mutating func openNextPhase() {
    guard let next = LaunchPhase.allCases.first(where: { $0 > phase }) else { return }
    phase = next
    openPhase()
  }

  /// Gives those of the phase that wait for nobody their turns.
  private mutating func openPhase() {
    let places = phases[phase.index]
    phases[phase.index] = []
    for place in places where rows[place - base].phase == phase {
      guard waitCounts.isEmpty || waitCounts[place] == nil else { continue }
      if rows[place - base].status == .waiting { enqueue(place) }
    }
  }

  private mutating func enqueue(_ place: Place) {
    let turn = LaunchTurn(rank: rows[place - base].rank, place: place)
    switch rows[place - base].registration.kind {
    case .inline: calls.insert(turn)
    case .isolated(let actor): if actor == home { calls.insert(turn) } else { hops.insert(turn) }
    case .asynchronous: tasks.insert(turn)
    }
  }

  /// Tells those that wait for a row that it has ended; those that needed it are skipped, and so on.
  private mutating func release(_ place: Place, isFinished: Bool) {
    guard !dependants.isEmpty, let first = dependants.removeValue(forKey: place) else { return }
    var ended = [(place: place, isFinished: isFinished, dependants: first)]
    while let (place, isFinished, dependants) = ended.popLast() {
      for dependant in dependants where rows[dependant.place - base].status == .waiting {
        if isFinished || !dependant.isHard {
          settle(dependant.place)
        } else {
          markSkipped(dependant.place, .skipped(because: rows[place - base].id))
          let next = self.dependants.removeValue(forKey: dependant.place) ?? []
          ended.append((dependant.place, false, next))
        }
      }
    }
  }

  /// Counts one fewer that a row waits for.
  private mutating func settle(_ place: Place) {
    guard let count = waitCounts[place] else { return }
    waitCounts[place] = count > 1 ? count - 1 : nil
    if count == 1 && rows[place - base].phase <= phase { enqueue(place) }
  }

  private mutating func markSkipped(_ place: Place, _ outcome: LaunchOutcome) {
    rows[place - base].status = .ended
    rows[place - base].outcome = outcome
    skipped.append(place)
  }
}
