/// A colour that a terminal can show.
package enum ShownColour: Hashable, Sendable {
  /// A palette colour: 0 to 15 are the named colours, the others the cube and the greys of xterm.
  case indexed(UInt8)
  /// Any colour.
  case direct(Colour)
}
