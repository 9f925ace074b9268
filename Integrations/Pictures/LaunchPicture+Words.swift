internal import LaunchLoader

// Texts in charts and pictures. All rules are tables of this file, not of the system's Unicode data, so that
// a chart is the same text everywhere.
extension String {
  /// The number of cells of a monospaced font that the text occupies.
  ///
  /// Characters of East Asian scripts and emoji occupy two cells, all others one.
  ///
  /// - Complexity: O(*n*) in the number of characters.
  var cellCount: Int { reduce(0) { $0 + $1.cellCount } }

  /// The text on one line, at most the first 2,000 characters of it: characters that separate lines become
  /// blanks.
  var onOneLine: String { String(prefix(2_000)).lines.joined(separator: " ") }

  /// Shortens a text at its start, because generated names differ at their end.
  ///
  /// - Parameter limit: The maximum number of cells.
  /// - Returns: The text on one line, after `…` if it is longer.
  func shortened(to limit: Int) -> String {
    let line = lines.joined(separator: " ")
    guard line.count > limit || line.cellCount > limit else { return line }
    return "…" + String(line.reversed().prefix(cells: limit - 1).reversed())
  }

  /// Cuts off a text at its end.
  ///
  /// - Parameter limit: The maximum number of cells.
  /// - Returns: The text, with `…` at the end if it is longer.
  func cut(to limit: Int) -> String {
    guard count > limit || cellCount > limit else { return self }
    return prefix(cells: limit - 1) + "…"
  }

  /// Wraps a text, between words where possible.
  ///
  /// - Parameter limit: The maximum number of cells of a line.
  /// - Returns: The lines.
  func wrapped(to limit: Int) -> [String] {
    var lines = [""]
    for word in split(separator: " ") {
      var word = String(word)
      if lines[lines.count - 1].cellCount + 1 + word.cellCount <= limit {
        lines[lines.count - 1] += (lines[lines.count - 1].isEmpty ? "" : " ") + word
        continue
      }
      while word.cellCount > limit {
        let start = word.prefix(cells: limit)
        lines.append(String(start))
        word = String(word.dropFirst(start.count))
      }
      lines.append(word)
    }
    return lines.filter { !$0.isEmpty }
  }

  /// The text without the characters that have a meaning in XML, that it cannot hold, or that would change
  /// the direction of the text around it; and with at most 16 scalars for a character.
  var inXML: String {
    var result = ""
    for character in self {
      for scalar in character.unicodeScalars.prefix(16) {
        switch scalar {
        case "&": result += "&amp;"
        case "<": result += "&lt;"
        case ">": result += "&gt;"
        case "\"": result += "&quot;"
        case "\t", "\n", "\r", "\u{2028}", "\u{2029}": result += " "
        case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{FFFE}", "\u{FFFF}", "\u{61C}", "\u{200E}",
          "\u{200F}", "\u{202A}"..."\u{202E}", "\u{2066}", "\u{2067}":
          result += "\u{FFFD}"
        default: result.unicodeScalars.append(scalar)
        }
      }
    }
    return result
  }

  /// The text as part of a sentence, which keeps its order even if the text runs from right to left.
  var isolated: String {
    let isLeftToRight = unicodeScalars.allSatisfy { scalar in
      switch scalar.value {
      case 0x590...0x8FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFF, 0x1_0800...0x1_0FFF,
        0x1_E800...0x1_EFFF:
        false
      default: true
      }
    }
    return isLeftToRight ? self : "\u{2068}\(self)\u{2069}"
  }
}

extension Collection<Character> {
  /// Returns the longest start of at most this number of cells; every character counts as one at least.
  fileprivate func prefix(cells limit: Int) -> SubSequence {
    var rest = limit
    return prefix { character in
      rest -= Swift.max(1, character.cellCount)
      return rest >= 0
    }
  }
}

extension Character {
  /// The number of cells that the character occupies: one or two; none for the marks of an isolated text.
  var cellCount: Int {
    switch unicodeScalars.first?.value ?? 0 {
    case 0x2068...0x2069: 0
    case 0x1100...0x115F, 0x231A...0x231B, 0x23E9...0x23FA, 0x2614...0x2615, 0x26A1,
      0x26BD...0x26BE, 0x2705, 0x274C, 0x2728, 0x2757, 0x2B50, 0x2E80...0x303E,
      0x3041...0xA4CF, 0xA960...0xA97F,
      0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6,
      0x1_F000...0x1_FAFF, 0x2_0000...0x3_FFFD:
      2
    default: 1
    }
  }
}

extension Int {
  /// The number with a comma before each group of three digits.
  var grouped: String {
    var text = ""
    let digits = Array("\(magnitude)")
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index) % 3 == 0 { text += "," }
      text.append(digit)
    }
    return (self < 0 ? "-" : "") + text
  }
}
