// The rules of a chart: its rows, its words and its colors.
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
    var order = entries.indices.sorted {
      (entries[$0].start, entries[$0].turn ?? .max, $0)
        < (entries[$1].start, entries[$1].turn ?? .max, $1)
    }
    order = order.filter { entries[$0].hasRun } + order.filter { !entries[$0].hasRun }
    guard entries.count > rowLimit else { return (order.map { entries[$0] }, []) }
    let failed = order.filter { entries[$0].outcome.isFailure }
    let waiting = order.filter { !entries[$0].hasRun }
    let ran = order.filter { entries[$0].hasRun && !entries[$0].outcome.isFailure }
      .sorted { (entries[$1].duration, $0) < (entries[$0].duration, $1) }
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
  static func counts(
    of entries: [LaunchReport.Entry]
  ) -> [(word: String, count: Int)] {
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
    case .skipped, .duplicate, .refused: LaunchPicture.grey
    }
  }
}
