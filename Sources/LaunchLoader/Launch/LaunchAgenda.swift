/// Whose turn it is in a launch: the rows of those that take part, their phases, and who waits for whom.
///
///     phase opens ──▶ calls ─┐
///                     hops  ─┼─ lowest rank ──▶ running ──▶ ended ──▶ those that waited for it
///                     tasks ─┘
///
/// A plain value. A place is the number of a row; places are never given to another row, so that work that
/// was abandoned may report its end at any time.
struct LaunchAgenda: Sendable {
  /// The number of a row.
  typealias Place = Int

  /// What there is to do.
  enum Turn: Sendable {
    /// Run it.
    case run(LaunchRegistration, at: Place)
    /// Let go of it, for this reason.
    case skip(LaunchRegistration, LaunchOutcome)
  }

  /// One that waits for a row.
  struct Dependant: Sendable {
    /// Who waits.
    let place: Place
    /// Whether the row has to finish.
    let isHard: Bool
  }

  /// The rows of the launch and of what came after it, by place.
  var rows: [LaunchRow] = []
  /// The place of the first row, if they follow each other.
  private var base = 0
  /// The places of the rows, once some were taken out; empty while they follow each other.
  var keptPlaces: [Place] = []
  /// The place of the next row.
  var nextPlace = 0
  /// What waits for its phase, by phase.
  var phases: [[Place]] = Array(repeating: [], count: LaunchPhase.allCases.count)
  /// How many rows of each phase have not ended, those to be skipped included.
  var open = Array(repeating: 0, count: LaunchPhase.allCases.count)
  /// The phase that runs.
  var phase = LaunchPhase.early

  /// What may be called without waiting.
  var calls = LaunchQueue()
  /// What belongs to another actor.
  var hops = LaunchQueue()
  /// What gets a task.
  var tasks = LaunchQueue()
  /// How many asynchronous workers may run at once.
  let width: Int
  /// The actor that the launch began on.
  let home: ObjectIdentifier?
  /// How many asynchronous workers of the launch run.
  var runningTasks = 0
  /// The synchronous worker that runs on its actor; nothing else begins meanwhile.
  var hopping: Place?
  /// The rank given last.
  var lastRank = 0
  /// How many have begun.
  var lastTurn = 0

  /// What is to be let go of, from `skippedStart` on.
  var skipped: [Place] = []
  /// How many of these have been handed out.
  var skippedStart = 0
  /// How many each row still waits for; rows that wait for nobody are not in it.
  var waitCounts: [Place: Int] = [:]
  /// Who waits for each row.
  var dependants: [Place: [Dependant]] = [:]

  /// Creates an agenda with nothing on it.
  ///
  /// - Parameters:
  ///   - width: How many asynchronous workers may run at once.
  ///   - home: The actor that the launch begins on, as far as it is known.
  init(width: Int = .max, home: ObjectIdentifier? = nil) {
    self.width = width
    self.home = home
  }

  /// Whether the place is one of a row that is still here.
  func has(_ place: Place) -> Bool {
    let index = index(of: place)
    return rows.indices.contains(index) && self.place(at: index) == place
  }

  /// Where the row of a place is, or would be.
  ///
  /// - Complexity: O(1); O(log *n*) once rows were taken out.
  func index(of place: Place) -> Int {
    if keptPlaces.isEmpty { return place - base }
    var low = 0
    var high = keptPlaces.count
    while low < high {
      let middle = low + (high - low) / 2
      if keptPlaces[middle] < place { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The place of the row that stands there.
  func place(at index: Int) -> Place {
    keptPlaces.isEmpty ? base + index : keptPlaces[index]
  }

  /// The row of a place.
  func row(at place: Place) -> LaunchRow { rows[index(of: place)] }

  /// Whether the row of a place is here, was handed out, and its outcome is open.
  func isOut(_ place: Place) -> Bool {
    guard has(place) else { return false }
    let status = rows[index(of: place)].status
    return status == .starting || status == .running
  }

  /// The registration of a place.
  func registration(at place: Place) -> LaunchRegistration {
    rows[index(of: place)].registration
  }

  /// Whether a row has to wait for another one.
  func isWaiting(_ place: Place) -> Bool { waitCounts[place] != nil }

  /// Whether everything up to a phase has ended.
  func isOver(upTo last: LaunchPhase) -> Bool {
    open.prefix(last.index + 1).allSatisfy { $0 == 0 }
  }

  /// Says what there is to do, opening phases as those before them end.
  ///
  /// - Parameters:
  ///   - canWait: Whether the one that asks can do more than call what may be called on its actor.
  ///   - last: The last phase to open.
  /// - Returns: The turn; `nil` if nothing can begin now.
  /// - Complexity: Amortized O(1); O(log *n*) for what came out of order.
  mutating func next(canWait: Bool, upTo last: LaunchPhase) -> Turn? {
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

  /// Opens the last phase, because those before it have ended.
  mutating func openLastPhase() {
    while phase < .idle { openNextPhase() }
  }

  /// Whether anything could begin now, for one that can wait.
  var hasNext: Bool {
    skippedStart < skipped.count
      || hopping == nil && (calls.first != nil || hops.first != nil || canStartTask)
  }

  /// Notes that a row has its turn.
  ///
  /// - Parameters:
  ///   - place: The row.
  ///   - isDirect: Whether its worker is called at once, with nothing to wait for and nothing to ask.
  mutating func handOut(_ place: Place, isDirect: Bool) {
    lastTurn += 1
    rows[index(of: place)].turn = lastTurn
    rows[index(of: place)].status = isDirect ? .running : .starting
  }

  /// Hands all rows out when the last one has ended; places go on where they were.
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

  /// Hands the ended rows out if they are more than the others, and more than eight.
  ///
  /// - Complexity: Amortized O(1), and O(*d*) in the number of those that waited for a row.
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

  /// Takes the turn of the lowest rank; turns of rows that have ended meanwhile are passed over.
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

  private mutating func begin(_ place: Place, _ canWait: Bool) -> Turn {
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

  /// Gives those of the phase that wait for nobody their turns.
  mutating func openPhase() {
    let places = phases[phase.index]
    phases[phase.index] = []
    for place in places where rows[index(of: place)].phase == phase {
      guard waitCounts.isEmpty || waitCounts[place] == nil else { continue }
      if rows[index(of: place)].status == .waiting { enqueue(place) }
    }
  }

  /// Gives a row its turn among those of its kind.
  mutating func enqueue(_ place: Place) {
    let turn = LaunchTurn(rank: rows[index(of: place)].rank, place: place)
    switch rows[index(of: place)].registration.kind {
    case .inline: calls.insert(turn)
    case .isolated(let actor): if actor == home { calls.insert(turn) } else { hops.insert(turn) }
    case .asynchronous: tasks.insert(turn)
    }
  }
}
