/// The style with which a terminal shows a cell: a ``Style`` reduced to a ``ColorDepth``.
package struct ShownStyle: Hashable, Sendable {
  /// The text color; `nil` is the terminal's default.
  package var foreground: ShownColor?
  /// The background color; `nil` is the terminal's default.
  package var background: ShownColor?
  /// A Boolean value that indicates whether the text is bold.
  package var isBold = false
  /// A Boolean value that indicates whether the two colors are swapped.
  package var isReversed = false

  /// Creates the default style of a terminal.
  package init() {}

  /// The control sequence that sets exactly this style, regardless of the previous one (ECMA-48, SGR;
  /// indexed and direct colors as in xterm, "Character Attributes").
  package var sequence: String {
    var parameters = ["0"]
    if isBold { parameters.append("1") }
    if isReversed { parameters.append("7") }
    if let foreground { parameters.append(Self.parameter(foreground, base: 30)) }
    if let background { parameters.append(Self.parameter(background, base: 40)) }
    return "\u{1b}[\(parameters.joined(separator: ";"))m"
  }

  private static func parameter(_ color: ShownColor, base: Int) -> String {
    switch color {
    case .indexed(let index) where index < 8: "\(base + Int(index))"
    case .indexed(let index) where index < 16: "\(base + 60 + Int(index) - 8)"
    case .indexed(let index): "\(base + 8);5;\(index)"
    case .direct(let color): "\(base + 8);2;\(color.red);\(color.green);\(color.blue)"
    }
  }
}
