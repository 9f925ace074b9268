extension LaunchReport: CustomStringConvertible {
  private static let width = 80
  private static let nameWidth = 28
  private static let barWidth = 30
  private static let durationWidth = 9

  /// A bar chart in text, at most 80 columns wide: a row for each entry, with a bar that shows start
  /// and duration, and its failure below; then the critical path, the abandoned work, and the faults in
  /// the dependencies.
  ///
  ///     3 launch workers in 12 ms
  ///     logging                      ██████████                           4 ms
  ///     analytics                              ████████████████████       8 ms failed
  ///       NetworkError.offline
  public var description: String {
    let entries = entries
    let title = "\(entries.count) launch \(entries.count == 1 ? "worker" : "workers")"
    let originals = originals
    let rows = entries.flatMap { lines(for: $0, originals) }
    return (["\(title) in \(total.shortText)"] + rows + footnotes).joined(separator: "\n")
  }

  /// The first registrations by name, if names were registered more than once.
  package var originals: [LaunchID: Entry] {
    guard entries.contains(where: \.isDuplicate) else { return [:] }
    let firsts = entries.lazy.filter { !$0.isDuplicate }.map { ($0.id, $0) }
    return Dictionary(firsts, uniquingKeysWith: { first, _ in first })
  }

  /// The notes that concern more than one entry.
  private var footnotes: [String] {
    var notes: [String] = []
    let path = criticalPath
    if path.count > 1 {
      notes.append("critical path: " + path.map(\.rawValue).joined(separator: " → "))
    }
    let abandoned = self.abandoned
    if !abandoned.isEmpty {
      notes.append("abandoned: " + abandoned.map(\.rawValue).joined(separator: ", "))
    }
    return (notes + problems.map(\.description)).flatMap { Self.wrapped($0, indent: 0) }
  }

  private func lines(for entry: Entry, _ originals: [LaunchID: Entry]) -> [String] {
    let name = entry.id.rawValue.shortened(to: Self.nameWidth).padded(to: Self.nameWidth)
    let duration = entry.duration.shortText.padded(to: Self.durationWidth, before: true)
    let row = [name, bar(for: entry), duration, Self.word(for: entry.outcome)]
    return [Self.trimmed(row.joined(separator: " "))]
      + Self.wrapped(Self.detail(of: entry, originals))
  }

  /// The detail that does not fit in a row: the error, the reason, or both source sites of a duplicate
  /// name.
  package static func detail(of entry: Entry, _ originals: [LaunchID: Entry]) -> String? {
    switch entry.outcome {
    case .failed(let error):
      return "\(error)"
    case .skipped(let id?):
      return "because of \(id)"
    case .duplicate(let id):
      let first = originals[id]
      return "at \(entry.site)"
        + (first.map { ", registered first at \($0.site)" } ?? "")
    case .timedOut where !entry.hasRun:
      return "never began, because its actor was not free in time; registered at \(entry.site)"
    case .timedOut where entry.isAbandoned:
      return "did not return in time and was abandoned; registered at \(entry.site)"
    case .finished, .skipped(nil), .timedOut, .undone, .refused:
      return nil
    }
  }

  private func bar(for entry: Entry) -> String {
    guard entry.hasRun else { return "".padded(to: Self.barWidth) }
    let total = self.total.inSeconds
    let column = { (time: Duration) -> Int in
      guard total > 0 else { return 0 }
      return Int(min(max(time.inSeconds / total, 0), 1) * Double(Self.barWidth))
    }
    let begin = min(column(entry.start), Self.barWidth - 1)
    let end = max(column(entry.start + entry.duration), begin + 1)
    let bar = String(repeating: "█", count: end - begin)
    return ("".padded(to: begin) + bar).padded(to: Self.barWidth)
  }

  /// The word for an outcome.
  package static func word(for outcome: LaunchOutcome) -> String {
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

  private static func trimmed(_ text: String) -> String {
    guard let last = text.lastIndex(where: { $0 != " " }) else { return "" }
    return String(text[...last])
  }

  /// Wraps text, between words if possible.
  private static func wrapped(_ text: String?, indent: Int = 2) -> [String] {
    var lines: [String] = []
    for paragraph in (text ?? "").lines {
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
        lines.append("".padded(to: margin) + piece)
        rest = rest.dropFirst(piece.count).drop { $0 == " " }
        margin = 2
      }
    }
    return lines
  }
}

extension LaunchReport.Entry {
  /// True if the work was refused because its name was taken.
  fileprivate var isDuplicate: Bool {
    if case .duplicate = outcome { true } else { false }
  }

  /// True if the worker was called.
  package var hasRun: Bool {
    switch outcome {
    case .timedOut: turn != nil
    case .finished, .failed, .undone: true
    case .skipped, .duplicate, .refused: false
    }
  }
}

// The layout of the texts of reports and plans, in characters.

extension String {
  /// The lines that are not empty.
  @inline(never)
  package var lines: [Substring] { split(whereSeparator: \.isNewline) }

  /// Returns the text with blanks after it, or before it, if it has fewer characters than a width.
  func padded(to width: Int, before: Bool = false) -> String {
    let blanks = String(repeating: " ", count: max(0, width - count))
    return before ? blanks + self : self + blanks
  }

  /// Shortens a text at its start, because generated names differ at their end.
  ///
  /// - Parameter limit: The maximum number of characters.
  /// - Returns: The text on one line, after `…` if it is longer.
  func shortened(to limit: Int) -> String {
    let line = lines.joined(separator: " ")
    return line.count > limit ? "…" + line.suffix(limit - 1) : line
  }
}
