public import EventBus

/// The result of a launch: the start, the duration and the outcome of each piece of work.
///
/// ```swift
/// let report = try await LaunchLoader.shared.launch()
/// print(report)  // a bar chart of 80 columns
/// ```
///
/// ## Thread safety
///
/// An immutable value that may be read on any thread.
public struct LaunchReport: Sendable {
  /// The registrations that took part in the launch, in order of registration, including refused
  /// duplicates.
  ///
  /// Registrations that were cancelled before they began are absent, and so is work of the phase `idle`
  /// that had not ended, because it follows the launch.
  ///
  /// - Complexity: O(*n*) the first time, O(1) after that.
  public var entries: [Entry] { record.entries }

  /// The duration of the launch, from its beginning to the end of the last worker.
  public let total: Duration

  /// The faults in the dependencies: errors with the codes `cycle` and `missing`.
  public let problems: [LaunchError]

  private let record: LaunchRecord

  /// Creates a report.
  package init(entries: [Entry], total: Duration, problems: [LaunchError] = []) {
    record = LaunchRecord(entries)
    self.total = total
    self.problems = problems
  }

  /// Creates a report from rows, whose entries are made on first access.
  init(rows: [LaunchRow], total: Duration, problems: [LaunchError]) {
    record = LaunchRecord(rows)
    self.total = total
    self.problems = problems
  }

  /// The entries of work that threw or timed out, in order of registration.
  ///
  /// - Complexity: O(*n*) in the number of entries.
  public var failures: [Entry] { entries.filter(\.outcome.isFailure) }

  /// The work that timed out and had not returned when the report was made.
  ///
  /// Asynchronous work that had begun was cancelled and may still be running. Work that waited for its
  /// actor never runs. Synchronous work that had begun is never abandoned, because the launch waits for
  /// it.
  ///
  /// - Complexity: O(*n*) in the number of entries.
  public var abandoned: [LaunchID] { entries.filter(\.isAbandoned).map(\.id) }

  /// The chain of work that determined the duration of the launch, in order.
  ///
  /// The chain ends with the work that ended last. Each element is preceded by the work that it waited
  /// for the longest: a dependency, a worker of an earlier phase, or a synchronous worker, which delays
  /// all work after it. Only making an element of this chain shorter, or running it elsewhere, makes
  /// the launch shorter. Waiting for room in the width is not considered.
  ///
  /// - Complexity: O(*n* log *n*) in the number of entries.
  public var criticalPath: [LaunchID] { LaunchPath(entries).places.map { entries[$0].id } }

  /// Returns the entries that took longest, longest first, and in order of registration if equal.
  ///
  /// - Parameter count: The maximum number of entries to return.
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
  /// A bar chart in text, at most 80 columns wide: a row for each entry, with a bar that shows start
  /// and duration, and its failure below; then the critical path, the abandoned work, and the faults in
  /// the dependencies.
  public var description: String { LaunchChart(self).text }
}

extension LaunchReport {
  /// A piece of work in a report.
  public struct Entry: Sendable {
    private let name: LaunchID?
    private let number: Int
    let launchSite: LaunchSite
    /// The phase in which it ran or would have run.
    public let phase: LaunchPhase
    /// The time at which it began, relative to the beginning of the launch; zero if it did not run.
    public let start: Duration
    /// The time that it took; zero if it did not run.
    public let duration: Duration
    /// The outcome of the work.
    public let outcome: LaunchOutcome
    /// Its number in the order in which workers began, from one; `nil` if it did not run.
    let turn: Int?
    /// A Boolean value that indicates whether nothing else began while it ran.
    let isSynchronous: Bool
    /// The names of its dependencies, required and optional.
    let dependencies: [LaunchID]
    /// A Boolean value that indicates whether it timed out and had not returned.
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
      launchSite = LaunchSite(fileID: fileID, line: line)
      self.phase = phase
      self.turn = turn
      self.start = start
      self.duration = duration
      self.outcome = outcome
      self.isSynchronous = isSynchronous
      self.dependencies = dependencies
      self.isAbandoned = isAbandoned
    }

    /// Creates an entry from a row; `nil` if the row has no outcome.
    init?(_ row: LaunchRow) {
      guard let outcome = row.outcome else { return nil }
      let registration = row.registration
      name = registration.id
      number = row.number
      launchSite = registration.site
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
    /// - Complexity: O(1). The name of unnamed work is made on each access.
    public var id: LaunchID { name ?? LaunchID(launchSite, number: number) }

    /// The file of the registration, as `Module/File.swift`.
    public var fileID: String { launchSite.fileID.description }

    /// The line of the registration.
    public var line: UInt { launchSite.line }

    /// The source site of the registration.
    public var site: SourceSite { launchSite.source }

    /// The time at which it ended.
    var end: Duration { start + duration }
  }
}

/// The contents of a report, converted from rows to entries on first access.
///
/// ## Thread safety
///
/// All members may be called from any thread.
final class LaunchRecord: Sendable {
  private struct State {
    var rows: [LaunchRow] = []
    var entries: [LaunchReport.Entry]?
  }

  private let state: Locked<State>

  init(_ rows: [LaunchRow]) { state = Locked(State(rows: rows)) }

  init(_ entries: [LaunchReport.Entry]) { state = Locked(State(entries: entries)) }

  /// The entries of the rows that have ended.
  var entries: [LaunchReport.Entry] {
    let (known, rows) = state.withLock { ($0.entries, $0.rows) }
    if let known { return known }
    let made = rows.compactMap(LaunchReport.Entry.init)
    return state.withLock { state in
      let entries = state.entries ?? made
      state.entries = entries
      state.rows = []  // Releases nothing yet: `rows` still has them.
      return entries
    }
  }
}

/// The start of a piece of work, relative to the beginning of its launch, and its duration.
package struct LaunchTimes: Hashable, Sendable {
  /// The start.
  package let start: Duration
  /// The duration.
  package let duration: Duration

  /// Creates a pair of times.
  package init(start: Duration, duration: Duration) {
    self.start = start
    self.duration = duration
  }
}
