/// A colour as terminals speak of it: red, green and blue of eight bits each.
package struct Colour: Hashable, Sendable {
  /// How much red.
  package var red: UInt8
  /// How much green.
  package var green: UInt8
  /// How much blue.
  package var blue: UInt8

  /// Creates a colour from its channels.
  package init(red: UInt8, green: UInt8, blue: UInt8) {
    self.red = red
    self.green = green
    self.blue = blue
  }

  /// Whether text on this colour wants to be dark: the luma of ITU-R BT.601 is above the middle.
  package var isLight: Bool { 299 * Int(red) + 587 * Int(green) + 114 * Int(blue) > 127_500 }

  /// The square of the distance to another colour, each channel counting the same.
  func squaredDistance(to other: Colour) -> Int {
    let red = Int(red) - Int(other.red)
    let green = Int(green) - Int(other.green)
    let blue = Int(blue) - Int(other.blue)
    return red * red + green * green + blue * blue
  }
}
