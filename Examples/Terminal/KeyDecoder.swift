/// The rule of reading: which keys, and which answers of the terminal, are in the bytes that it sends.
///
/// A plain value, fed with whatever pieces the bytes come in. What it does not know is skipped as a
/// whole: function keys, answers nobody waits for, bytes that are no UTF-8, and everything that was
/// pasted, if the terminal says so (bracketed paste).
///
/// An escape may be the key or begin a sequence. Only time can tell: see ``patience`` and ``giveUp()``.
package struct KeyDecoder: Sendable {
  private enum State: Sendable {
    /// Between keys.
    case ground
    /// Within a character of several bytes: those that came, and how many are missing.
    case character([UInt8], Int)
    /// Behind an escape.
    case escape
    /// Behind `ESC O`: one byte follows.
    case singleShift
    /// Behind `ESC [ [`: one byte follows, of a function key of the console.
    case functionKey
    /// Behind `ESC [`: what came of the parameters.
    case control([UInt8])
    /// Behind `ESC ]`: what came of the command.
    case command([UInt8])
    /// Behind an escape in a command, which a backslash makes the end of it.
    case commandEnd([UInt8])
    /// In a string that nobody asked for.
    case string
    /// Behind an escape in one.
    case stringEnd
    /// In pasted text: how many bytes of what ends it have come.
    case paste(Int)
  }

  /// What ends pasted text.
  private static let pasteEnd = Array("\u{1b}[201~".utf8)
  /// Commands are cut off here.
  private static let longest = 64

  private var state = State.ground
  private var inputs: [Input] = []

  /// Creates a rule that has read nothing.
  package init() {}

  /// How long to wait for more before ``giveUp()``, in milliseconds; `nil` if nothing has begun.
  ///
  /// Short behind an escape, since a key has to feel like one; longer within a sequence, whose rest must
  /// not be taken for keys.
  package var patience: Int? {
    switch state {
    case .ground: nil
    case .escape: 50
    default: 500
    }
  }

  /// Takes in bytes.
  ///
  /// - Returns: What has become whole with them, in order.
  /// - Complexity: O(*n*) in their number.
  package mutating func feed(_ bytes: some Sequence<UInt8>) -> [Input] {
    for byte in bytes { take(byte) }
    defer { inputs = [] }
    return inputs
  }

  /// Ends whatever has begun: nothing more has come for as long as ``patience`` says.
  ///
  /// - Returns: The escape key, if there was nothing but an escape.
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
    case .control(let parameters): takeInControl(byte, parameters)
    case .command(let command): takeInCommand(byte, command)
    case .commandEnd(let command): byte == 0x5c ? end(command) : restart(with: byte)
    case .string: takeInString(byte)
    case .stringEnd: byte == 0x5c ? endSequence(with: nil) : restart(with: byte)
    case .paste(let count): takeInPaste(byte, count)
    }
  }

  /// A byte between keys.
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
      // The key, and another one right after it, or held with the key for alternatives.
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
      // Commands begin with a number. So it was a bracket, held with the key for alternatives.
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
    if let colour = BackgroundReply.colour(in: command) { inputs.append(.background(colour)) }
  }

  private mutating func endSequence(with key: Key?) {
    state = .ground
    if let key { inputs.append(.key(key)) }
  }

  /// An escape in a sequence ends it, and begins another one.
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
