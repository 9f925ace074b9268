/// How a cell is to look, in the colours of the program.
package struct Style: Hashable, Sendable {
  /// The colour of the text; `nil` is the terminal's own.
  package var foreground: Colour?
  /// The colour behind it; `nil` is the terminal's own.
  package var background: Colour?
  /// Whether the text is bold.
  package var isBold: Bool
  /// Whether it stands out: a terminal that shows no colours reverses it.
  package var standsOut: Bool

  /// Creates a style; without arguments, that of the terminal.
  package init(
    foreground: Colour? = nil,
    background: Colour? = nil,
    isBold: Bool = false,
    standsOut: Bool = false
  ) {
    self.foreground = foreground
    self.background = background
    self.isBold = isBold
    self.standsOut = standsOut
  }
}
