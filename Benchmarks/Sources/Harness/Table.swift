/// The results as a Markdown table.
public struct Table: Sendable {
  private let results: Results
  private let columns: [Subject]

  /// Makes a table.
  ///
  /// - Parameters:
  ///   - results: The results.
  ///   - columns: The subjects from left to right; those without a figure are left out.
  public init(_ results: Results, columns: [Subject]) {
    self.results = results
    self.columns = columns.filter { column in
      results.lines.contains { $0.samples[column] != nil }
    }
  }

  /// The table, then one line that explains it.
  public var markdown: String {
    let head = ["work"] + columns.map(\.name)
    let rule = ["---"] + columns.map { _ in "---:" }
    let body = results.lines.map { line in
      [line.title] + columns.map { cell(line, $0) }
    }
    let table = ([head, rule] + body).map { "| \($0.joined(separator: " | ")) |" }
    return (table + ["", summary]).joined(separator: "\n")
  }

  private func cell(_ line: Line, _ column: Subject) -> String {
    guard let median = line.samples[column]?.median else { return "–" }
    let value = format(line.shown(median))
    guard column != line.ours, line.isCompared, let multiple = line.multiple(of: column) else {
      return value
    }
    return "\(value) (\(format(multiple))×)"
  }

  private var summary: String {
    let spreads = results.lines.flatMap { $0.samples.values.map(\.spread) }.sorted()
    let typical = spreads.isEmpty ? 0 : spreads[spreads.count / 2]
    return """
      Medians; in brackets, how many times the first column's figure. The middle half of a subject's samples \
      spans \(format(typical * 100)) % of its median, typically, and \
      \(format((spreads.last ?? 0) * 100)) % at worst.
      """
  }
}

extension Line {
  fileprivate var title: String {
    switch figure.unit {
    case .nanoseconds: "\(figure.title), ns"
    case .milliseconds: "\(figure.title), ms"
    case .bytes, .count, .multiple: figure.title
    }
  }

  fileprivate var isCompared: Bool {
    switch figure.unit {
    case .nanoseconds, .milliseconds, .bytes: true
    case .count, .multiple: false
    }
  }

  fileprivate func shown(_ value: Double) -> Double {
    switch figure.unit {
    case .milliseconds: value / 1e6
    case .nanoseconds, .bytes, .count, .multiple: value
    }
  }
}
