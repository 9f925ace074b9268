/// The registrations of a loader before its launch, in order.
///
/// A plain value.
struct LaunchRoster: Sendable {
  /// The rows, in order of registration.
  private(set) var rows: [LaunchRow] = []
  /// A Boolean value that indicates whether no planning is needed: no dependencies and only the
  /// standard phase.
  private(set) var isPlain = true
  private var withdrawnCount = 0

  init() {}

  /// Appends a registration.
  ///
  /// - Complexity: Amortized O(1).
  mutating func append(_ row: LaunchRow) {
    if !row.registration.isPlain { isPlain = false }
    rows.append(row)
  }

  /// Withdraws a waiting registration.
  ///
  /// Until the roster is compacted, withdrawn rows number at most half of all rows, or eight.
  ///
  /// - Returns: The row; `nil` if it is not waiting.
  /// - Complexity: O(log *n*), amortized.
  mutating func withdraw(_ serial: UInt64) -> LaunchRow? {
    guard let place = rows.place(of: serial), rows[place].status == .waiting else { return nil }
    rows[place].status = .withdrawn
    let row = rows[place]
    withdrawnCount += 1
    if withdrawnCount > max(8, rows.count / 2) { closeGaps() }
    return row
  }

  /// Removes and returns all rows.
  ///
  /// - Complexity: O(1); O(*n*) if there are gaps to close.
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
  /// Returns the index of the row with a number.
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

/// The state of one registration, from which its entry in the report is made.
package struct LaunchRow: Sendable {
  /// The progress of a row.
  enum Status: Sendable {
    /// It waits for its turn.
    case waiting
    /// It was withdrawn before its turn.
    case withdrawn
    /// It was handed out and has not begun: its condition is being evaluated, or it waits for its
    /// actor.
    case starting
    /// Its worker was called.
    case running
    /// Its outcome is determined and is being recorded.
    case ending
    /// It has its outcome.
    case ended
  }

  /// The registration.
  package let registration: LaunchRegistration
  /// The number that withdraws it, ascending in order of registration.
  let serial: UInt64
  /// The number of its name; `nil` if it has none.
  let name: Int?
  /// Its number among the registrations without a name on its line; zero if it has a name.
  package let number: Int
  /// The progress of the row.
  var status: Status
  /// Its position in the order of its phase.
  var rank = 0
  /// The phase in which it runs.
  package internal(set) var phase: LaunchPhase
  /// Its number in the order in which workers began, from one; `nil` if it did not run.
  package internal(set) var turn: Int?
  /// A Boolean value that indicates whether it counts towards the width of the launch.
  var isCounted = false
  /// A Boolean value that indicates whether it timed out and has not returned.
  var isAbandoned = false
  /// A Boolean value that indicates whether its worker may still be called.
  var isPending: Bool { status == .waiting || status == .starting }
  /// The times at which it ran.
  package internal(set) var times: LaunchTimes?
  /// The outcome, once it has ended.
  package internal(set) var outcome: LaunchOutcome?

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

  /// The name, derived from the source site if none was given.
  package var id: LaunchID {
    registration.id ?? LaunchID(registration.site, number: number)
  }
}

/// The names that are taken, with the source sites and the results of their registrations.
///
/// Every name ever registered is kept; registrations without a name leave no trace.
struct LaunchNames: Sendable {
  /// The result of the work of a name.
  enum Standing: Sendable {
    /// It has not ended; during a launch, this is the place of its row.
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
  /// - Returns: The number of the name, and the source site of its first registration if it was taken.
  /// - Complexity: Amortized O(1).
  mutating func take(_ id: LaunchID, at site: LaunchSite) -> (Int, taken: LaunchSite?) {
    let fresh = free.last ?? marks.count
    let number = Self.settle(&numbers[id], fresh)
    guard number == fresh else { return (number, marks[number].site) }
    let mark = Mark(site: site, standing: .pending(at: 0))
    if free.popLast() == nil { marks.append(mark) } else { marks[number] = mark }
    return (number, nil)
  }

  /// Frees a name, as if it had never been taken.
  ///
  /// - Complexity: O(1).
  mutating func release(_ id: LaunchID) {
    if let number = numbers.removeValue(forKey: id) { free.append(number) }
  }

  /// Returns the result of the work of a name; `nil` if the name is not taken.
  func standing(of id: LaunchID) -> Standing? {
    numbers[id].map { marks[$0].standing }
  }

  /// Stores the result of the work of a name.
  mutating func set(_ standing: Standing, for number: Int) {
    marks[number].standing = standing
  }

  /// A separate function, so that the name is hashed once.
  private static func settle(_ slot: inout Int?, _ fresh: Int) -> Int {
    if let number = slot { return number }
    slot = fresh
    return fresh
  }
}
