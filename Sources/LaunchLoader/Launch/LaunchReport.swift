public import EventBus

/// What a launch did: each piece of work, when it began, how long it took and how it ended.
///
/// ```swift
/// let report = try await LaunchLoader.shared.launch()
/// print(report)  // a bar chart of 80 columns
/// ```
///
/// ## Thread safety
///
/// A value that does not change any more; it may be read on any thread.
public struct LaunchReport: Sendable {
  /// Every registration that took part, in the order of registration, refused duplicates included.
  ///
  /// A registration that was cancelled before it began is not among them, nor is work of the phase `idle`
  /// that had not ended: it comes after the launch.
  ///
  /// - Complexity: O(*n*) the first time, O(1) from then on.
  public var entries: [Entry] { record.entries }

  /// How long the launch took, from its beginning to the end of the last worker.
  public let total: Duration

  /// What was wrong with the dependencies: errors with the codes `cycle` and `missing`.
  public let problems: [LaunchError]

  private let record: LaunchRecord

  /// Creates a report.
  package init(entries: [Entry], total: Duration, problems: [LaunchError] = []) {
    record = LaunchRecord(entries)
    self.total = total
    self.problems = problems
  }

  /// Makes a report of rows: whoever does not read it does not wait for it either.
  init(rows: [LaunchRow], total: Duration, problems: [LaunchError]) {
    record = LaunchRecord(rows)
    self.total = total
    self.problems = problems
  }

  /// The entries of work that threw or timed out, in the order of registration.
  ///
  /// - Complexity: O(*n*) in the number of entries.
  public var failures: [Entry] { entries.filter(\.outcome.isFailure) }

  /// The work that timed out and had not returned when the report was made.
  ///
  /// Asynchronous work that had begun was cancelled and may run still. Work that waited for its actor never
  /// runs. Synchronous work that had begun is never among it: the launch waits for that.
  ///
  /// - Complexity: O(*n*) in the number of entries.
  public var abandoned: [LaunchID] { entries.filter(\.isAbandoned).map(\.id) }

  /// The chain of work that made the launch as long as it was, the first first.
  ///
  /// It ends with what ended last. Before each comes what it had to wait for the longest: a dependency, a
  /// worker of an earlier phase, or a synchronous worker, after which whatever comes next begins. Shorten
  /// one of these, or let it run elsewhere, and the launch is shorter; nothing else helps. Room in the width
  /// that had to be waited for is not considered.
  ///
  /// - Complexity: O(*n* log *n*) in the number of entries.
  public var criticalPath: [LaunchID] { LaunchPath(entries).places.map { entries[$0].id } }

  /// The entries that took longest, the longest first; of equal ones the earlier registration first.
  ///
  /// - Parameter count: How many to return at most.
  /// - Returns: The entries.
  /// - Complexity: O(*n* log *n*) in the number of entries.
  public func slowest(_ count: Int) -> [Entry] {
    let order = entries.indices.sorted { left, right in
      let (first, second) = (entries[left].duration, entries[right].duration)
      return first == second ? left < right : first > second
    }
    return order.prefix(max(0, count)).map { entries[$0] }
  }
}

extension LaunchReport: CustomStringConvertible {
  /// A bar chart in text, at most 80 columns wide: a row per entry, its bar placed by start and duration,
  /// and under it what went wrong; then the critical path, what was abandoned, and what could not be
  /// ordered.
  public var description: String { LaunchChart(self).text }
}

extension LaunchReport {
  /// One piece of work in a report.
  public struct Entry: Sendable {
    private let name: LaunchID?
    private let number: Int
    let place: LaunchSite
    /// The phase in which it ran or would have run.
    public let phase: LaunchPhase
    /// When it began, counted from the beginning of the launch; zero if it did not run.
    public let start: Duration
    /// How long it took; zero if it did not run.
    public let duration: Duration
    /// How it ended.
    public let outcome: LaunchOutcome
    /// How many began before it; `nil` if it did not run.
    let turn: Int?
    /// Whether nothing else began while it ran.
    let isSynchronous: Bool
    /// What it was to come after.
    let dependencies: [LaunchID]
    /// Whether it timed out and had not returned.
    let isAbandoned: Bool

    /// Creates an entry.
    package init(
      id: LaunchID,
      fileID: StaticString = "App/File.swift",
      line: UInt = 1,
      phase: LaunchPhase = .standard,
      turn: Int? = nil,
      start: Duration = .zero,
      duration: Duration = .zero,
      isSynchronous: Bool = true,
      dependencies: [LaunchID] = [],
      isAbandoned: Bool = false,
      outcome: LaunchOutcome = .finished
    ) {
      name = id
      number = 0
      place = LaunchSite(fileID: fileID, line: line)
      self.phase = phase
      self.turn = turn
      self.start = start
      self.duration = duration
      self.outcome = outcome
      self.isSynchronous = isSynchronous
      self.dependencies = dependencies
      self.isAbandoned = isAbandoned
    }

    /// Makes an entry of a row, if that has ended.
    init?(_ row: LaunchRow) {
      guard let outcome = row.outcome else { return nil }
      let registration = row.registration
      name = registration.id
      number = row.number
      place = registration.site
      phase = row.phase
      turn = row.turn
      start = row.times?.start ?? .zero
      duration = row.times?.duration ?? .zero
      self.outcome = outcome
      isSynchronous = registration.kind != .asynchronous
      let terms = registration.terms
      dependencies = terms.hasDependencies ? terms.after + terms.afterIfPresent : []
      isAbandoned = row.isAbandoned
    }

    /// The name of the work.
    ///
    /// - Complexity: O(1); the name of nameless work is made by every call.
    public var id: LaunchID { name ?? LaunchID(place, number: number) }

    /// The file of its registration, as `Module/File.swift`.
    public var fileID: String { place.fileID.description }

    /// The line of its registration.
    public var line: UInt { place.line }

    /// The file and line of its registration.
    public var site: SourceSite { place.source }

    /// When it ended.
    var end: Duration { start + duration }
  }
}

/// What a report is made of, made into its entries when somebody asks for them.
///
/// ## Thread safety
///
/// Every member may be called from any thread.
final class LaunchRecord: Sendable {
  private struct State {
    var rows: [LaunchRow] = []
    var entries: [LaunchReport.Entry]?
  }

  private let state: Locked<State>

  /// Keeps the rows of a launch.
  init(_ rows: [LaunchRow]) { state = Locked(State(rows: rows)) }

  /// Keeps entries as they are.
  init(_ entries: [LaunchReport.Entry]) { state = Locked(State(entries: entries)) }

  /// The entries of the rows that have ended.
  var entries: [LaunchReport.Entry] {
    let (known, rows) = state.withLock { ($0.entries, $0.rows) }
    if let known { return known }
    let made = rows.compactMap(LaunchReport.Entry.init)
    return state.withLock { state in
      let entries = state.entries ?? made
      state.entries = entries
      state.rows = []  // Not the last ones: `rows` has them still.
      return entries
    }
  }
}

/// When a piece of work began, counted from the beginning of its launch, and how long it took.
package struct LaunchTimes: Hashable, Sendable {
  /// When it began.
  package let start: Duration
  /// How long it took.
  package let duration: Duration

  /// Creates a pair of times.
  package init(start: Duration, duration: Duration) {
    self.start = start
    self.duration = duration
  }
}
