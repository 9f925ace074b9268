/// Input from a terminal.
package enum Input: Hashable, Sendable {
  /// A key.
  case key(Key)
  /// An action of the mouse.
  case mouse(Mouse)
  /// The background color, in reply to a query.
  case background(Color)
}

/// An action of the mouse, at a cell counted from zero.
package enum Mouse: Hashable, Sendable {
  /// The first button was pressed.
  case press(column: Int, row: Int)
  /// The wheel was turned.
  case wheelUp, wheelDown

  /// Decodes the parameters of a report, `button;column;row`, which `M` or `m` ends (xterm, "SGR mouse
  /// reports").
  ///
  /// - Returns: The action, or `nil` for other buttons, modifiers and releases.
  init?(report parameters: [UInt8], isPress: Bool) {
    guard isPress, parameters.first == 0x3c else { return nil }
    let numbers = parameters.dropFirst().split(separator: 0x3b, omittingEmptySubsequences: false)
      .map { Int(String(decoding: $0, as: UTF8.self)) }
    guard numbers.count == 3, let button = numbers[0], let column = numbers[1],
      let row = numbers[2],
      column > 0, row > 0
    else { return nil }
    switch button {
    case 0: self = .press(column: column - 1, row: row - 1)
    case 64: self = .wheelUp
    case 65: self = .wheelDown
    default: return nil
    }
  }
}
