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
  /// One piece of work in a report.
  public struct Entry: Sendable {
    /// The name of the work.
    public let id: LaunchID
    /// The file of its registration, as `Module/File.swift`.
    public let fileID: String
    /// The line of its registration.
    public let line: UInt
    /// When it began, counted from the beginning of the launch; zero if it did not run.
    public let start: Duration
    /// How long it took; zero if it did not run.
    public let duration: Duration
    /// How it ended.
    public let outcome: LaunchOutcome

    /// Creates an entry.
    package init(
      id: LaunchID,
      fileID: String,
      line: UInt,
      start: Duration,
      duration: Duration,
      outcome: LaunchOutcome
    ) {
      self.id = id
      self.fileID = fileID
      self.line = line
      self.start = start
      self.duration = duration
      self.outcome = outcome
    }
  }

  /// Every registration that took part, in the order of registration, refused duplicates included.
  ///
  /// A registration that was cancelled before it began is not among them.
  public let entries: [Entry]

  /// How long the launch took, from its beginning to the end of the last worker.
  public let total: Duration

  /// Creates a report.
  package init(entries: [Entry], total: Duration) {
    self.entries = entries
    self.total = total
  }

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
  /// and under it what went wrong.
  public var description: String { LaunchChart(self).text }
}
