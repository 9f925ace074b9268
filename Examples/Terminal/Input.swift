/// Input from a terminal.
package enum Input: Hashable, Sendable {
  /// A key.
  case key(Key)
  /// The background colour, in reply to a query.
  case background(Colour)
}
