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
    let index = indices.partitionPoint { self[$0].serial < serial }
    return index < count && self[index].serial == serial ? index : nil
  }
}

extension Range<Int> {
  /// Returns the first index that does not satisfy a predicate, which all indices before it satisfy.
  ///
  /// - Complexity: O(log *n*).
  func partitionPoint(_ precedes: (Int) -> Bool) -> Int {
    var (low, high) = (lowerBound, upperBound)
    while low < high {
      let middle = low + (high - low) / 2
      if precedes(middle) { low = middle + 1 } else { high = middle }
    }
    return low
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
  let number: Int
  /// The progress of the row.
  var status: Status
  /// Its position in the order of its phase.
  var rank = 0
  /// The phase in which it runs.
  var phase: LaunchPhase
  /// Its number in the order in which workers began, from one; `nil` if it did not run.
  var turn: Int?
  /// A Boolean value that indicates whether it counts towards the width of the launch.
  var isCounted = false
  /// A Boolean value that indicates whether it timed out and has not returned.
  var isAbandoned = false
  /// A Boolean value that indicates whether its worker may still be called.
  var isPending: Bool { status == .waiting || status == .starting }
  /// The times at which it ran.
  var times: LaunchTimes?
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

  private var numbers: [LaunchID: Int] = [:]
  private var entries: [(site: LaunchSite, standing: Standing)] = []
  private var free: [Int] = []

  /// Takes a name for a registration.
  ///
  /// - Returns: The number of the name, and the source site of its first registration if it was taken.
  /// - Complexity: Amortized O(1).
  mutating func take(_ id: LaunchID, at site: LaunchSite) -> (Int, taken: LaunchSite?) {
    let fresh = free.last ?? entries.count
    let number = Self.settle(&numbers[id], fresh)
    guard number == fresh else { return (number, entries[number].site) }
    let entry = (site: site, standing: Standing.pending(at: 0))
    if free.popLast() == nil { entries.append(entry) } else { entries[number] = entry }
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
    numbers[id].map { entries[$0].standing }
  }

  /// Stores the result of the work of a name.
  mutating func set(_ standing: Standing, for number: Int) {
    entries[number].standing = standing
  }

  /// A separate function, so that the name is hashed once.
  private static func settle(_ slot: inout Int?, _ fresh: Int) -> Int {
    if let number = slot { return number }
    slot = fresh
    return fresh
  }
}
