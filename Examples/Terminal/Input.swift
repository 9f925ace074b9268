/// What comes from a terminal.
package enum Input: Hashable, Sendable {
  /// A key.
  case key(Key)
  /// The colour of its background, which it was asked for.
  case background(Colour)
}
