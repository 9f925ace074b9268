/// A key that was typed.
package enum Key: Hashable, Sendable {
  /// One that makes a character.
  case character(Character)
  /// The escape key.
  case escape
  /// Return or enter.
  case enter
  /// The tabulator.
  case tab
  /// The key that deletes to the left.
  case backspace
  /// An arrow.
  case up, down, left, right
}
