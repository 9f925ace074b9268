/// A color of a terminal, with eight bits per channel.
package struct Color: Hashable, Sendable {
  /// The red channel.
  package var red: UInt8
  /// The green channel.
  package var green: UInt8
  /// The blue channel.
  package var blue: UInt8

  /// Creates a color from its channels.
  package init(red: UInt8, green: UInt8, blue: UInt8) {
    self.red = red
    self.green = green
    self.blue = blue
  }

  /// A Boolean value that indicates whether text on this color should be dark: its luma (ITU-R BT.601) is
  /// above half.
  package var isLight: Bool { 299 * Int(red) + 587 * Int(green) + 114 * Int(blue) > 127_500 }

  /// Returns the squared distance to another color; all channels have the same weight.
  func squaredDistance(to other: Color) -> Int {
    let red = Int(red) - Int(other.red)
    let green = Int(green) - Int(other.green)
    let blue = Int(blue) - Int(other.blue)
    return red * red + green * green + blue * blue
  }
}
