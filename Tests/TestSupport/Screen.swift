/// The screen of a terminal after it received some bytes, as far as the tests need it.
///
/// A plain value. Unknown input is kept in ``unknown`` for the tests.
public struct Screen: Sendable {
  /// The color of a cell.
  public enum Color: Hashable, Sendable {
    /// One of 256.
    case indexed(Int)
    /// Any.
    case direct(Int, Int, Int)
  }

  /// How a cell looks.
  public struct Style: Hashable, Sendable {
    /// The color of the text; `nil` is the terminal's own.
    public var foreground: Color?
    /// The color behind it.
    public var background: Color?
    /// A Boolean value that indicates whether the text is bold.
    public var isBold = false
    /// A Boolean value that indicates whether the colors are reversed.
    public var isReversed = false

    /// The style that a terminal begins with.
    public init() {}
  }

  /// A position on the screen.
  public struct Cell: Hashable, Sendable {
    /// The text of the cell.
    public var scalar: Unicode.Scalar = " "
    /// How it looks.
    public var style = Style()
  }

  /// The modes that a program may switch.
  public struct Modes: Hashable, Sendable {
    /// A Boolean value that indicates whether the alternate screen is shown.
    public var isAlternate = false
    /// A Boolean value that indicates whether the cursor is shown.
    public var showsCursor = true
    /// A Boolean value that indicates whether text wraps to the next line.
    public var wraps = true
    /// A Boolean value that indicates whether pasted text is marked.
    public var marksPastes = false
    /// A Boolean value that indicates whether mouse buttons are reported.
    public var reportsMouse = false
    /// A Boolean value that indicates whether the reports of the mouse are decimal numbers.
    public var reportsMouseInDecimal = false

    /// The modes that a terminal begins with.
    public init() {}
  }

  /// The number of columns.
  public private(set) var columns: Int
  /// The number of rows.
  public private(set) var rows: Int
  /// The active modes.
  public internal(set) var modes = Modes()
  /// A Boolean value that indicates whether a frame has begun and not ended.
  public internal(set) var isInFrame = false
  /// The number of finished frames.
  public internal(set) var frameCount = 0
  /// The number of cells written, frame by frame.
  public internal(set) var cellsPerFrame: [Int] = []
  /// The commands to the terminal, such as a question for a color.
  public internal(set) var commands: [String] = []
  /// Sequences that it does not know.
  public internal(set) var unknown: [String] = []

  var cells: [Cell]
  var hiddenCells: [Cell]
  var style = Style()
  var column = 0
  var row = 0
  var written = 0
  private var parser = SequenceParser()

  /// Creates an empty screen.
  public init(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
    cells = Array(repeating: Cell(), count: columns * rows)
    hiddenCells = cells
  }

  /// Takes in bytes, in whatever pieces they come.
  public mutating func feed(_ bytes: some Sequence<UInt8>) {
    for byte in bytes {
      if let item = parser.next(byte) { take(item) }
    }
  }

  /// Resizes the screen and clips its contents.
  public mutating func resize(columns: Int, rows: Int) {
    let former = self
    self = Screen(columns: columns, rows: rows)
    for row in 0..<min(rows, former.rows) {
      for column in 0..<min(columns, former.columns) {
        cells[row * columns + column] = former.cells[row * former.columns + column]
        hiddenCells[row * columns + column] = former.hiddenCells[row * former.columns + column]
      }
    }
    (modes, isInFrame, frameCount) = (former.modes, former.isInFrame, former.frameCount)
    (commands, unknown, parser) = (former.commands, former.unknown, former.parser)
    (cellsPerFrame, style, written) = (former.cellsPerFrame, former.style, former.written)
    (column, row) = (min(former.column, columns - 1), min(former.row, rows - 1))
  }

  /// A cell.
  public subscript(column: Int, row: Int) -> Cell { cells[row * columns + column] }

  /// Returns the text of a row, without the spaces behind it.
  public func line(_ row: Int) -> String {
    var scalars = (0..<columns).map { self[$0, row].scalar }
    while scalars.last == " " { scalars.removeLast() }
    return String(String.UnicodeScalarView(scalars))
  }

  /// The text of all rows.
  public var text: String { (0..<rows).map(line).joined(separator: "\n") }

  /// Returns whether the screen shows some text within a row.
  public func contains(_ text: String) -> Bool {
    (0..<rows).contains { find(text, in: $0) != nil }
  }

  /// Returns the first position of some text, or `nil`.
  public func place(of text: String) -> (column: Int, row: Int)? {
    for row in 0..<rows {
      if let column = find(text, in: row) { return (column, row) }
    }
    return nil
  }

  private func find(_ text: String, in row: Int) -> Int? {
    let scalars = Array(text.unicodeScalars)
    let line = (0..<columns).map { self[$0, row].scalar }
    guard scalars.count <= line.count else { return nil }
    return (0...(line.count - scalars.count)).first {
      Array(line[$0..<($0 + scalars.count)]) == scalars
    }
  }
}
