import Terminal

/// An SVG file (W3C, SVG 1.1) with terminal windows, cell for cell: a wide one, and narrower ones in a row below it.
///
/// The file uses integers only, and no external fonts or scripts, so it is identical on every machine. The
/// length of each text is given, so that the cells stay in their columns with any font.
struct SVG {
  private static let cell = (width: 8, height: 17)
  private static let baseline = 13
  private static let margin = 8
  /// The height of the title of a window, and the upper edge of the cells.
  private static let barHeight = 28
  private static let top = barHeight + 4
  private static let gap = 16

  /// The text of the file.
  private(set) var text = ""
  private var depth = 0

  /// A terminal window.
  struct Window {
    let screen: Canvas
    /// The title of the window.
    let caption: String
  }

  /// Draws windows.
  ///
  /// - Parameters:
  ///   - windows: The wide one, and the others.
  ///   - title: The title of the picture, for readers that do not show pictures.
  init(_ windows: [Window], title: String) {
    let sizes = windows.map { Self.size(of: $0.screen) }
    let below = sizes.dropFirst()
    let rowWidth = below.reduce(-Self.gap) { $0 + $1.width + Self.gap }
    let width = max(sizes.first?.width ?? 0, rowWidth)
    let height = (sizes.first?.height ?? 0) + Self.gap + (below.map(\.height).max() ?? 0)
    open(
      "svg xmlns=\"http://www.w3.org/2000/svg\" width=\"\(width)\" height=\"\(height)\" "
        + "viewBox=\"0 0 \(width) \(height)\" role=\"img\" font-family=\"monospace\" font-size=\"13\""
    )
    add("<title>\(Self.escaped(title))</title>")
    let captions = windows.map(\.caption).joined(separator: "; ")
    add("<desc>Terminal windows with the titles: \(Self.escaped(captions))</desc>")
    var x = 0
    for (index, window) in windows.enumerated() {
      open("g transform=\"translate(\(x) \(index == 0 ? 0 : sizes[0].height + Self.gap))\"")
      draw(window, sizes[index])
      close("g")
      x = index == 0 ? 0 : x + sizes[index].width + Self.gap
    }
    close("svg")
  }

  private static func size(of screen: Canvas) -> (width: Int, height: Int) {
    (
      screen.size.columns * cell.width + 2 * margin,
      top + screen.size.rows * cell.height + margin
    )
  }

  private mutating func draw(_ window: Window, _ size: (width: Int, height: Int)) {
    let (screen, width, height) = (window.screen, size.width, size.height)
    let paper = screen[0, screen.size.rows - 1]?.style.background
    add("<rect width=\"\(width)\" height=\"\(height)\" rx=\"10\" fill=\"#3b4252\"/>")
    let caption = String(window.caption.prefix(screen.size.columns))
    text(caption, x: Self.margin + Self.cell.width, y: 19, Color(red: 255, green: 255, blue: 255))
    add(
      "<path d=\"M 0 \(Self.barHeight) H \(width) V \(height - 10) Q \(width) \(height) \(width - 10) "
        + "\(height) H 10 Q 0 \(height) 0 \(height - 10) Z\" fill=\"\(Self.hex(paper))\"/>"
    )
    for row in 0..<screen.size.rows {
      for run in Self.runs(in: screen, row, by: { $0.style.background }) where run.first != paper {
        rectangle(run.columns, row, run.first)
      }
      let runs = Self.runs(in: screen, row) { cell in
        Ink(color: cell.style.foreground, isBold: cell.style.isBold)
      }
      for run in runs { write(screen, run.columns, row, run.first) }
    }
    add(
      "<rect x=\"0\" y=\"0\" width=\"\(width)\" height=\"\(height)\" rx=\"10\" fill=\"none\" "
        + "stroke=\"#808080\"/>"
    )
  }

  /// The style of a text.
  private struct Ink: Equatable {
    let color: Color?
    let isBold: Bool
  }

  /// Divides a row into runs of cells that are alike.
  private static func runs<Value: Equatable>(
    in screen: Canvas,
    _ row: Int,
    by value: (Cell) -> Value
  ) -> [(columns: Range<Int>, first: Value)] {
    var runs: [(columns: Range<Int>, first: Value)] = []
    for column in 0..<screen.size.columns {
      guard let cell = screen[column, row] else { continue }
      let value = value(cell)
      if let last = runs.last, last.first == value {
        runs[runs.count - 1].columns = last.columns.lowerBound..<(column + 1)
      } else {
        runs.append((column..<(column + 1), value))
      }
    }
    return runs
  }

  private mutating func rectangle(_ columns: Range<Int>, _ row: Int, _ fill: Color?) {
    let x = Self.margin + columns.lowerBound * Self.cell.width
    let y = Self.top + row * Self.cell.height
    add(
      "<rect x=\"\(x)\" y=\"\(y)\" width=\"\(columns.count * Self.cell.width)\" "
        + "height=\"\(Self.cell.height)\" fill=\"\(Self.hex(fill))\"/>"
    )
  }

  /// Writes the words of a run, each group of words that single spaces separate at its column.
  private mutating func write(_ screen: Canvas, _ columns: Range<Int>, _ row: Int, _ ink: Ink) {
    var column = columns.lowerBound
    while column < columns.upperBound {
      var words = String.UnicodeScalarView()
      let start = column
      while column < columns.upperBound, let cell = screen[column, row] {
        let isGap = cell.scalar == " " && (words.isEmpty || screen[column + 1, row]?.scalar == " ")
        if isGap { break }
        words.append(cell.scalar)
        column += 1
      }
      if words.last == " " { words.removeLast() }
      if !words.isEmpty { write(String(words), at: start, row, ink) }
      column += 1
    }
  }

  private mutating func write(_ words: String, at column: Int, _ row: Int, _ ink: Ink) {
    let x = Self.margin + column * Self.cell.width
    let y = Self.top + row * Self.cell.height + Self.baseline
    text(words, x: x, y: y, ink.color, isBold: ink.isBold)
  }

  private mutating func text(
    _ words: String,
    x: Int,
    y: Int,
    _ color: Color?,
    isBold: Bool = false
  ) {
    let length = words.unicodeScalars.count * Self.cell.width
    add(
      "<text x=\"\(x)\" y=\"\(y)\" fill=\"\(Self.hex(color))\" textLength=\"\(length)\" "
        + "lengthAdjust=\"spacingAndGlyphs\"\(isBold ? " font-weight=\"bold\"" : "")>"
        + "\(Self.escaped(words))</text>"
    )
  }

  private static func hex(_ color: Color?) -> String {
    guard let color else { return "none" }
    let digits = [color.red, color.green, color.blue].map { channel in
      (channel < 16 ? "0" : "") + String(channel, radix: 16)
    }
    return "#" + digits.joined()
  }

  private mutating func open(_ element: String) {
    add("<\(element)>")
    depth += 1
  }

  private mutating func close(_ name: String) {
    depth -= 1
    add("</\(name)>")
  }

  private mutating func add(_ line: String) {
    text += String(repeating: "  ", count: depth) + line + "\n"
  }

  private static func escaped(_ text: String) -> String {
    var escaped = ""
    for character in text {
      switch character {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      default: escaped.append(character)
      }
    }
    return escaped
  }
}
