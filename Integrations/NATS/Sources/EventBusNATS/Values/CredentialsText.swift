/// The text of a file with credentials.
///
/// The client reads the file when it connects, and its error does not name it. The rules are those of the client:
/// a file with sections, each a line between two that end with `---`, has the credentials there; a file without
/// sections has a seed in the first line that begins with SU.
package struct CredentialsText {
  private let lines: [[UInt8]]

  /// Creates the text of a file.
  package init(_ text: [UInt8]) {
    lines = text.split { $0 == UInt8(ascii: "\n") }.map(Array.init)
  }

  /// Why the file cannot be used as one with the seed of a user's NKey; `nil` if it can.
  package var problemWithSeed: String? {
    if let section = sections.first { return Self.problem(ofSeed: section) }
    let trimmed = lines.map { $0.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") } }
    guard let seed = trimmed.first(where: { $0.starts(with: Self.beginning) }) else {
      return Self.noSeed
    }
    return Self.problem(ofSeed: Array(seed))
  }

  /// Why the file cannot be used as one with a user's JWT and seed; `nil` if it can.
  package var problemWithUser: String? {
    let sections = sections
    guard sections.count >= 2 else {
      return "does not have the two sections with a user's JWT and seed, as nsc writes them"
    }
    return Self.problem(ofSeed: sections[1])
  }

  private static let beginning = Array("SU".utf8)
  private static let noSeed = "has no seed of a user's NKey, which is a line that begins with SU"

  /// The lines between two that end with hyphens.
  private var sections: [[UInt8]] {
    var found: [[UInt8]] = []
    var index = 0
    while index + 2 < lines.count {
      if isEdge(lines[index]), isEdge(lines[index + 2]) {
        found.append(lines[index + 1])
        index += 2
      }
      index += 1
    }
    return found
  }

  private func isEdge(_ line: [UInt8]) -> Bool {
    line.reversed().drop { $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: " ") }
      .starts(with: "---".utf8)
  }

  /// A seed is the bytes of its kind, 32 bytes, and a checksum (CRC-16 of XMODEM), in base 32.
  private static func problem(ofSeed seed: [UInt8]) -> String? {
    guard seed.starts(with: beginning) else { return noSeed }
    var bytes: [UInt8] = []
    var (word, bits): (UInt32, UInt32) = (0, 0)
    for letter in seed {
      let digit: UInt8
      switch letter {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): digit = letter - UInt8(ascii: "A")
      case UInt8(ascii: "2")...UInt8(ascii: "7"): digit = letter - UInt8(ascii: "2") + 26
      default:
        return
          "has other characters than a seed in the line that begins with SU, such as a space or a carriage return"
      }
      (word, bits) = ((word << 5 | UInt32(digit)) & 0xFFFF, bits + 5)
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: word >> bits))
      }
    }
    guard seed.count == 58, bytes.count == 36,
      checksum(bytes[..<34]) == UInt16(bytes[35]) << 8 | UInt16(bytes[34])
    else { return "has a damaged seed: its length or its checksum is wrong" }
    return nil
  }

  private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt16 {
    bytes.reduce(0) { sum, byte in
      (0..<8).reduce(sum ^ UInt16(byte) << 8) { sum, _ in
        sum & 0x8000 == 0 ? sum << 1 : sum << 1 ^ 0x1021
      }
    }
  }
}
