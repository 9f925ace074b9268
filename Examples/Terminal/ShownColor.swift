/// A color that a terminal can show.
package enum ShownColor: Hashable, Sendable {
  /// A palette color: 0 to 15 are the named colors, the others the cube and the grays of xterm.
  case indexed(UInt8)
  /// Any color.
  case direct(Color)
}
