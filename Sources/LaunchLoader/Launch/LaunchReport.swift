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
  internal init(rows: [LaunchRow], total: Duration, problems: [LaunchError]) {
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
