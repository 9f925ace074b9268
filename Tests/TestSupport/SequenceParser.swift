/// Takes the bytes sent to a terminal apart into text and sequences (ECMA-48).
struct SequenceParser: Sendable {
  /// A piece.
  enum Item: Sendable {
    /// A character to show.
    case text(Unicode.Scalar)
    /// One that does something.
    case control(UInt8)
    /// `ESC [`, parameters, a final byte.
    case sequence(String, Character)
    /// `ESC ]`, up to its end.
    case command(String)
    /// An escape and another byte.
    case escape(Character)
  }

  private enum State: Sendable {
    case ground
    case scalar(Int)
    case escape
    case sequence
    case command
    case commandEnd
  }

  private var state = State.ground
  private var bytes: [UInt8] = []

  /// Takes in a byte.
  ///
  /// - Returns: The piece that it ends.
  mutating func next(_ byte: UInt8) -> Item? {
    switch state {
    case .ground: return begin(byte)
    case .scalar(let missing):
      bytes.append(byte)
      state = missing > 1 ? .scalar(missing - 1) : .ground
      guard missing == 1 else { return nil }
      return .text(String(decoding: bytes, as: UTF8.self).unicodeScalars.first ?? "\u{fffd}")
    case .escape:
      bytes = []
      switch byte {
      case 0x5b: state = .sequence
      case 0x5d: state = .command
      default:
        state = .ground
        return .escape(Character(Unicode.Scalar(byte)))
      }
    case .sequence:
      if 0x40..<0x7f ~= byte {
        state = .ground
        return .sequence(text, Character(Unicode.Scalar(byte)))
      }
      bytes.append(byte)
    case .command:
      switch byte {
      case 0x07:
        state = .ground
        return .command(text)
      case 0x1b: state = .commandEnd
      default: bytes.append(byte)
      }
    case .commandEnd:
      state = .ground
      return .command(text)
    }
    return nil
  }

  private var text: String { String(decoding: bytes, as: UTF8.self) }

  private mutating func begin(_ byte: UInt8) -> Item? {
    bytes = [byte]
    switch byte {
    case 0x1b: state = .escape
    case 0x20..<0x7f: return .text(Unicode.Scalar(byte))
    case 0xc0..<0xe0: state = .scalar(1)
    case 0xe0..<0xf0: state = .scalar(2)
    case 0xf0...: state = .scalar(3)
    default: return .control(byte)
    }
    return nil
  }
}
