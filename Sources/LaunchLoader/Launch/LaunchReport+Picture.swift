extension LaunchReport {
  private static let margin = 16
  private static let rowHeight = 20
  private static let nameWidth = 28 * LaunchPicture.characterWidth
  private static let barWidth = 480
  private static let durationWidth = 10 * LaunchPicture.characterWidth
  private static let outcomeWidth = 12 * LaunchPicture.characterWidth
  private static var barX: Int { margin + nameWidth + margin }
  private static var width: Int {
    barX + barWidth + durationWidth + margin + outcomeWidth + margin
  }

  /// A bar chart as a picture: the text of an SVG file that needs no other file.
  ///
  /// It has a row for each entry, with a bar that shows start and duration, and its outcome; the critical
  /// path is outlined. Below are the notes of the chart in text. Pointing at a bar shows the source site
  /// and the error. The same report always gives the same text.
  ///
  /// - Complexity: O(*n* log *n*) in the number of entries.
  public var svg: String {
    let entries = entries
    let path = Set(criticalPath)
    let title =
      "\(entries.count) launch \(entries.count == 1 ? "worker" : "workers")"
      + " in \(total.shortText)"
    let top = 2 * Self.margin + Self.rowHeight
    let bottom = top + entries.count * Self.rowHeight
    var picture = LaunchPicture()
    picture.addText(title, x: Self.margin, y: Self.margin + 12, isBold: true)
    addScale(to: &picture, from: top, to: bottom)
    for (index, entry) in entries.enumerated() {
      let isCritical = entry.turn != nil && path.count > 1 && path.contains(entry.id)
      add(entry, to: &picture, y: top + index * Self.rowHeight, isCritical: isCritical)
    }
    var y = bottom + Self.margin
    for note in footnotes {
      y += Self.rowHeight
      picture.addText(note, x: Self.margin, y: y, fill: LaunchPicture.grey)
    }
    return picture.text(width: Self.width, height: y + 2 * Self.margin, title: title)
  }

  /// Adds a line for each quarter of the launch.
  private func addScale(to picture: inout LaunchPicture, from top: Int, to bottom: Int) {
    for quarter in 0...4 {
      let x = Self.barX + quarter * Self.barWidth / 4
      picture.addLine("M \(x) \(top - 4) V \(bottom)", stroke: "#e5e7eb")
      let time = (total / 4 * quarter).shortText
      picture.addText(time, x: x, y: bottom + 14, fill: LaunchPicture.grey, endsAtX: quarter == 4)
    }
  }

  private func add(
    _ entry: Entry,
    to picture: inout LaunchPicture,
    y: Int,
    isCritical: Bool
  ) {
    let name = LaunchPicture.shortened(entry.id.rawValue)
    let color = Self.color(for: entry.outcome)
    let baseLine = y + 14
    picture.addText(name, x: Self.margin, y: baseLine)
    if entry.hasRun {
      let begin = min(position(of: entry.start), Self.barWidth - 2)
      let end = max(position(of: entry.end), begin + 2)
      picture.addRectangle(
        x: Self.barX + begin,
        y: y + 3,
        width: end - begin,
        height: Self.rowHeight - 6,
        fill: color,
        stroke: isCritical ? LaunchPicture.ink : nil,
        note: "\(entry.id), \(entry.site): \(entry.outcome)"
      )
    }
    let right = Self.barX + Self.barWidth + Self.durationWidth
    if entry.hasRun {
      picture.addText(entry.duration.shortText, x: right, y: baseLine, endsAtX: true)
    }
    let word = Self.word(for: entry.outcome)
    if !word.isEmpty { picture.addText(word, x: right + Self.margin, y: baseLine, fill: color) }
  }

  /// Returns the distance of a time from the beginning of the bars.
  private func position(of time: Duration) -> Int {
    let total = self.total.inSeconds
    guard total > 0 else { return 0 }
    return Int(min(max(time.inSeconds / total, 0), 1) * Double(Self.barWidth))
  }

  private static func color(for outcome: LaunchOutcome) -> String {
    switch outcome {
    case .finished: "#3b82f6"
    case .failed: "#dc2626"
    case .timedOut: "#d97706"
    case .undone: "#7c3aed"
    case .skipped, .duplicate, .refused: LaunchPicture.grey
    }
  }
}
