import Terminal
import Theming

extension Canvas {
  /// Draws the story of events and services in the colors of a picture.
  init(_ contents: EventScreen.Contents, _ colors: Picture, _ size: Size) {
    let paper = Style(foreground: Color(colors.ink), background: Color(colors.paper))
    self.init(size, style: paper)
    if size.columns < Layout.smallest.columns || size.rows < Layout.smallest.rows {
      write("too small", column: 0, row: size.rows / 2, paper, width: size.columns)
      return
    }
    let muted = Style(foreground: Color(colors.muted), background: paper.background)
    let accent = Style(
      foreground: Color(colors.accent),
      background: paper.background,
      isBold: true
    )
    drawEventBar(colors)
    var row = 1
    if size.rows >= EventLayout.tall {
      for line in Self.wrapped(EventLayout.introduction, size.columns - 4) {
        write(line, column: 2, row: row, paper)
        row += 1
      }
      row += 1
    }
    let layout = EventLayout(contents, size)
    for line in layout.shown {
      let style = line.isCode ? accent : paper
      write(line.text, column: line.isCode ? 2 : 4, row: row, style, width: size.columns - 4)
      row += 1
    }
    write(String(repeating: "─", count: size.columns), column: 0, row: size.rows - 2, muted)
    let end = write(
      " \(layout.state(contents.state)) ",
      column: 2,
      row: size.rows - 2,
      accent,
      width: size.columns - 4
    )
    if layout.above > 0 {
      write(" ↑ \(layout.above) lines ", column: end + 1, row: size.rows - 2, muted)
    }
    let help = EventLayout.helps.first { $0.count <= size.columns - 4 } ?? ""
    write(help, column: 2, row: size.rows - 1, muted)
  }

  private mutating func drawEventBar(_ colors: Picture) {
    var style = Style(
      foreground: Color(colors.barText),
      background: Color(colors.barGround),
      isBold: true,
      standsOut: true
    )
    fill(Area(column: 0, row: 0, columns: size.columns, rows: 1), style)
    write("Events and services", column: 2, row: 0, style)
    style.isBold = false
    let name = "\(colors.skin), \(colors.appearance)"
    let width = min(name.count, size.columns - 24)
    write(name, column: size.columns - width - 2, row: 0, style, width: width)
  }
}

/// The lines of the story, and those of them that a window shows.
struct EventLayout: Sendable {
  /// A line of the story.
  struct Line: Sendable {
    let text: String
    let isCode: Bool
  }

  /// The height from which there is an introduction.
  static let tall = 16
  static let introduction = """
    A bus whose handlers end with their owners, and two services, one of which does not stop. Each step \
    runs the line of Swift that it shows, and says what it did.
    """
  /// The keys, in words that grow with the screen.
  static let helps = [
    "space next step  ↑↓ scroll  1-5 skin  v mailbox  q quit",
    "space next  ↑↓  v mailbox  q quit",
  ]

  let shown: ArraySlice<Line>
  /// The numbers of lines above those shown, and of all that do not fit.
  let above: Int
  let hidden: Int

  init(_ contents: EventScreen.Contents, _ size: Size) {
    let lines = contents.parts.flatMap { Self.lines(of: $0, size.columns) }
    let introduction =
      size.rows < Self.tall ? 0 : Canvas.wrapped(Self.introduction, size.columns - 4).count + 1
    let room = max(1, size.rows - 3 - introduction)
    hidden = max(0, lines.count - room)
    above = max(0, hidden - contents.offset)
    shown = lines[above..<min(lines.count, above + room)]
  }

  /// Says what the story does.
  func state(_ state: EventScreen.State) -> String {
    switch state {
    case .waiting: "space runs the next line of Swift"
    case .running: "running; the limits of the services are 1 s each"
    case .ended: "the end: space begins again"
    }
  }

  private static func lines(of part: EventStory.Part, _ columns: Int) -> [Line] {
    switch part {
    case .code(let code): return code.map { Line(text: $0, isCode: true) }
    case .effect(let claim, let found, let expected):
      let verdict = found == expected ? "" : "; expected: \(expected)"
      return Canvas.wrapped("\(claim): \(found)\(verdict)", columns - 7).enumerated().map {
        Line(text: ($0 == 0 ? "→ " : "  ") + $1, isCode: false)
      }
    }
  }
}
