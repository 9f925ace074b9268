/// The effects of the pieces on the screen.
extension Screen {
  mutating func take(_ item: SequenceParser.Item) {
    switch item {
    case .text(let scalar): show(scalar)
    case .control(0x0d): column = 0
    case .control(0x0a): feedLine()
    case .control(0x08): column = max(0, column - 1)
    case .control(0x07): break
    case .command(let command): commands.append(command)
    case .sequence(let parameters, let final): obey(parameters, final)
    case .control(let byte): unknown.append("control \(byte)")
    case .escape(let character): unknown.append("ESC \(character)")
    }
  }

  private mutating func show(_ scalar: Unicode.Scalar) {
    if column == columns {
      column = modes.wraps ? 0 : columns - 1
      if modes.wraps { feedLine() }
    }
    cells[row * columns + column] = Cell(scalar: scalar, style: style)
    column += 1
    written += 1
  }

  private mutating func feedLine() {
    if row < rows - 1 {
      row += 1
      return
    }
    cells.removeFirst(columns)
    cells += Array(repeating: Cell(), count: columns)
  }

  private mutating func obey(_ parameters: String, _ final: Character) {
    let numbers = parameters.split(separator: ";", omittingEmptySubsequences: false)
      .map { Int($0) ?? 0 }
    switch (parameters.first, final) {
    case ("?", "h"): switchModes(parameters, true)
    case ("?", "l"): switchModes(parameters, false)
    case (_, "H"):
      row = min(max((numbers.first ?? 1) - 1, 0), rows - 1)
      column = min(max((numbers.count > 1 ? numbers[1] : 1) - 1, 0), columns - 1)
    case (_, "J") where numbers.first == 2:
      cells = Array(repeating: Cell(scalar: " ", style: style), count: columns * rows)
    case (_, "m"): paint(numbers)
    default: unknown.append("CSI \(parameters)\(final)")
    }
  }

  private mutating func switchModes(_ parameters: String, _ isOn: Bool) {
    switch parameters {
    case "?1049":
      if isOn != modes.isAlternate { swap(&cells, &hiddenCells) }
      if isOn { cells = Array(repeating: Cell(), count: columns * rows) }
      modes.isAlternate = isOn
    case "?25": modes.showsCursor = isOn
    case "?7": modes.wraps = isOn
    case "?2004": modes.marksPastes = isOn
    case "?1000": modes.reportsMouse = isOn
    case "?1006": modes.reportsMouseInDecimal = isOn
    case "?2026":
      if isInFrame && !isOn {
        frameCount += 1
        cellsPerFrame.append(written)
      }
      isInFrame = isOn
      written = 0
    default: unknown.append("CSI \(parameters)")
    }
  }

  private mutating func paint(_ numbers: [Int]) {
    var rest = numbers[...]
    while let number = rest.popFirst() {
      switch number {
      case 0: style = Style()
      case 1: style.isBold = true
      case 7: style.isReversed = true
      case 30..<38: style.foreground = .indexed(number - 30)
      case 40..<48: style.background = .indexed(number - 40)
      case 90..<98: style.foreground = .indexed(number - 82)
      case 100..<108: style.background = .indexed(number - 92)
      case 38: style.foreground = Self.color(&rest)
      case 48: style.background = Self.color(&rest)
      default: unknown.append("SGR \(number)")
      }
    }
  }

  private static func color(_ rest: inout ArraySlice<Int>) -> Color? {
    switch rest.popFirst() {
    case 5: return rest.popFirst().map { .indexed($0) }
    case 2:
      guard let red = rest.popFirst(), let green = rest.popFirst(), let blue = rest.popFirst()
      else { return nil }
      return .direct(red, green, blue)
    default: return nil
    }
  }
}
