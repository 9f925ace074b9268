/// A colour that a terminal can show.
package enum ShownColour: Hashable, Sendable {
  /// One of its own, by number: 0 to 15 are the named ones, the others the cube and the greys of xterm.
  case indexed(UInt8)
  /// Any.
  case direct(Colour)
}
