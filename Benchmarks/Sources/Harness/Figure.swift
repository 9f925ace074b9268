/// One line of the table: a title and a unit.
///
/// Benchmarks/goals.txt has the goals.
public struct Figure: Sendable {
  /// The unit of the figure.
  public enum Unit: Sendable {
    /// Nanoseconds; less is better.
    case nanoseconds
    /// Nanoseconds, shown as milliseconds; less is better.
    case milliseconds
    /// Bytes; less is better.
    case bytes
    /// A number of things; less is better.
    case count
    /// A multiple of the subject's own other figure; more is better, and peers are not compared.
    case multiple
  }

  /// The line's first cell.
  public let title: String
  internal let unit: Unit
  internal let divisor: Double
  internal let mustBeZero: Bool

  /// Makes a line.
  ///
  /// - Parameters:
  ///   - title: The line's first cell.
  ///   - unit: The unit of the figure.
  ///   - divisor: The number by which the row's sample is divided for this line.
  ///   - mustBeZero: Whether the run fails if the project's own figure is not 0: for counts, which no other
  ///     program can disturb.
  public init(
    _ title: String,
    _ unit: Unit = .nanoseconds,
    per divisor: Int = 1,
    mustBeZero: Bool = false
  ) {
    self.title = title
    self.unit = unit
    self.divisor = Double(divisor)
    self.mustBeZero = mustBeZero
  }
}
