internal import EventBus

extension LaunchMachine {
  /// A piece of work and its progress, from which its entry in the report is made.
  package struct Row: Sendable {
    /// The state of a row.
    enum State: Sendable {
      /// It waits for its turn.
      case waiting
      /// It was handed out and has not begun: its condition is being evaluated, or it waits for its
      /// actor.
      case starting
      /// Its worker was called.
      case running
      /// Its outcome is determined, and is published before it is recorded.
      case ending
      /// It has its outcome without its turn, and the work is yet to be settled.
      case skipped
      /// It has its outcome.
      case ended
      /// It was withdrawn before its turn.
      case withdrawn
    }

    /// The work.
    package let item: LaunchItem
    /// Its number, ascending in order of registration, which also withdraws it.
    package let number: Int
    /// How the work is run: cached from the item, to avoid a cache miss.
    let kind: LaunchItem.Kind
    /// Its number among the registrations without a name on its line; zero if it has a name.
    var siteNumber = 0
    /// The phase in which it runs.
    var phase: LaunchPhase
    /// The progress.
    var state = State.waiting
    /// Its position in the planned order.
    var rank = 0
    /// The number of rows that it waits for.
    var blockers = 0
    /// The first and the last edge that leads to it, by their indices in the machine.
    var edges: (first: Int, last: Int)?
    /// Its number in the order in which workers were handed out, from one.
    var turn: Int?
    /// True if its worker runs in a task, or waits for that.
    var isInTask = false
    /// True if it counts toward the width of the launch.
    var isCounted = false
    /// The time at which its worker was called, from the beginning of the launch; `nil` if it was not.
    package internal(set) var start: Duration?
    /// The time that the worker took.
    var duration = Duration.zero
    /// The outcome, once it is determined and recorded.
    package internal(set) var outcome: LaunchOutcome?
    /// True if it timed out and has not returned.
    var isAbandoned = false
    /// True if it has finished, and was listed to be undone or closed.
    var isKept = false
    /// True if a rollback would undo it, or release the value that it made.
    var isUndone = false

    /// Creates a row that waits.
    package init(_ item: LaunchItem, number: Int) {
      self.item = item
      self.number = number
      kind = item.kind
      phase = item.phase
    }

    /// Creates a row of work that has ended.
    package init(
      _ item: LaunchItem,
      _ outcome: LaunchOutcome,
      turn: Int?,
      start: Duration?,
      duration: Duration
    ) {
      self.init(item, number: 0)
      state = .ended
      (self.outcome, self.turn, self.start, self.duration) = (outcome, turn, start, duration)
    }

    /// The name, derived from the source site if none was given.
    package var id: LaunchID { item.id ?? LaunchID(item.site, number: siteNumber) }

    /// True if it waits for nothing but its phase.
    var isReady: Bool { state == .waiting && blockers == 0 }

    /// True if its worker may still be called.
    var isPending: Bool { state == .waiting || state == .starting }

    /// True if it was handed out and has no outcome yet.
    var isOut: Bool { state == .starting || state == .running }

    /// True if nothing remains to be done.
    var isOver: Bool { state == .ended || state == .withdrawn }
  }
}

extension [LaunchMachine.Row] {
  /// Returns the index of the row with a number, or `nil` if it is not in the array, whose numbers ascend.
  ///
  /// - Complexity: O(1); O(log *n*) after rows were removed.
  func index(of row: Int) -> Int? { indices.index(ofNumber: row) { self[$0].number } }
}

extension LaunchReport {
  /// Creates a report from rows, whose entries are made on first access.
  package init(rows: [LaunchMachine.Row], total: Duration, problems: [LaunchError] = []) {
    self.init(total: total, problems: problems) { rows.compactMap(Entry.init) }
  }
}

extension LaunchReport.Entry {
  /// Creates an entry from a row; `nil` if the row has no outcome.
  init?(_ row: LaunchMachine.Row) {
    guard let outcome = row.outcome else { return nil }
    self.init(
      name: row.item.id,
      number: row.siteNumber,
      launchSite: row.item.site,
      phase: row.phase,
      start: row.start ?? .zero,
      duration: row.duration,
      outcome: outcome,
      turn: row.start == nil ? nil : row.turn,
      isSynchronous: row.kind != .task,
      dependencies: row.item.after + row.item.afterIfPresent,
      isAbandoned: row.isAbandoned
    )
  }
}

/// Faults in the dependencies of rows.
extension LaunchError {
  /// Describes a cycle.
  ///
  /// - Parameter path: A closed path: each row depends on the next one, and the last equals the first.
  init(cycle path: [LaunchMachine.Row]) {
    let sites = path.map { ($0.id, $0.item.site.source) }
    self.init(.cycle(path.map(\.id)), sites: Dictionary(sites) { first, _ in first })
  }

  /// Describes a name that is needed but not registered.
  ///
  init(missing id: LaunchID, neededBy row: LaunchMachine.Row, suggestion: LaunchID? = nil) {
    let sites = [row.id: row.item.site.source]
    self.init(.unknown(id, neededBy: row.id), sites: sites, suggestion: suggestion)
  }

  /// Describes a name that makes no value of the type that is needed.
  init(
    mismatch need: AnyLaunchKey,
    _ made: AnyLaunchKey?,
    at site: LaunchSite,
    neededBy row: LaunchMachine.Row? = nil
  ) {
    var sites = [need.name: site.source]
    if let row { sites[row.id] = row.item.site.source }
    let makes = made.map { "\($0.valueType)" }
    self.init(.mismatch(need.name, makes: makes, needed: "\(need.valueType)"), sites: sites)
  }
}

extension NameSuggestions {
  /// The number of faults in the dependencies of a launch for which the closest name is searched: a search
  /// visits every name.
  static var launchLimit: Int { 100 }

  /// Prepares the search among the names of rows.
  ///
  /// - Complexity: O(*n* log *n*).
  init(_ rows: [LaunchMachine.Row]) {
    self.init(rows.lazy.filter { $0.state != .withdrawn }.compactMap(\.item.id?.rawValue))
  }

  /// Returns the registered name closest to an unknown one, except that of the work that needs it.
  func nearest(to id: LaunchID, neededBy row: LaunchMachine.Row) -> LaunchID? {
    nearest(to: id.rawValue, except: row.item.id?.rawValue).map { LaunchID($0) }
  }
}

/// A set of small numbers from which the lowest is taken first.
///
/// A plain value: a bit for each number, because the ranks of a launch are dense.
package struct RankSet: Sendable {
  private var words: [UInt] = []
  /// The index of the first word with a bit that is set; the number of words if there is none.
  private var start = 0

  /// Creates an empty set.
  package init() {}

  /// The lowest number.
  ///
  /// - Complexity: O(1).
  package var first: Int? {
    start < words.count ? start * UInt.bitWidth + words[start].trailingZeroBitCount : nil
  }

  /// Inserts a number.
  ///
  /// - Complexity: O(1), and memory for a bit for each number up to it.
  package mutating func insert(_ number: Int) {
    let word = number / UInt.bitWidth
    start = first == nil ? word : min(start, word)
    while words.count <= word { words.append(0) }
    words[word] |= 1 << UInt(number % UInt.bitWidth)
  }

  /// Removes and returns the lowest number.
  ///
  /// - Complexity: Amortized O(1) while higher numbers are inserted than were removed; otherwise a word for each 64
  ///   numbers between two that are set.
  package mutating func popFirst() -> Int? {
    guard let first else { return nil }
    words[start] &= words[start] - 1
    while start < words.count, words[start] == 0 { start += 1 }
    return first
  }
}
