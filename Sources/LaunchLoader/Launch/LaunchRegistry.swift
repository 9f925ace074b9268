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

  private enum Stage {
    case collecting, launching, launched
  }

  private let policy: FailurePolicy
  private let width: Int
  private var stage = Stage.collecting
  private var isStopping = false
  /// Why nothing more begins, if that is so.
  private var halt: LaunchOutcome?
  private var verdict = LaunchSummary.Verdict.fine
  /// Whether the one that runs the launch was told to wait.
  private var isWaitedOn = false
  /// Whether somebody runs what comes after the launch.
  private var hasRunner = false
  private var errands: [Int: LaunchErrand] = [:]
  /// What finished and can be undone, in this order.
  private var finished: [Int] = []
  private var problems: [LaunchProblem] = []
  /// What the workers of the launch receive, once it has begun.
  package private(set) var options: LaunchOptions?
  private var roster = LaunchRoster()
  private var agenda = LaunchAgenda()
  private var names = LaunchNames()
  private var anonymous = LaunchSiteCounter()
  private var lastSerial: UInt64 = 0

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
}

// MARK: Registering

extension LaunchRegistry {
  /// Decides about a registration.
  ///
  /// - Complexity: Amortized O(1) before the launch; O(*d*) in the number of dependencies after that.
  package mutating func register(_ registration: LaunchRegistration) -> Acceptance {
    guard !isStopping else { return .refused }
    var name: Int?
    if let id = registration.id {
      let (number, taken) = names.take(id, at: registration.site)
      if let taken {
        recordDuplicate(registration, of: id)
        return .duplicate(of: id, at: taken)
      }
      name = number
    }
    let row = row(for: registration, name: name)
    switch stage {
    case .collecting:
      roster.append(row)
      return .kept(row.serial, .nobody)
    case .launching: return join(row)
    case .launched: return comeLate(row)
    }
  }

  /// Takes back a registration that has not begun, and gives its name free.
  ///
  /// What needs it is skipped, if the launch has begun.
  ///
  /// - Returns: The registration, to be dismissed, and whom to wake; `nil` if it is too late.
  /// - Complexity: O(log *n*), amortized.
  package mutating func withdraw(
    _ serial: UInt64
  ) -> (registration: LaunchRegistration, wake: LaunchWake)? {
    let row = stage == .collecting ? roster.withdraw(serial) : agenda.withdraw(serial)
    guard let row else { return nil }
    if let id = row.registration.id { names.release(id) }
    return (row.registration, wake())
  }

  /// The workers that a launch would run now, in order of registration.
  ///
  /// - Complexity: O(*n*).
  package var waitingRows: [LaunchRow] { roster.rows.filter { $0.status == .waiting } }

  private mutating func row(for registration: LaunchRegistration, name: Int?) -> LaunchRow {
    lastSerial += 1
    let isNameless = registration.id == nil && stage != .launched
    return LaunchRow(
      registration,
      serial: lastSerial,
      name: name,
      number: isNameless ? anonymous.next(at: registration.site) : 0,
      phase: registration.terms.phase
    )
  }

  private mutating func recordDuplicate(_ registration: LaunchRegistration, of id: LaunchID) {
    guard stage != .launched else { return }
    var row = row(for: registration, name: nil)
    row.status = .ended
    row.outcome = .duplicate(of: id)
    if stage == .collecting { roster.append(row) } else { _ = agenda.append(row) }
  }

  /// Adds a row to the running launch.
  private mutating func join(_ row: LaunchRow) -> Acceptance {
    var row = row
    row.phase = max(row.phase, agenda.phase)
    let unmet = unmetDependency(of: row)
    let place = add(row)
    if let halt {
      agenda.skip(place, halt)
    } else if let unmet {
      agenda.skip(place, .skipped(because: unmet))
    } else {
      connect(row, at: place)
      agenda.schedule(place)
    }
    return .kept(row.serial, wake())
  }

  /// Adds a row after the launch, unless it can be forgotten at once.
  private mutating func comeLate(_ row: LaunchRow) -> Acceptance {
    guard let options else { return .refused }
    if row.name == nil && row.registration.isPlain && row.registration.kind == .inline {
      return .runsNow(options, at: nil)
    }
    if let unmet = unmetDependency(of: row) {
      if let name = row.name { names.set(.failed, for: name) }
      return .skipped(because: unmet)
    }
    var row = row
    row.phase = .idle
    let place = add(row)
    connect(row, at: place)
    if agenda.isWaiting(place) {
      agenda.schedule(place)
      return .kept(row.serial, wake())
    }
    agenda.beginNow(place)
    return .runsNow(options, at: place)
  }

  private mutating func add(_ row: LaunchRow) -> Int {
    let place = agenda.append(row)
    if let name = row.name { names.set(.pending(at: place), for: name) }
    return place
  }

  /// What a newcomer needs and cannot have any more, if there is such a thing.
  private mutating func unmetDependency(of row: LaunchRow) -> LaunchID? {
    for id in row.registration.terms.after {
      if id == row.registration.id {
        note(.cycle([row, row]))
        return id
      }
      switch standing(of: id) {
      case nil:
        note(.missing(id, neededBy: row))
        return id
      case .failed: return id
      case .finished, .pending: break
      }
    }
    return nil
  }

  /// Makes a newcomer wait for what it depends on, and moves that to its phase.
  private mutating func connect(_ row: LaunchRow, at place: Int) {
    let terms = row.registration.terms
    for (index, id) in (terms.after + terms.afterIfPresent).enumerated() {
      guard case .pending(let target)? = standing(of: id), target != place else { continue }
      agenda.wait(place, for: target, isHard: index < terms.after.count)
      move(target, to: row.phase)
    }
  }

  private mutating func note(_ problem: LaunchProblem) {
    if stage == .launching { problems.append(problem) }
  }

  /// Moves a row, and what it depends on, to an earlier phase.
  private mutating func move(_ place: Int, to phase: LaunchPhase) {
    guard agenda.move(place, to: phase) else { return }
    let terms = agenda.row(at: place).registration.terms
    for id in terms.after + terms.afterIfPresent {
      if case .pending(let target)? = standing(of: id), target != place { move(target, to: phase) }
    }
  }

  private func standing(of id: LaunchID) -> LaunchNames.Standing? {
    let standing = names.standing(of: id)
    guard case .pending(let place)? = standing, agenda.has(place) else { return standing }
    let row = agenda.row(at: place)
    guard let outcome = row.outcome else { return standing }
    return outcome.isFinished ? .finished : .failed
  }
}

// MARK: Launching

extension LaunchRegistry {
  /// Begins the launch; the first caller wins.
  ///
  /// - Parameters:
  ///   - options: What the workers receive.
  ///   - actor: The actor that the launch begins on, as far as it is known.
  /// - Returns: Whether the caller runs the launch.
  /// - Complexity: That of ``LaunchPlanner/plan(_:)``.
  package mutating func claim(_ options: LaunchOptions, on actor: ObjectIdentifier? = nil) -> Bool {
    guard isCollecting else { return false }
    stage = .launching
    self.options = options
    agenda = LaunchAgenda(width: width, home: actor)
    if roster.isPlain { agenda.fill(from: &roster) } else { plan(roster.takeRows()) }
    for place in agenda.rows.indices {
      if let name = agenda.rows[place].name { names.set(.pending(at: place), for: name) }
    }
    return true
  }

  /// Says what the one that runs a launch does next.
  ///
  /// - Complexity: Amortized O(1); O(log *n*) where dependencies change the order.
  package mutating func next(for runner: Runner) -> Step {
    let last = stage == .launched ? LaunchPhase.idle : .late
    switch agenda.next(canWait: runner == .task, upTo: last) {
    case .run(let registration, let place)?: return .run(registration, at: place)
    case .skip(let registration, let outcome)?: return .skip(registration, outcome)
    case nil: break
    }
    if stage == .launched {
      hasRunner = false
      return .rest(takeEnded())
    }
    guard agenda.isOver(upTo: .late) else {
      isWaitedOn = true
      return .wait
    }
    if verdict != .fine, let place = finished.last {
      guard runner == .task else {
        isWaitedOn = true
        return .wait
      }
      finished.removeLast()
      return .undo(agenda.row(at: place).registration, at: place)
    }
    return isStopping ? refuseIdle(runner) ?? conclude() : conclude()
  }

  /// Remembers the tasks of a worker that has begun, so that cancelling reaches them.
  ///
  /// - Returns: Which of them the caller has to cancel.
  package mutating func adopt(
    _ errand: LaunchErrand,
    at place: Int
  ) -> (cancelsTask: Bool, cancelsWatch: Bool) {
    // Ended already: by itself, where cancelling changes nothing, or because it was given up.
    guard agenda.isRunning(place), !agenda.row(at: place).isEnding else { return (true, true) }
    errands[place] = errand
    return (halt != nil && stage == .launching, false)
  }

  /// Lets the task of a worker record its end, unless the worker was given up.
  ///
  /// - Returns: Whether the caller is to make the outcome known, and then to record it.
  package mutating func claimEnd(at place: Int) -> Bool {
    agenda.claimEnd(place, hasReturned: true)
  }

  /// Gives up on a worker that has taken too long, unless it has ended.
  ///
  /// - Returns: The worker, whose outcome the caller is to make known, and then to record; and the task to
  ///   cancel.
  package mutating func giveUp(_ place: Int) -> (LaunchRegistration, LaunchErrand?)? {
    guard agenda.claimEnd(place, hasReturned: false) else { return nil }
    return (agenda.registration(at: place), errands[place])
  }

  /// Records the end of a worker; `times` is `nil` if it did not run after all.
  ///
  /// Its outcome is known by then: whoever learns from here that the launch goes on can rely on that.
  ///
  /// - Returns: What to do, if there is anything.
  /// - Complexity: O(1), and O(*d*) in the number of those that waited for it.
  package mutating func end(
    at place: Int,
    _ times: LaunchTimes?,
    _ outcome: LaunchOutcome
  ) -> LaunchAftermath? {
    guard agenda.isRunning(place) else { return nil }
    return settle(place, times, outcome)
  }

  /// Records that a worker has been undone.
  package mutating func undone(_ place: Int) { agenda.setUndone(place) }

  /// Skips everything that has not begun.
  ///
  /// - Returns: The tasks to cancel, and whom to wake.
  package mutating func cancel() -> LaunchAftermath {
    guard stage == .launching, halt == nil else { return LaunchAftermath() }
    return halt(.skipped(because: nil))
  }

  /// Skips everything that has not begun, because the launch has taken too long.
  ///
  /// - Returns: The places of what runs, to be given up, and what to do.
  package mutating func expire() -> (
    running: [(place: Int, start: Duration?)], aftermath: LaunchAftermath
  ) {
    guard stage == .launching else { return ([], LaunchAftermath()) }
    if policy != .continue && verdict == .fine { verdict = .failed }
    let running = agenda.running.filter { agenda.row(at: $0).registration.kind != .inline }
      .map { (place: $0, start: errands[$0]?.start) }
    return (running, halt == nil ? halt(.skipped(because: nil)) : LaunchAftermath(wake: wake()))
  }

  /// Refuses all registrations from now on; a running launch goes on with what it has.
  ///
  /// - Returns: What to refuse because it will not begin any more, whether there will be no launch, and
  ///   whom to wake.
  package mutating func stop() -> (
    refused: [LaunchRegistration], endsAll: Bool, wake: LaunchWake
  ) {
    guard !isStopping else { return ([], false, .nobody) }
    isStopping = true
    switch stage {
    case .collecting:
      let rows = roster.takeRows().filter { $0.status == .waiting }
      return (rows.map(\.registration), true, .nobody)
    case .launching:
      return ([], false, .nobody)
    case .launched:
      agenda.skipAll(.refused)
      return ([], false, wake())
    }
  }

  private mutating func plan(_ rows: [LaunchRow]) {
    let places = rows.indices.filter { rows[$0].status == .waiting }
    let workers = places.map {
      LaunchPlanner.Worker(rows[$0].registration.id, rows[$0].registration.terms)
    }
    let schedule = LaunchPlanner.plan(workers)
    agenda.fill(rows, planned: places, schedule)
    problems = schedule.faults.map { LaunchProblem($0) { rows[places[$0]] } }
    if policy != .continue && !problems.isEmpty {
      verdict = .impossible
      _ = halt(.skipped(because: nil))
    }
  }

  private mutating func settle(
    _ place: Int,
    _ times: LaunchTimes?,
    _ outcome: LaunchOutcome
  ) -> LaunchAftermath? {
    agenda.end(place, times, outcome)
    var aftermath: LaunchAftermath?
    if !errands.isEmpty, let errand = errands.removeValue(forKey: place) {
      aftermath = LaunchAftermath(errand: errand)
    }
    if stage == .launching && policy != .continue {
      let registration = agenda.registration(at: place)
      if outcome.isFailure {
        aftermath = aftermath ?? LaunchAftermath()
        aftermath?.cancelled = fail(because: agenda.row(at: place).id)
      } else if policy == .rollback && registration.isUndoable && outcome.isFinished {
        finished.append(place)
      }
    }
    let wake = wake()
    if wake != .nobody || stage == .launched {
      aftermath = aftermath ?? LaunchAftermath()
      aftermath?.wake = wake
      if stage == .launched && !hasRunner { aftermath?.dropped = takeEnded() }
    }
    return aftermath
  }

  /// Stops the launch because of a worker.
  private mutating func fail(because id: LaunchID) -> [LaunchErrand] {
    verdict = .failed
    return halt == nil ? halt(.skipped(because: id)).cancelled : []
  }

  private mutating func halt(_ outcome: LaunchOutcome) -> LaunchAftermath {
    halt = outcome
    agenda.skipAll(outcome)
    return LaunchAftermath(cancelled: Array(errands.values), wake: wake())
  }

  /// The program is about to end: what was to come after the launch does not begin.
  private mutating func refuseIdle(_ runner: Runner) -> Step? {
    agenda.skipAll(from: .idle, .refused)
    guard case .skip(let registration, let outcome)? = agenda.next(canWait: false, upTo: .late)
    else { return nil }
    return .skip(registration, outcome)
  }

  private mutating func conclude() -> Step {
    stage = .launched
    let summary = LaunchSummary(rows: agenda.rows, problems: problems, verdict: verdict)
    problems = []
    finished = []
    agenda.openLastPhase()
    hasRunner = !agenda.isOver(upTo: .idle)
    _ = takeEnded()
    return .over(summary, goesOn: hasRunner)
  }

  /// Takes the rows out when all have ended, and remembers how those with names did.
  private mutating func takeEnded() -> [LaunchRow] {
    guard agenda.isOver(upTo: .idle) else { return [] }
    let rows = agenda.takeRows()
    for index in rows.indices where rows[index].status == .ended {
      guard let name = rows[index].name, let outcome = rows[index].outcome else { continue }
      names.set(outcome.isFinished ? .finished : .failed, for: name)
    }
    return rows
  }

  private mutating func wake() -> LaunchWake {
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
