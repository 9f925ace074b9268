/// How a terminal shows a cell: a ``Style`` after ``ColourDepth`` has taken away what it cannot.
package struct ShownStyle: Hashable, Sendable {
  /// The colour of the text; `nil` is the terminal's own.
  package var foreground: ShownColour?
  /// The colour behind it; `nil` is the terminal's own.
  package var background: ShownColour?
  /// Whether the text is bold.
  package var isBold = false
  /// Whether the two colours change places.
  package var isReversed = false

  /// Creates the style that a terminal begins with.
  package init() {}

  /// The control sequence that sets exactly this, whatever was set before (ECMA-48, SGR; the colours
  /// by number and directly are those of xterm, "Character Attributes").
  package var sequence: String {
    var parameters = ["0"]
    if isBold { parameters.append("1") }
    if isReversed { parameters.append("7") }
    if let foreground { parameters.append(Self.parameter(foreground, base: 30)) }
    if let background { parameters.append(Self.parameter(background, base: 40)) }
    return "\u{1b}[\(parameters.joined(separator: ";"))m"
  }

  private static func parameter(_ colour: ShownColour, base: Int) -> String {
    switch colour {
    case .indexed(let index) where index < 8: "\(base + Int(index))"
    case .indexed(let index) where index < 16: "\(base + 60 + Int(index) - 8)"
    case .indexed(let index): "\(base + 8);5;\(index)"
    case .direct(let colour): "\(base + 8);2;\(colour.red);\(colour.green);\(colour.blue)"
    }
  }
}
