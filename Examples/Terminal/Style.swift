/// The style of a cell, in the colors of the program.
package struct Style: Hashable, Sendable {
  /// The text color; `nil` is the terminal's default.
  package var foreground: Color?
  /// The background color; `nil` is the terminal's default.
  package var background: Color?
  /// A Boolean value that indicates whether the text is bold.
  package var isBold: Bool
  /// A Boolean value that indicates whether terminals without colors reverse the cell.
  package var standsOut: Bool

  /// Creates a style; by default, that of the terminal.
  package init(
    foreground: Color? = nil,
    background: Color? = nil,
    isBold: Bool = false,
    standsOut: Bool = false
  ) {
    self.foreground = foreground
    self.background = background
    self.isBold = isBold
    self.standsOut = standsOut
  }
}
