/// One piece of work that every subject does, and the figures it is shown as.
public struct Row: Sendable {
  /// The number of times that the work runs.
  public enum Pace: Sendable {
    /// Iterations until a sample takes a few milliseconds, and a sample a round.
    case calibrated
    /// The same with samples five times as long: for threads, which the system may delay.
    case long
    /// One iteration a sample, and a sample a round: the work prepares itself each time.
    case single
    /// One iteration in all: the figure is a count on the heap and comes out the same every time. Left
    /// out where the heap cannot be counted.
    case counted
    /// One iteration in all, before any row that does the same: the figure is what a process pays once.
    case first
  }

  /// The printed figures: at least one.
  internal let figures: [Figure]
  internal let pace: Pace
  internal let entries: [Entry]

  /// Makes a row.
  ///
  /// - Parameters:
  ///   - figures: The printed figures, a table line each.
  ///   - pace: The number of times that the work runs.
  ///   - entries: The subjects that take part; the others show a dash.
  public init(_ figures: Figure..., pace: Pace = .calibrated, entries: [Entry]) {
    self.figures = figures
    self.pace = pace
    self.entries = entries
  }

  /// Whether the row can be measured only if the heap can be counted.
  internal var needsHeap: Bool {
    if case .counted = pace { true } else { false }
  }

  /// The titles of its figures.
  internal var titles: [String] {
    figures.map(\.title)
  }
}
