/// The registrations of a loader in their order, before its launch.
///
/// A plain value.
struct LaunchRoster: Sendable {
  /// The rows, in order of registration.
  private(set) var rows: [LaunchRow] = []
  /// Whether there is nothing to plan: no dependencies, and no phase but the usual one.
  private(set) var isPlain = true
  private var withdrawnCount = 0

  /// Creates an empty roster.
  init() {}

  /// Adds a registration at the end.
  ///
  /// - Complexity: Amortized O(1).
  mutating func append(_ row: LaunchRow) {
    if !row.registration.isPlain { isPlain = false }
    rows.append(row)
  }

  /// Takes a waiting registration out.
  ///
  /// Until gaps are closed, what was withdrawn takes at most as many places as rows, or eight.
  ///
  /// - Returns: The row, or `nil` if it does not wait.
  /// - Complexity: O(log *n*), amortized.
  mutating func withdraw(_ serial: UInt64) -> LaunchRow? {
    guard let place = rows.place(of: serial), rows[place].status == .waiting else { return nil }
    rows[place].status = .withdrawn
    let row = rows[place]
    withdrawnCount += 1
    if withdrawnCount > max(8, rows.count / 2) { closeGaps() }
    return row
  }

  /// Hands all rows out.
  ///
  /// - Complexity: O(1), or O(*n*) if there are gaps to close.
  mutating func takeRows() -> [LaunchRow] {
    closeGaps()
    defer { self = LaunchRoster() }
    return rows
  }

  private mutating func closeGaps() {
    guard withdrawnCount > 0 else { return }
    rows.removeAll { $0.status == .withdrawn }
    withdrawnCount = 0
  }
}

extension [LaunchRow] {
  /// Where the row of a number is, if it is there.
  ///
  /// - Complexity: O(log *n*).
  func place(of serial: UInt64) -> Int? {
    var low = 0
    var high = count
    while low < high {
      let middle = low + (high - low) / 2
      if self[middle].serial < serial { low = middle + 1 } else { high = middle }
    }
    return low < count && self[low].serial == serial ? low : nil
  }
}

/// One registration in a roster: a row of the report in the making.
package struct LaunchRow: Sendable {
  /// How far a row has come.
  enum Status: Sendable {
    /// Its turn is to come.
    case waiting
    /// It was taken back before its turn.
    case withdrawn
    /// It was handed out and has not begun: its condition is asked, or it waits for its actor.
    case starting
    /// Its worker was called.
    case running
    /// Its outcome is certain and is being recorded.
    case ending
    /// It has its outcome.
    case ended
  }

  /// The registration.
  package let registration: LaunchRegistration
  /// The number that withdraws it; rows are in this order.
  let serial: UInt64
  /// The number of its name, or `nil` if it holds none.
  let name: Int?
  /// The how-manieth nameless one of its line it is; zero if it was given a name.
  package let number: Int
  /// How far it has come.
  var status: Status
  /// Its place in the order of its phase.
  var rank = 0
  /// The phase that it belongs to.
  package internal(set) var phase: LaunchPhase
  /// How many began before it; `nil` if it did not run.
  package internal(set) var turn: Int?
  /// Whether it takes up room in the width of the launch.
  var isCounted = false
  /// Whether it timed out and has not returned.
  var isAbandoned = false
  /// Whether its worker has not been called and still may be.
  var isPending: Bool { status == .waiting || status == .starting }
  /// When it ran, once it has.
  package internal(set) var times: LaunchTimes?
  /// How it ended, once it has.
  package internal(set) var outcome: LaunchOutcome?

  /// Creates a row that waits.
  init(
    _ registration: LaunchRegistration,
    serial: UInt64,
    name: Int?,
    number: Int,
    phase: LaunchPhase
  ) {
    self.registration = registration
    self.serial = serial
    self.name = name
    self.number = number
    self.phase = phase
    status = .waiting
  }

  /// The name, made from the place in the source if it was given none.
  package var id: LaunchID {
    registration.id ?? LaunchID(registration.site, number: number)
  }
}

/// The names that are taken, who has them, and how that ended.
///
/// It remembers every name there ever was in the loader, and nothing of registrations without one.
struct LaunchNames: Sendable {
  /// How it stands with the work of a name.
  enum Standing: Sendable {
    /// It has not ended; while a launch runs, this is its row.
    case pending(at: Int)
    /// It finished.
    case finished
    /// It ended in another way.
    case failed
  }

  private struct Mark: Sendable {
    var site: LaunchSite
    var standing: Standing
  }

  private var numbers: [LaunchID: Int] = [:]
  private var marks: [Mark] = []
  private var free: [Int] = []

  /// Takes a name for a registration.
  ///
  /// - Returns: The number of the name, and, if it was taken before, where.
  /// - Complexity: Amortized O(1).
  mutating func take(_ id: LaunchID, at site: LaunchSite) -> (Int, taken: LaunchSite?) {
    let fresh = free.last ?? marks.count
    let number = Self.settle(&numbers[id], fresh)
    guard number == fresh else { return (number, marks[number].site) }
    let mark = Mark(site: site, standing: .pending(at: 0))
    if free.popLast() == nil { marks.append(mark) } else { marks[number] = mark }
    return (number, nil)
  }

  /// Gives a name free, as if it had never been taken.
  ///
  /// - Complexity: O(1).
  mutating func release(_ id: LaunchID) {
    if let number = numbers.removeValue(forKey: id) { free.append(number) }
  }

  /// How it stands with the work of a name; `nil` if nobody has it.
  func standing(of id: LaunchID) -> Standing? {
    numbers[id].map { marks[$0].standing }
  }

  /// Records how it stands with the work of a name.
  mutating func set(_ standing: Standing, for number: Int) {
    marks[number].standing = standing
  }

  /// In a function of its own, so that the name is hashed once.
  private static func settle(_ slot: inout Int?, _ fresh: Int) -> Int {
    if let number = slot { return number }
    slot = fresh
    return fresh
  }
}
