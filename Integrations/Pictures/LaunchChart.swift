public import LaunchLoader

extension LaunchReport {
  /// A bar chart as a picture: the text of an SVG file that needs no other file.
  ///
  /// The heading has the duration of the launch, and the number of workers for each outcome. Below it is a row for each
  /// worker, in the order in which they began, with a bar from its start to its end, its outcome, and the
  /// reason if it failed or did not run. The longest chain of dependencies is outlined and named, and so are
  /// faults in the dependencies. Pointing at a bar shows the source site and the whole error.
  ///
  /// A picture has at most 100 rows: those of failures, of the chain, and of the work that took longest; a
  /// last line counts the others. The same report always gives the same text.
  ///
  /// - Returns: The text of the file.
  /// - Complexity: O(*n* log *n* + *e*) in the numbers of entries and of their dependencies.
  public func svg() -> String { LaunchChart(self).svg }
}

/// The drawing of a report, with all positions in integers.
///
/// A plain value. `LaunchChart+Rules.swift` chooses the rows, and has the words, the colors
/// and the axis.
struct LaunchChart {
  private static let margin = LaunchPicture.margin
  private static let rowHeight = 22
  private static let detailHeight = 18
  private static let top = 62
  private static let nameX = margin
  private static let nameCells = 28
  private static let barX = nameX + nameCells * LaunchPicture.cell + 16
  private static let barWidth = 480
  private static let durationX = barX + barWidth + 10 * LaunchPicture.cell
  private static let outcomeX = durationX + 16
  private static let width = outcomeX + 10 * LaunchPicture.cell + margin
  private static let noteLimit = 8

  private let report: LaunchReport
  private let rows: [LaunchReport.Entry]
  /// The entries that have no row.
  private let others: [LaunchReport.Entry]
  private let originals: [LaunchID: LaunchReport.Entry]
  private let chain: LaunchReport.Chain?
  /// The turns of the entries of the chain.
  private let chained: Set<Int>
  private var picture = LaunchPicture()

  /// Prepares the drawing of a report.
  ///
  /// - Complexity: O(*n* log *n* + *e*) in the numbers of entries and of their dependencies.
  init(_ report: LaunchReport) {
    self.report = report
    originals = report.originals
    chain = report.longestChain
    chained = Set(chain?.entries.compactMap(\.turn) ?? [])
    (rows, others) = Self.chosen(from: report.entries, chained)
  }

  /// The text of the picture.
  var svg: String {
    var copy = self
    return copy.draw()
  }

  private mutating func draw() -> String {
    addHeader()
    let heights = rows.map { $0.hasRun && detail(of: $0) != nil ? Self.detailHeight : 0 }
    let bottom = Self.top + heights.reduce(rows.count * Self.rowHeight, +)
    addAxis(to: bottom)
    var tops: [Int] = []
    var y = Self.top
    for height in heights {
      tops.append(y)
      y += Self.rowHeight + height
    }
    addLinks(tops)
    for (entry, y) in zip(rows, tops) { add(entry, y: y) }
    y = bottom + Self.rowHeight + 14
    if !others.isEmpty {
      picture.addText(rest, x: Self.nameX, y: y, fill: LaunchPicture.gray)
      y += Self.rowHeight
    }
    y = addNotes(y)
    return picture.text(width: Self.width, height: y, title: heading, description: description)
  }

  /// The duration of the launch, and the number of workers for each outcome.
  private var heading: String {
    let counts = Self.counts(of: report.entries)
    let time = "Launch ended after \(report.total.shortText): "
    switch counts.count {
    case 0: return time + "no workers"
    case 1 where counts[0].word == "ok" && counts[0].count > 1:
      return time + "all \(counts[0].count.grouped) ok"
    default: return time + Self.list(counts)
    }
  }

  /// The contents of the picture in words: its first failures.
  private var description: String {
    let failures = report.failures
    let named = failures.prefix(3).map { entry in
      "\(entry.id.rawValue.shortened(to: 60)) \(Self.word(for: entry))"
    }
    return "A bar for each launch worker, from its start to its end."
      + (named.isEmpty ? "" : " " + named.joined(separator: ", "))
      + (failures.count > 3 ? ", and \((failures.count - 3).grouped) more" : "")
      + (named.isEmpty ? "" : ".")
  }

  private mutating func addHeader() {
    let y = Self.top - 8
    picture.addText("worker", x: Self.nameX, y: y, fill: LaunchPicture.gray)
    picture.addText("start to end", x: Self.barX, y: y, fill: LaunchPicture.gray)
    picture.addText("took", x: Self.durationX, y: y, fill: LaunchPicture.gray, anchor: "end")
    picture.addText("outcome", x: Self.outcomeX, y: y, fill: LaunchPicture.gray)
  }

  /// Adds a line for each round time, and one for the end of the launch.
  private mutating func addAxis(to bottom: Int) {
    for tick in report.total.axisTicks {
      let x = x(of: tick)
      picture.addLine("M \(x) \(Self.top) V \(bottom + 4)", stroke: LaunchPicture.faint)
      let label = report.total.axisLabel(of: tick)
      picture.addText(label, x: x, y: bottom + 18, fill: LaunchPicture.gray, anchor: "middle")
    }
    let end = Self.barX + Self.barWidth
    picture.addLine("M \(end) \(Self.top) V \(bottom + 4)")
    let time = "end, \(report.total.shortText)"
    picture.addText(time, x: end, y: Self.top - 8, fill: LaunchPicture.gray, anchor: "end")
  }

  /// Returns the position of a time of the launch.
  private func x(of time: Duration) -> Int {
    Self.barX + report.total.axisPosition(of: time, in: Self.barWidth)
  }

  /// Connects the bars of the longest chain of dependencies.
  private mutating func addLinks(_ tops: [Int]) {
    guard let chain else { return }
    let indices = Dictionary(
      rows.indices.compactMap { index in rows[index].turn.map { ($0, index) } }
    ) { first, _ in first }
    for (entry, next) in zip(chain.entries, chain.entries.dropFirst()) {
      guard let first = entry.turn.flatMap({ indices[$0] }),
        let second = next.turn.flatMap({ indices[$0] })
      else { continue }
      let x = x(of: rows[first].end)
      let endX = max(x, self.x(of: rows[second].start)) + 1
      let y = tops[first] + Self.rowHeight / 2
      picture.addLine("M \(x) \(y) H \(endX) V \(tops[second] + 4)", stroke: LaunchPicture.ink)
    }
  }

  private mutating func add(_ entry: LaunchReport.Entry, y: Int) {
    let color = Self.color(for: entry.outcome)
    let baseLine = y + 15
    let detail = self.detail(of: entry)
    let note = "\(entry.id), \(entry.site): \(detail ?? Self.word(for: entry))"
    picture.addText(
      entry.id.rawValue.shortened(to: Self.nameCells),
      x: Self.nameX,
      y: baseLine,
      note: note
    )
    if entry.hasRun {
      let begin = min(x(of: entry.start), Self.barX + Self.barWidth - 2)
      let x = begin..<max(x(of: entry.end), begin + 2)
      let outline = entry.turn.map(chained.contains) == true ? LaunchPicture.ink : nil
      let bar = y + 4..<y + Self.rowHeight - 4
      picture.addRectangle(x, bar, fill: color, stroke: outline, note: note)
      let duration = entry.duration.shortText
      picture.addText(duration, x: Self.durationX, y: baseLine, anchor: "end")
    }
    picture.addText(
      Self.word(for: entry),
      x: Self.outcomeX,
      y: baseLine,
      fill: color,
      isBold: entry.outcome.isFailure
    )
    guard let detail else { return }
    // Where a bar would be, or below it.
    guard entry.hasRun else {
      let text = detail.cut(to: Self.barWidth / LaunchPicture.cell)
      picture.addText(text, x: Self.barX, y: baseLine, fill: color)
      return
    }
    // Under the bar, and to the left of the line at the end if there is room.
    let text = detail.cut(to: (Self.width - Self.margin - Self.barX) / LaunchPicture.cell)
    let length = text.cellCount * LaunchPicture.cell
    let right = length <= Self.barWidth ? Self.barX + Self.barWidth : Self.width - Self.margin
    picture.addText(
      text,
      x: max(Self.barX, min(x(of: entry.start), right - length - 4)),
      y: baseLine + Self.detailHeight,
      fill: color
    )
  }

  /// The reason, on one line, for an entry that did not finish.
  private func detail(of entry: LaunchReport.Entry) -> String? {
    if entry.hasRun, !entry.isAbandoned, case .timedOut = entry.outcome {
      return "it returned, but too late"
    }
    guard let detail = LaunchReport.detail(of: entry, originals)?.onOneLine else { return nil }
    return detail.isEmpty ? nil : detail
  }

  /// Names the entries without a row.
  private var rest: String {
    let counts = Self.counts(of: others)
    let longest = others.filter(\.hasRun).map(\.duration).max()
    return "and \(others.count.grouped) more: \(Self.list(counts))"
      + (longest.map { "; none of them took longer than \($0.shortText)" } ?? "")
  }

  /// Adds the notes below the rows.
  ///
  /// - Returns: The lower edge of the picture.
  private mutating func addNotes(_ start: Int) -> Int {
    var y = start
    let cells = (Self.width - 2 * Self.margin) / LaunchPicture.cell
    if let chain {
      let names = Self.joined(chain.entries.map(\.id), " → ")
      let note =
        "longest chain of dependencies, \(chain.duration.shortText)"
        + " of \(report.total.shortText): \(names)"
      let x = Self.margin..<Self.margin + 16
      picture.addRectangle(x, y + 2..<y + 14, fill: "none", stroke: LaunchPicture.ink)
      for line in note.wrapped(to: cells - 3).prefix(4) {
        y += 14
        picture.addText(line, x: Self.margin + 24, y: y)
        y += 6
      }
    }
    var notes: [String] = []
    if !report.abandoned.isEmpty {
      notes.append("abandoned, and perhaps still running: " + Self.joined(report.abandoned, ", "))
    }
    notes += report.problems.prefix(Self.noteLimit).map { $0.description.onOneLine }
    let more = report.problems.count - Self.noteLimit
    if more > 0 { notes.append("and \(more.grouped) more faults in the dependencies") }
    for note in notes {
      let lines = note.wrapped(to: cells - 2)
      for (index, line) in lines.prefix(4).enumerated() {
        y += 14
        let isCut = index == 3 && lines.count > 4
        let x = Self.margin + (index > 0 ? 16 : 0)
        picture.addText(isCut ? line.cut(to: cells - 4) + " …" : line, x: x, y: y, fill: Self.red)
        y += 6
      }
    }
    return y + 8
  }
}
