import Terminal

/// The positions of the parts of a screen, for drawing and for the mouse.
///
/// From the top: the bar, the strip of skins, an introduction, the rows, a line with the number of subscriptions, the code of
/// the last action, its outcome, and the keys. A wide screen has a second pane on the right.
struct Layout: Sendable {
  /// A part of the screen that reacts to the mouse.
  enum Target: Equatable, Sendable {
    /// The skin with this index in the strip.
    case skin(Int)
    /// The row with this index.
    case row(Int)
  }

  /// A skin in the strip.
  struct Tab: Sendable {
    let columns: Range<Int>
    let label: String
    let swatchCount: Int
  }

  /// The smallest screen that shows more than a message about its size.
  static let smallest = Size(columns: 40, rows: 9)
  /// The width from which a second pane is shown.
  static let wide = 100
  /// The height from which there is an introduction.
  private static let tall = 20

  let size: Size
  /// The width of the mailbox, without the second pane.
  let columns: Int
  let tabs: [Tab]
  /// The lines that say what the screen shows and what its keys do, if there is room.
  let introduction: [String]
  /// The line with the names of the columns, if there is room.
  let header: Int?
  /// The rows that are shown, and their lines.
  let rows: [(index: Int, line: Int)]
  /// The numbers of rows above and below those shown, and the lines that show these numbers.
  let above: (count: Int, line: Int)?
  let below: (count: Int, line: Int)?
  /// The first line of the footer.
  let footer: Int

  init(_ picture: Picture, _ size: Size) {
    self.size = size
    columns =
      size.columns < Self.wide
      ? size.columns : size.columns - min(60, max(44, size.columns * 2 / 5))
    footer = size.rows - 4
    tabs = Self.tabs(picture.skins, within: columns)
    introduction = size.rows < Self.tall ? [] : Canvas.wrapped(Self.introduction, columns - 4)
    // With an empty line after an introduction.
    let begin = introduction.isEmpty ? 2 : 3 + introduction.count
    let (first, count, step) = Self.window(picture, room: footer - begin)
    let total = picture.rows.count
    let isCut = count < total
    header = step == 2 || total < footer - begin ? begin : nil
    let top = header == nil ? begin : begin + 1
    let hasLineAbove = isCut && first > 0
    let start = hasLineAbove ? top + 1 : top
    rows = (0..<count).map { (first + $0, start + $0 * step) }
    above = hasLineAbove ? (first, top) : nil
    let rest = total - first - count
    below = rest > 0 ? (rest, footer - 1) : nil
  }

  private static let introduction = """
    A mailbox whose views follow a theme. Each key runs a line of Swift, shown below; the views that it \
    called are inverted for a moment. The key v shows events, and a service that hangs.
    """

  /// Returns the part of the screen at a position.
  func target(column: Int, row: Int) -> Target? {
    if size.columns < Self.smallest.columns || size.rows < Self.smallest.rows { return nil }
    if row == 1 { return tabs.firstIndex { $0.columns.contains(column) }.map { .skin($0) } }
    guard 2..<(columns - 2) ~= column else { return nil }
    return rows.first { $0.line == row }.map { .row($0.index) }
  }

  /// Returns the first row shown, the number of rows shown, and the distance of their lines.
  ///
  /// The selected row is always among them. A line is kept free on each side where rows are missing.
  private static func window(_ picture: Picture, room: Int) -> (Int, Int, Int) {
    let total = picture.rows.count
    if 2 * total < room { return (0, total, 2) }
    if total <= room { return (0, total, 1) }
    let selected = picture.selection ?? 0
    if selected < room - 1 { return (0, room - 1, 1) }
    if selected > total - room { return (total - room + 1, room - 1, 1) }
    return (selected - room / 2 + 1, max(1, room - 2), 1)
  }

  /// Divides the strip, with the same level of detail for all skins.
  private static func tabs(_ skins: [Picture.Skin], within width: Int) -> [Tab] {
    for (isNamed, swatchCount) in [(true, 3), (true, 1), (false, 3), (false, 1)] {
      var column = 1
      let tabs = skins.enumerated().map { index, skin in
        let label = isNamed || skin.isInUse ? "\(index + 1) \(skin.name)" : "\(index + 1)"
        let columns = column..<(column + label.count + (swatchCount > 0 ? swatchCount + 1 : 0) + 2)
        column = columns.upperBound
        return Tab(columns: columns, label: label, swatchCount: swatchCount)
      }
      if column <= width { return tabs }
    }
    return []
  }
}
