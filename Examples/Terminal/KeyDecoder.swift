/// Decodes the keys and replies in the bytes that a terminal sends.
///
/// A plain value that accepts the bytes in pieces of any length. Unknown sequences are skipped as a whole:
/// function keys, unexpected replies, invalid UTF-8, and pasted text if the terminal marks it (bracketed
/// paste).
///
/// An escape may be the key or the start of a sequence. Only a timeout distinguishes them: see
/// ``patience`` and ``giveUp()``.
package struct KeyDecoder: Sendable {
  private enum State: Sendable {
    /// Between keys.
    case ground
    /// Within a multibyte character: the bytes so far, and the number of missing ones.
    case character([UInt8], Int)
    /// After an escape.
    case escape
    /// After `ESC O`: one byte follows.
    case singleShift
    /// After `ESC [ [`: one byte follows, of a function key of the console.
    case functionKey
    /// In a mouse report of three raw bytes, which only terminals without decimal reports send: the number
    /// of missing ones.
    case rawMouse(Int)
    /// After `ESC [`: the parameters so far.
    case control([UInt8])
    /// After `ESC ]`: the command so far.
    case command([UInt8])
    /// After an escape in a command, which a backslash completes as its terminator.
    case commandEnd([UInt8])
    /// In an unexpected string.
    case string
    /// After an escape in an unexpected string.
    case stringEnd
    /// In pasted text: the number of bytes matched of its end marker.
    case paste(Int)
  }

  /// The end marker of pasted text.
  private static let pasteEnd = Array("\u{1b}[201~".utf8)
  /// The length at which commands are cut off.
  private static let longest = 64

  private var state = State.ground
  private var inputs: [Input] = []

  /// Creates a decoder in its initial state.
  package init() {}

  /// The time to wait for more bytes before calling ``giveUp()``, in milliseconds; `nil` between keys.
  ///
  /// The time is short after an escape, so that the key responds promptly, and longer within a sequence,
  /// so that its remaining bytes are not mistaken for keys.
  package var patience: Int? {
    switch state {
    case .ground: nil
    case .escape: 50
    default: 500
    }
  }

  /// Decodes bytes.
  ///
  /// - Returns: The inputs that the bytes complete, in order.
  /// - Complexity: O(*n*) in the number of bytes.
  package mutating func feed(_ bytes: some Sequence<UInt8>) -> [Input] {
    for byte in bytes { take(byte) }
    defer { inputs = [] }
    return inputs
  }

  /// Ends an incomplete sequence after no byte has arrived for ``patience``.
  ///
  /// - Returns: The escape key if the sequence is a single escape.
  package mutating func giveUp() -> [Input] {
    defer { state = .ground }
    if case .escape = state { return [.key(.escape)] }
    return []
  }

  private mutating func take(_ byte: UInt8) {
    switch state {
    case .ground: begin(byte)
    case .character(let bytes, let missing): proceed(bytes + [byte], missing)
    case .escape: takeAfterEscape(byte)
    case .singleShift: endSequence(with: Self.arrow(byte))
    case .functionKey: endSequence(with: nil)
    case .rawMouse(let missing): state = missing > 1 ? .rawMouse(missing - 1) : .ground
    case .control(let parameters): takeInControl(byte, parameters)
    case .command(let command): takeInCommand(byte, command)
    case .commandEnd(let command): byte == 0x5c ? end(command) : restart(with: byte)
    case .string: takeInString(byte)
    case .stringEnd: byte == 0x5c ? endSequence(with: nil) : restart(with: byte)
    case .paste(let count): takeInPaste(byte, count)
    }
  }

  /// Takes the first byte of a key or sequence.
  private mutating func begin(_ byte: UInt8) {
    state = .ground
    switch byte {
    case 0x1b: state = .escape
    case 0x0a, 0x0d: inputs.append(.key(.enter))
    case 0x09: inputs.append(.key(.tab))
    case 0x08, 0x7f: inputs.append(.key(.backspace))
    case 0x20..<0x7f: inputs.append(.key(.character(Character(Unicode.Scalar(byte)))))
    case 0xc2...0xdf: state = .character([byte], 1)
    case 0xe0...0xef: state = .character([byte], 2)
    case 0xf0...0xf4: state = .character([byte], 3)
    default: break
    }
  }

  private mutating func proceed(_ bytes: [UInt8], _ missing: Int) {
    guard let last = bytes.last, 0x80...0xbf ~= last else {
      begin(bytes.last ?? 0)
      return
    }
    if missing > 1 {
      state = .character(bytes, missing - 1)
      return
    }
    state = .ground
    if let character = String(validating: bytes, as: UTF8.self)?.first {
      inputs.append(.key(.character(character)))
    }
  }

  private mutating func takeAfterEscape(_ byte: UInt8) {
    switch byte {
    case 0x5b: state = .control([])  // [
    case 0x4f: state = .singleShift  // O
    case 0x5d: state = .command([])  // ]
    case 0x50, 0x58, 0x5e, 0x5f: state = .string  // P X ^ _
    default:
      // The escape key followed by another key, or another key pressed together with Alt.
      inputs.append(.key(.escape))
      begin(byte)
    }
  }

  private mutating func takeInControl(_ byte: UInt8, _ parameters: [UInt8]) {
    switch byte {
    case 0x20..<0x40:
      if parameters.count < Self.longest { state = .control(parameters + [byte]) }
    case 0x7e where parameters == Array("200".utf8): state = .paste(0)
    case 0x5b where parameters.isEmpty: state = .functionKey
    case 0x4d where parameters.isEmpty: state = .rawMouse(3)
    case 0x4d where parameters.first == 0x3c, 0x6d where parameters.first == 0x3c:
      state = .ground
      let mouse = Mouse(report: parameters, isPress: byte == 0x4d)
      if let mouse { inputs.append(.mouse(mouse)) }
    case 0x40..<0x7f: endSequence(with: Self.arrow(byte))
    default: begin(byte)
    }
  }

  private mutating func takeInCommand(_ byte: UInt8, _ command: [UInt8]) {
    switch byte {
    case 0x07, 0x9c: end(command)
    case 0x1b: state = .commandEnd(command)
    case 0x30..<0x3a where command.isEmpty: state = .command([byte])
    case _ where command.isEmpty:
      // Commands begin with a number, so this is a bracket pressed together with Alt.
      inputs += [.key(.escape), .key(.character("]"))]
      begin(byte)
    case 0x20...: if command.count < Self.longest { state = .command(command + [byte]) }
    default: begin(byte)
    }
  }

  private mutating func takeInString(_ byte: UInt8) {
    switch byte {
    case 0x07, 0x9c: state = .ground
    case 0x1b: state = .stringEnd
    default: break
    }
  }

  private mutating func takeInPaste(_ byte: UInt8, _ count: Int) {
    let isNext = byte == Self.pasteEnd[count]
    let matched = isNext ? count + 1 : byte == Self.pasteEnd[0] ? 1 : 0
    state = matched == Self.pasteEnd.count ? .ground : .paste(matched)
  }

  private mutating func end(_ command: [UInt8]) {
    state = .ground
    if let color = BackgroundReply.color(in: command) { inputs.append(.background(color)) }
  }

  private mutating func endSequence(with key: Key?) {
    state = .ground
    if let key { inputs.append(.key(key)) }
  }

  /// Ends the current sequence at an escape, which starts another one.
  private mutating func restart(with byte: UInt8) {
    state = .escape
    take(byte)
  }

  private static func arrow(_ byte: UInt8) -> Key? {
    switch byte {
    case 0x41: .up
    case 0x42: .down
    case 0x43: .right
    case 0x44: .left
    default: nil
    }
  }
}
