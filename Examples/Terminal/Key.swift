/// A typed key.
package enum Key: Hashable, Sendable {
  /// A character key.
  case character(Character)
  /// The escape key.
  case escape
  /// Return or enter.
  case enter
  /// The tab key.
  case tab
  /// The backspace key.
  case backspace
  /// An arrow key.
  case up, down, left, right
}
