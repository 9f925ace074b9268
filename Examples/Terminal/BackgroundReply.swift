/// The query for a terminal's background color, and its reply (xterm, "Operating System Commands",
/// 11).
package enum BackgroundReply {
  /// The query.
  package static let question: [UInt8] = Array("\u{1b}]11;?\u{1b}\\".utf8)

  /// The time to wait for a reply, in milliseconds; many terminals never send one.
  package static let patience: Int = 150

  /// Parses a reply without its introducer and terminator: `11;rgb:1e1e/2a2a/3b3b`.
  ///
  /// A channel has one to four hexadecimal digits and is scaled to eight bits. `rgba:` has a fourth
  /// channel, which is ignored.
  ///
  /// - Returns: The color, or `nil` if the command is not a valid reply.
  package static func color(in command: [UInt8]) -> Color? {
    let text = String(decoding: command, as: UTF8.self)
    for (prefix, count) in [("11;rgb:", 3), ("11;rgba:", 4)] where text.hasPrefix(prefix) {
      let parts = text.dropFirst(prefix.count)
        .split(separator: "/", omittingEmptySubsequences: false)
      let channels = parts.compactMap(channel)
      guard parts.count == count, channels.count == count else { return nil }
      return Color(red: channels[0], green: channels[1], blue: channels[2])
    }
    return nil
  }

  private static func channel(_ digits: Substring) -> UInt8? {
    guard 1...4 ~= digits.count, digits.allSatisfy(\.isHexDigit), let value = Int(digits, radix: 16)
    else { return nil }
    let whole = (1 << (4 * digits.count)) - 1
    return UInt8((value * 255 + whole / 2) / whole)
  }
}
