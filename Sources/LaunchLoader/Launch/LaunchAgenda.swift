/// The scheduling of a launch: its rows, their phases, and the rows that wait for other rows.
///
///     phase opens ──▶ calls ─┐
///                     hops  ─┼─ lowest rank ──▶ running ──▶ ended ──▶ dependants
///                     tasks ─┘
///
/// A plain value. A place is the number of a row. Places are never reused, so abandoned work may report
/// its end at any time.
struct LaunchAgenda: Sendable {
  /// The number of a row.
  typealias Place = Int

  /// A row that waits for another row, which must finish if `isHard` is `true`, and otherwise only end.
  typealias Dependant = (place: Place, isHard: Bool)

  /// The rows of the launch and of the work after it, by place.
  var rows: [LaunchRow] = []
  /// The place of the first row, while places are consecutive.
  private var base = 0
  /// The places of the rows after some rows were removed; empty while places are consecutive.
  var keptPlaces: [Place] = []
  /// The place of the next row to be added.
  var nextPlace = 0
  /// The places that wait for their phase, by phase.
  var phases: [[Place]] = Array(repeating: [], count: LaunchPhase.allCases.count)
  /// The number of rows of each phase that have not ended, including those to be skipped.
  var open = Array(repeating: 0, count: LaunchPhase.allCases.count)
  /// The current phase.
  var phase = LaunchPhase.early

  /// Work that can be called directly.
  var calls = LaunchQueue()
  /// Work that belongs to another actor.
  var hops = LaunchQueue()
  /// Work that runs in tasks.
  var tasks = LaunchQueue()
  /// The number of asynchronous workers that may run at once.
  let width: Int
  /// The actor on which the launch began.
  let home: ObjectIdentifier?
  /// The number of asynchronous workers of the launch that run.
  var runningTasks = 0
  /// The synchronous worker that runs on its actor; nothing else begins meanwhile.
  var hopping: Place?
  /// The most recently assigned rank.
  var lastRank = 0
  /// The most recently assigned turn.
  var lastTurn = 0

  /// The places to be dismissed, from `skippedStart` on.
  var skipped: [Place] = []
  /// The number of these places that were handed out.
  var skippedStart = 0
  /// The number of rows that each row still waits for; rows that wait for none are absent.
  var waitCounts: [Place: Int] = [:]
  /// The rows that wait for each row.
  var dependants: [Place: [Dependant]] = [:]

  /// Creates an empty agenda.
  ///
  /// - Parameters:
  ///   - width: The number of asynchronous workers that may run at once.
  ///   - home: The actor on which the launch begins, if it is known.
  init(width: Int = .max, home: ObjectIdentifier? = nil) {
    self.width = width
    self.home = home
  }

  /// Indicates whether the agenda still contains the row of a place.
  func has(_ place: Place) -> Bool {
    let index = index(of: place)
    return rows.indices.contains(index) && self.place(at: index) == place
  }

  /// Returns the index at which the row of a place is, or would be.
  ///
  /// - Complexity: O(1); O(log *n*) after rows were removed.
  func index(of place: Place) -> Int {
    if keptPlaces.isEmpty { return place - base }
    return keptPlaces.indices.partitionPoint { keptPlaces[$0] < place }
  }

  func place(at index: Int) -> Place {
    keptPlaces.isEmpty ? base + index : keptPlaces[index]
  }

  func row(at place: Place) -> LaunchRow { rows[index(of: place)] }

  /// Indicates whether a row was handed out and has no outcome yet.
  func isOut(_ place: Place) -> Bool {
    guard has(place) else { return false }
    let status = rows[index(of: place)].status
    return status == .starting || status == .running
  }

  func registration(at place: Place) -> LaunchRegistration {
    rows[index(of: place)].registration
  }

  /// Indicates whether all phases up to and including `last` have ended.
  func isOver(upTo last: LaunchPhase) -> Bool {
    open.prefix(last.index + 1).allSatisfy { $0 == 0 }
  }

  /// Returns the next action and opens phases as the previous ones end.
  ///
  /// - Parameters:
  ///   - canWait: `true` if the runner can wait; otherwise it can only call work on its own actor.
  ///   - last: The last phase to open.
  /// - Returns: The action; `nil` if nothing can begin now.
  /// - Complexity: Amortized O(1); O(log *n*) for work that was added out of order.
  mutating func next(canWait: Bool, upTo last: LaunchPhase) -> LaunchRegistry.Step? {
    while true {
      if let place = nextSkipped() {
        open[rows[index(of: place)].phase.index] -= 1
        return .skip(
          rows[index(of: place)].registration,
          rows[index(of: place)].outcome ?? .skipped(because: nil)
        )
      }
      if hopping == nil, let place = nextReady(canWait: canWait) { return begin(place, canWait) }
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
    skippedStart < skipped.count
      || hopping == nil && (calls.first != nil || hops.first != nil || canStartTask)
  }

  /// Records that a row has its turn.
  ///
  /// - Parameters:
  ///   - place: The row.
  ///   - isDirect: `true` if the worker is called immediately, without a wait and without a condition.
  mutating func handOut(_ place: Place, isDirect: Bool) {
    lastTurn += 1
    rows[index(of: place)].turn = lastTurn
    rows[index(of: place)].status = isDirect ? .running : .starting
  }

  /// Removes and returns all rows when the last one has ended; the numbering of places continues.
  mutating func takeRows() -> [LaunchRow] {
    let ended = rows
    base = nextPlace
    keptPlaces = []
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

  /// Removes and returns the ended rows if they outnumber the others and are more than eight.
  ///
  /// - Complexity: Amortized O(1), and O(*d*) in the number of dependants of a row.
  mutating func takeEndedRows() -> [LaunchRow] {
    guard rows.count > max(8, 2 * open.reduce(0, +)) else { return [] }
    let toBeSkipped = Set(skipped[skippedStart...])
    var (ended, kept): ([LaunchRow], [LaunchRow]) = ([], [])
    var places: [Place] = []
    for (index, row) in rows.enumerated() {
      let place = place(at: index)
      let hasEnded = row.status == .ended || row.status == .withdrawn
      if hasEnded && !toBeSkipped.contains(place) {
        ended.append(row)
        waitCounts[place] = nil
        dependants[place] = nil
      } else {
        kept.append(row)
        places.append(place)
      }
    }
    (rows, keptPlaces) = (kept, places)
    for (place, waiting) in dependants { dependants[place] = waiting.filter { has($0.place) } }
    skipped = Array(skipped[skippedStart...])
    skippedStart = 0
    return ended
  }

  private var canStartTask: Bool { runningTasks < width && tasks.first != nil }

  private mutating func nextSkipped() -> Place? {
    guard skippedStart < skipped.count else { return nil }
    defer { skippedStart += 1 }
    return skipped[skippedStart]
  }

  /// Removes the turn of the lowest rank, discarding turns of rows that have ended.
  private mutating func nextReady(canWait: Bool) -> Place? {
    while let turn = canWait ? takeFirst() : calls.removeFirst() {
      guard has(turn.place) else { continue }
      if rows[index(of: turn.place)].status == .waiting { return turn.place }
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

  private mutating func begin(_ place: Place, _ canWait: Bool) -> LaunchRegistry.Step {
    let registration = rows[index(of: place)].registration
    let isCalled = registration.kind == .inline || !canWait
    handOut(place, isDirect: isCalled && !registration.hasCondition)
    switch registration.kind {
    case .inline:
      break
    case .isolated:
      if canWait { hopping = place }
    case .asynchronous:
      rows[index(of: place)].isCounted = true
      runningTasks += 1
    }
    return .run(registration, at: place)
  }

  private mutating func openNextPhase() {
    guard let next = LaunchPhase.allCases.first(where: { $0 > phase }) else { return }
    phase = next
    openPhase()
  }

  /// Enqueues the rows of the phase that wait for no other row.
  mutating func openPhase() {
    let places = phases[phase.index]
    phases[phase.index] = []
    for place in places where rows[index(of: place)].phase == phase {
      guard waitCounts.isEmpty || waitCounts[place] == nil else { continue }
      if rows[index(of: place)].status == .waiting { enqueue(place) }
    }
  }

  /// Adds a row to the queue of its kind.
  mutating func enqueue(_ place: Place) {
    let turn = LaunchTurn(rank: rows[index(of: place)].rank, place: place)
    switch rows[index(of: place)].registration.kind {
    case .inline: calls.insert(turn)
    case .isolated(let actor): if actor == home { calls.insert(turn) } else { hops.insert(turn) }
    case .asynchronous: tasks.insert(turn)
    }
  }
}
