/// The axis of a chart: round times between zero and a total.
///
/// A plain value, computed in integers.
package struct LaunchTimeAxis: Sendable {
  /// The times to label, in nanoseconds; ascending, beginning with zero.
  package let ticks: [Int64]
  /// The total, in nanoseconds.
  private let total: Int64

  /// Creates an axis.
  ///
  /// The ticks are the multiples of the smallest number of the form 1, 2 or 5 times a power of ten that
  /// divides the axis into at most six parts.
  ///
  /// - Parameter total: The time at the end. A negative one counts as zero, one of more than 292 years as
  ///   292 years.
  package init(_ total: Duration) {
    let end = Self.nanoseconds(total)
    var (factor, power): (Int64, Int64) = (1, 1)
    while end / (factor * power) > 6 {
      switch factor {
      case 1: factor = 2
      case 2: factor = 5
      default: (factor, power) = (1, power * 10)
      }
    }
    let step = factor * power
    self.total = end
    ticks = end < step ? [0] : (0...(end / step)).map { $0 * step }
  }

  /// Returns the position of a time.
  ///
  /// - Parameters:
  ///   - time: The time.
  ///   - length: The length of the axis.
  /// - Returns: A number from zero to `length`; zero if the total is zero.
  package func position(of time: Duration, in length: Int) -> Int {
    position(of: Self.nanoseconds(time), in: length)
  }

  /// Returns the position of a time in nanoseconds.
  package func position(of time: Int64, in length: Int) -> Int {
    guard total > 0 else { return 0 }
    let product = min(time, total).multipliedFullWidth(by: Int64(length))
    return Int(total.dividingFullWidth(product).quotient)
  }

  /// Returns the label of a tick, in the unit of the total: `0.5 s`; zero has none.
  package func label(of tick: Int64) -> String {
    let units: [(name: String, size: Int64)] = [
      ("s", 1_000_000_000), ("ms", 1_000_000), ("µs", 1_000), ("ns", 1),
    ]
    let unit = units.first { total >= $0.size } ?? ("ns", 1)
    guard tick > 0 else { return "0" }
    let (whole, rest) = tick.quotientAndRemainder(dividingBy: unit.size)
    guard rest > 0 else { return "\(whole) \(unit.name)" }
    // A step is at least a tenth of the unit.
    var digits = "\(unit.size + rest)".dropFirst()
    while digits.last == "0" { digits.removeLast() }
    return "\(whole).\(digits) \(unit.name)"
  }

  private static func nanoseconds(_ time: Duration) -> Int64 {
    let (seconds, attoseconds) = time.components
    let (product, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, overflowsToo) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
    return overflows || overflowsToo ? (seconds < 0 ? 0 : .max) : max(0, sum)
  }
}
