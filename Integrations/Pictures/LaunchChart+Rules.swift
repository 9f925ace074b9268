internal import EventBus
internal import LaunchLoader

// The rules of a chart: its rows, its words, its colors and its axis.
extension LaunchChart {
  static let red = "#dc2626"
  private static let rowLimit = 100

  /// Chooses the entries with a row, and the others.
  ///
  /// Rows are in the order in which the work began; work that did not run comes last. If there are too many,
  /// the first failures, the chain and work that did not run have shares, and the rest is for the work that
  /// took longest.
  ///
  /// - Parameters:
  ///   - entries: All entries.
  ///   - chained: The turns of the entries on the longest chain of dependencies.
  /// - Returns: The entries with a row, in order, and the others.
  static func chosen(
    from entries: [LaunchReport.Entry],
    _ chained: Set<Int>
  ) -> (rows: [LaunchReport.Entry], others: [LaunchReport.Entry]) {
    var order = entries.indices.ordered {
      (entries[$0].start, entries[$0].turn ?? .max, $0)
        < (entries[$1].start, entries[$1].turn ?? .max, $1)
    }
    order = order.filter { entries[$0].hasRun } + order.filter { !entries[$0].hasRun }
    guard entries.count > rowLimit else { return (order.map { entries[$0] }, []) }
    let failed = order.filter { entries[$0].outcome.isFailure }
    let waiting = order.filter { !entries[$0].hasRun }
    let ran = order.filter { entries[$0].hasRun && !entries[$0].outcome.isFailure }
      .ordered { (entries[$1].duration, $0) < (entries[$0].duration, $1) }
    let isChained = { (index: Int) in entries[index].turn.map(chained.contains) ?? false }
    let quarter = rowLimit / 4
    let parts = [
      failed.prefix(2 * quarter), ran.filter(isChained).prefix(quarter), waiting.prefix(quarter),
      ran.filter { !isChained($0) }[...], failed.dropFirst(2 * quarter), waiting.dropFirst(quarter),
      ran.filter(isChained).dropFirst(quarter),
    ]
    let ranked = parts.flatMap(\.self)
    let chosen = Set(ranked.prefix(rowLimit))
    return (
      order.filter(chosen.contains).map { entries[$0] },
      ranked.dropFirst(rowLimit).map { entries[$0] }
    )
  }

  /// Counts entries by their outcome.
  static func counts(of entries: [LaunchReport.Entry]) -> [(word: String, count: Int)] {
    let words = ["ok", "failed", "timed out", "undone", "skipped", "duplicate", "refused"]
    var counts: [String: Int] = [:]
    for entry in entries { counts[word(for: entry), default: 0] += 1 }
    return words.compactMap { word in counts[word].map { (word, $0) } }
  }

  /// The counts as text: `5 ok, 1 failed`.
  static func list(_ counts: [(word: String, count: Int)]) -> String {
    counts.map { "\($0.count.grouped) \($0.word)" }.joined(separator: ", ")
  }

  /// The outcome in a word or two.
  static func word(for entry: LaunchReport.Entry) -> String {
    let word = LaunchReport.word(for: entry.outcome)
    return word.isEmpty ? "ok" : word
  }

  /// Joins names; of many, the first four and the last three.
  static func joined(_ ids: [LaunchID], _ separator: String) -> String {
    let names = ids.map { $0.rawValue.shortened(to: 40).isolated }
    guard names.count > 8 else { return names.joined(separator: separator) }
    let middle = "… \((names.count - 7).grouped) more …"
    return (names.prefix(4) + [middle] + names.suffix(3)).joined(separator: separator)
  }

  /// The color of an outcome.
  static func color(for outcome: LaunchOutcome) -> String {
    switch outcome {
    case .finished: "#2563eb"
    case .failed: red
    case .timedOut: "#b45309"
    case .undone: "#7c3aed"
    case .skipped, .duplicate, .refused: LaunchPicture.gray
    }
  }
}

/// The axis of a chart, which ends at this time, computed in integers.
///
/// A negative time counts as zero, one of more than 292 years as 292 years.
extension Duration {
  /// The times to label; ascending, beginning with zero.
  ///
  /// They are the multiples of the smallest number of nanoseconds of the form 1, 2 or 5 times a power of ten
  /// that divides the axis into at most six parts.
  package var axisTicks: [Duration] {
    let end = axisNanoseconds
    var (factor, power): (Int64, Int64) = (1, 1)
    while end / (factor * power) > 6 {
      switch factor {
      case 1: factor = 2
      case 2: factor = 5
      default: (factor, power) = (1, power * 10)
      }
    }
    let step = factor * power
    return (0...(end / step)).map { .nanoseconds($0 * step) }
  }

  /// Returns the position of a time on the axis.
  ///
  /// - Parameters:
  ///   - time: The time.
  ///   - length: The length of the axis.
  /// - Returns: A number from zero to `length`; zero if the axis ends at zero.
  package func axisPosition(of time: Duration, in length: Int) -> Int {
    let end = axisNanoseconds
    guard end > 0 else { return 0 }
    let product = min(time.axisNanoseconds, end).multipliedFullWidth(by: Int64(length))
    return Int(end.dividingFullWidth(product).quotient)
  }

  /// Returns the label of a tick, in the unit of the end: `0.5 s`; zero has none.
  package func axisLabel(of tick: Duration) -> String {
    let units: [(name: String, size: Int64)] = [
      ("s", 1_000_000_000), ("ms", 1_000_000), ("µs", 1_000), ("ns", 1),
    ]
    let unit = units.first { axisNanoseconds >= $0.size } ?? ("ns", 1)
    guard tick > .zero else { return "0" }
    let (whole, rest) = tick.axisNanoseconds.quotientAndRemainder(dividingBy: unit.size)
    guard rest > 0 else { return "\(whole) \(unit.name)" }
    // A step is at least a tenth of the unit.
    var digits = "\(unit.size + rest)".dropFirst()
    while digits.last == "0" { digits.removeLast() }
    return "\(whole).\(digits) \(unit.name)"
  }

  private var axisNanoseconds: Int64 {
    let (product, overflows) = components.seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, overflowsToo) = product.addingReportingOverflow(
      components.attoseconds / 1_000_000_000
    )
    return overflows || overflowsToo ? (self < .zero ? 0 : .max) : max(0, sum)
  }
}
