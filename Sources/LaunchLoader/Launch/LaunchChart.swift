/// Draws a launch report as text.
///
///     3 launch workers in 12 ms
///     logging                      ██████████                           4 ms
///     analytics                              ████████████████████       8 ms failed
///       NetworkError.offline
struct LaunchChart {
  private static let width = 80
  private static let nameWidth = 28
  private static let barWidth = 30
  private static let durationWidth = 9

  private let report: LaunchReport
  /// The first registrations of names that were registered more than once.
  private let originals: [LaunchID: LaunchReport.Entry]

  init(_ report: LaunchReport) {
    self.report = report
    let entries = report.entries
    let hasDuplicates = entries.contains(where: \.isDuplicate)
    originals = Dictionary(
      hasDuplicates ? entries.lazy.filter { !$0.isDuplicate }.map { ($0.id, $0) } : [],
      uniquingKeysWith: { first, _ in first }
    )
  }

  /// The drawing: lines of at most 80 characters, without a trailing line break.
  var text: String {
    let count = report.entries.count
    let title = "\(count) launch \(count == 1 ? "worker" : "workers") in \(report.total.shortText)"
    let rows = report.entries.flatMap(lines(for:))
    return ([title] + rows + footnotes).joined(separator: "\n")
  }

  /// The notes that concern more than one row.
  private var footnotes: [String] {
    var notes: [String] = []
    let path = report.criticalPath
    if path.count > 1 {
      notes.append("critical path: " + path.map(\.rawValue).joined(separator: " → "))
    }
    let abandoned = report.abandoned
    if !abandoned.isEmpty {
      notes.append("abandoned: " + abandoned.map(\.rawValue).joined(separator: ", "))
    }
    return (notes + report.problems.map(\.description)).flatMap { Self.wrapped($0, indent: 0) }
  }

  private func lines(for entry: LaunchReport.Entry) -> [String] {
    let row = [
      Self.padded(Self.shortened(entry.id.rawValue)),
      bar(for: entry),
      Self.aligned(entry.duration.shortText),
      Self.word(for: entry.outcome),
    ].joined(separator: " ")
    return [Self.trimmed(row)] + Self.wrapped(detail(of: entry))
  }

  /// The detail that a row has no room for: the error, the reason, or both source sites of a duplicate
  /// name.
  private func detail(of entry: LaunchReport.Entry) -> String? {
    switch entry.outcome {
    case .failed(let error):
      return "\(error)"
    case .skipped(let id?):
      return "because of \(id)"
    case .duplicate(let id):
      let first = originals[id]
      return "at \(entry.fileID):\(entry.line)"
        + (first.map { ", registered first at \($0.fileID):\($0.line)" } ?? "")
    case .timedOut where entry.isAbandoned:
      return "did not return in time and was abandoned; registered at \(entry.site)"
    case .finished, .skipped(nil), .timedOut, .undone, .refused:
      return nil
    }
  }

  private func bar(for entry: LaunchReport.Entry) -> String {
    guard entry.hasRun else { return String(repeating: " ", count: Self.barWidth) }
    let total = report.total.inSeconds
    let column = { (time: Duration) -> Int in
      guard total > 0 else { return 0 }
      return Int(min(max(time.inSeconds / total, 0), 1) * Double(Self.barWidth))
    }
    let begin = min(column(entry.start), Self.barWidth - 1)
    let end = max(column(entry.start + entry.duration), begin + 1)
    return String(repeating: " ", count: begin) + String(repeating: "█", count: end - begin)
      + String(repeating: " ", count: Self.barWidth - end)
  }

  private static func word(for outcome: LaunchOutcome) -> String {
    switch outcome {
    case .finished: ""
    case .failed: "failed"
    case .skipped: "skipped"
    case .timedOut: "timed out"
    case .undone: "undone"
    case .duplicate: "duplicate"
    case .refused: "refused"
    }
  }

  /// Shortens a long name at its start, because generated names differ at their end.
  private static func shortened(_ name: String) -> String {
    let line = name.split(whereSeparator: \.isNewline).joined(separator: " ")
    return line.count <= nameWidth ? line : "…" + line.suffix(nameWidth - 1)
  }

  private static func padded(_ text: String) -> String {
    text + String(repeating: " ", count: nameWidth - text.count)
  }

  private static func aligned(_ text: String) -> String {
    String(repeating: " ", count: max(0, durationWidth - text.count)) + text
  }

  private static func trimmed(_ text: String) -> String {
    guard let last = text.lastIndex(where: { $0 != " " }) else { return "" }
    return String(text[...last])
  }

  /// Wraps text, between words if possible.
  private static func wrapped(_ text: String?, indent: Int = 2) -> [String] {
    var lines: [String] = []
    for paragraph in (text ?? "").split(whereSeparator: \.isNewline) {
      var rest = paragraph
      var margin = indent
      while !rest.isEmpty {
        let room = width - margin
        var piece = rest.prefix(room)
        if piece.endIndex < rest.endIndex, let blank = piece.lastIndex(of: " "),
          blank > piece.startIndex
        {
          piece = piece[..<blank]
        }
        lines.append(String(repeating: " ", count: margin) + piece)
        rest = rest.dropFirst(piece.count).drop { $0 == " " }
        margin = 2
      }
    }
    return lines
  }
}

extension LaunchReport.Entry {
  /// A Boolean value that indicates whether the work was refused because its name was taken.
  fileprivate var isDuplicate: Bool {
    if case .duplicate = outcome { true } else { false }
  }

  /// A Boolean value that indicates whether the worker was called.
  fileprivate var hasRun: Bool {
    switch outcome {
    case .finished, .failed, .timedOut, .undone: true
    case .skipped, .duplicate, .refused: false
    }
  }
}

/// The critical path of a launch, derived from the times at which its workers began and ended.
struct LaunchPath {
  private let entries: [LaunchReport.Entry]
  /// The synchronous entries that ran, in the order in which they began, which is also the order in
  /// which they ended.
  private let synchronous: [Int]
  /// The entry that ended last in each phase.
  private var lasts: [Int?] = Array(repeating: nil, count: LaunchPhase.allCases.count)
  private let named: [LaunchID: Int]

  /// The indices of the entries on the path, in order.
  private(set) var places: [Int] = []

  init(_ entries: [LaunchReport.Entry]) {
    self.entries = entries
    let ran = entries.indices.filter { entries[$0].turn != nil }
    synchronous = ran.filter { entries[$0].isSynchronous }
      .sorted { (entries[$0].turn ?? 0) < (entries[$1].turn ?? 0) }
    named =
      entries.contains { !$0.dependencies.isEmpty }
      ? Dictionary(ran.map { (entries[$0].id, $0) }) { first, _ in first } : [:]
    for place in ran {
      let phase = entries[place].phase.index
      lasts[phase] = lasts[phase].map { isLater(place, $0) ? place : $0 } ?? place
    }
    var next = ran.max { isLater($1, $0) }
    while let place = next {
      places.append(place)
      next = predecessor(of: place)
    }
    places.reverse()
  }

  /// Compares entries by their end and, if they ended at the same time, by their turn.
  private func isLater(_ place: Int, _ other: Int) -> Bool {
    let (left, right) = (entries[place], entries[other])
    return left.end == right.end ? (left.turn ?? 0) > (right.turn ?? 0) : left.end > right.end
  }

  private func predecessor(of place: Int) -> Int? {
    let entry = entries[place]
    var candidates = entry.dependencies.compactMap { named[$0] }
    candidates += lasts.prefix(entry.phase.index).compactMap(\.self)
    if let before = synchronousWorker(before: entry.turn ?? 0) { candidates.append(before) }
    return
      candidates
      .filter { (entries[$0].turn ?? .max) < (entry.turn ?? 0) && entries[$0].end <= entry.start }
      .max { isLater($1, $0) }
  }

  private func synchronousWorker(before turn: Int) -> Int? {
    let next = synchronous.indices.partitionPoint { (entries[synchronous[$0]].turn ?? 0) < turn }
    return next > 0 ? synchronous[next - 1] : nil
  }
}
