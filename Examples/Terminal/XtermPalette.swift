/// The 256 colors of xterm: sixteen named ones, a cube of six by six by six, and 24 grays.
///
/// Users can change the named colors, so a color maps to one of them only if the terminal has no others.
package enum XtermPalette {
  /// The named colors of xterm: eight normal and eight bright ones.
  package static let named: [Color] = [
    Color(red: 0, green: 0, blue: 0), Color(red: 205, green: 0, blue: 0),
    Color(red: 0, green: 205, blue: 0), Color(red: 205, green: 205, blue: 0),
    Color(red: 0, green: 0, blue: 238), Color(red: 205, green: 0, blue: 205),
    Color(red: 0, green: 205, blue: 205), Color(red: 229, green: 229, blue: 229),
    Color(red: 127, green: 127, blue: 127), Color(red: 255, green: 0, blue: 0),
    Color(red: 0, green: 255, blue: 0), Color(red: 255, green: 255, blue: 0),
    Color(red: 92, green: 92, blue: 255), Color(red: 255, green: 0, blue: 255),
    Color(red: 0, green: 255, blue: 255), Color(red: 255, green: 255, blue: 255),
  ]

  /// The levels of a channel in the cube.
  private static let steps: [UInt8] = [0, 95, 135, 175, 215, 255]

  /// Returns the color with an index.
  package static func color(_ index: UInt8) -> Color {
    switch Int(index) {
    case 0..<16:
      return named[Int(index)]
    case 16..<232:
      let number = Int(index) - 16
      return Color(
        red: steps[number / 36],
        green: steps[number / 6 % 6],
        blue: steps[number % 6]
      )
    default:
      let gray = UInt8(8 + 10 * (Int(index) - 232))
      return Color(red: gray, green: gray, blue: gray)
    }
  }

  /// Returns the index of the nearest color among the cube and the grays.
  ///
  /// - Complexity: O(1): computes the nearest color of each and compares the two.
  package static func nearest(to color: Color) -> UInt8 {
    let red = step(color.red)
    let green = step(color.green)
    let blue = step(color.blue)
    let inCube = UInt8(16 + 36 * red + 6 * green + blue)
    // The mean of the channels minimizes the sum of squares.
    let sum = Int(color.red) + Int(color.green) + Int(color.blue)
    let gray = UInt8(232 + min(max((sum - 24 + 15) / 30, 0), 23))
    let cubeDistance = Self.color(inCube).squaredDistance(to: color)
    let grayDistance = Self.color(gray).squaredDistance(to: color)
    return grayDistance < cubeDistance ? gray : inCube
  }

  /// Returns the index of the nearest named color, the first of several.
  package static func nearestNamed(to color: Color) -> UInt8 {
    var best: UInt8 = 0
    var bestDistance = Int.max
    for (index, named) in named.enumerated() {
      let distance = named.squaredDistance(to: color)
      if distance < bestDistance {
        bestDistance = distance
        best = UInt8(index)
      }
    }
    return best
  }

  /// Returns the nearest level of a channel; the boundaries are halfway between levels.
  private static func step(_ channel: UInt8) -> Int {
    switch channel {
    case ..<48: 0
    case ..<115: 1
    default: (Int(channel) - 35) / 40
    }
  }
}
