/// Encodes names as tokens of subjects.
///
/// A name may contain any character, a subject may not: white space separates the fields of the protocol, a line
/// break ends a message, and `*` and `>` are wildcards. All characters but letters, digits, `-`, `_` and the dots
/// between two other characters are percent-encoded. So different names have different subjects, and no name can
/// inject commands of the protocol.
package enum Subject {
  /// The subject of an event below a prefix.
  ///
  /// - Parameters:
  ///   - name: The name of the event.
  ///   - prefix: The encoded prefix.
  /// - Returns: The prefix, a dot and the encoded name. It begins with an underscore after the prefix only for
  ///   the subjects of the bridge itself.
  /// - Complexity: O(*n*) in the length of the name.
  package static func event(_ name: String, prefix: String) -> String {
    "\(prefix).\(encode(name))"
  }

  /// The subject of the dead letters of an event.
  package static func deadLetters(_ name: String, prefix: String) -> String {
    "\(prefix)._dead.\(encode(name))"
  }

  /// The subject of the heartbeats of a node: not below the prefix, so that a stream with all events of the
  /// prefix stores none of them.
  package static func node(_ name: String, prefix: String) -> String {
    "_EVENTBUS_NODE.\(prefix).\(encode(name, keepsDots: false))"
  }

  /// The subjects of the heartbeats of all nodes.
  package static func nodes(prefix: String) -> String { "_EVENTBUS_NODE.\(prefix).*" }

  /// The name of a consumer, from that of its owner and of the event.
  ///
  /// The server uses it as a format string, in which a percent sign would be an instruction. The hyphen between
  /// the parts is the only one without an equals sign before it, so that different pairs have different names.
  package static func consumer(_ owner: String, event: String) -> String {
    func part(_ name: String) -> String {
      var text = ""
      for character in encode(name, keepsDots: false) {
        switch character {
        case "%": text += "="
        case "-": text += "=-"
        default: text.append(character)
        }
      }
      return text
    }
    return "\(part(owner))-\(part(event))"
  }

  /// The problem with the name of a stream or a consumer, if the server would refuse it.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - kind: The kind of the named thing, for the message.
  /// - Returns: The message, with the remedy; `nil` if the name can be used.
  package static func problem(_ name: String, of kind: String) -> String? {
    if name.isEmpty { return "The name of the \(kind) is empty: give it one" }
    if name.utf8.count > 255 {
      return "The name of the \(kind) \"\(name.prefix(40))…\" has \(name.utf8.count) bytes: "
        + "use at most 255"
    }
    let forbidden: Set<Unicode.Scalar> = [".", "*", ">", "/", "\\", "%"]
    let isUsable = name.unicodeScalars.allSatisfy { scalar in
      scalar.value > 32 && scalar.value != 127 && !scalar.properties.isWhitespace
        && !forbidden.contains(scalar)
    }
    return isUsable
      ? nil
      : "The \(kind) cannot be called \"\(name)\": use letters, digits, \"-\" and \"_\""
  }

  /// The problem with a prefix of subjects, if one of its tokens could not be the name of a stream.
  ///
  /// - Parameters:
  ///   - prefix: The prefix, without a dot at its end.
  ///   - kind: The kind of the prefix, for the message.
  /// - Returns: The message, with the remedy; `nil` if the prefix can be used.
  package static func problem(_ prefix: String, ofPrefix kind: String) -> String? {
    let tokens = prefix.split(separator: ".", omittingEmptySubsequences: false)
    if tokens.allSatisfy({ problem(String($0), of: kind) == nil }) { return nil }
    return "The \(kind) cannot be \"\(prefix)\": use letters, digits, \"-\", \"_\" and \"$\", "
      + "with dots between two of them"
  }

  /// Encodes a name.
  ///
  /// - Parameters:
  ///   - name: The name, in any characters.
  ///   - keepsDots: Pass `false` for a result of one token.
  /// - Returns: ASCII letters, digits, `-`, `_`, `%` and dots, none of them at an end or beside another one.
  package static func encode(_ name: String, keepsDots: Bool = true) -> String {
    let bytes = Array(name.utf8)
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    for (index, byte) in bytes.enumerated() {
      let isPlain =
        switch byte {
        case UInt8(ascii: "."):
          keepsDots && index > 0 && index < bytes.count - 1
            && bytes[index - 1] != UInt8(ascii: ".") && bytes[index + 1] != UInt8(ascii: ".")
        case UInt8(ascii: "_"): index > 0
        default: isUnreserved(byte)
        }
      if isPlain { result.append(byte) } else { result += escape(byte) }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// Reverses ``encode(_:keepsDots:)``.
  ///
  /// - Returns: The name, or `nil` if the text is not an encoded name.
  package static func decode(_ text: some Collection<UInt8>) -> String? {
    guard text.contains(UInt8(ascii: "%")) else { return String(validating: text, as: UTF8.self) }
    var result: [UInt8] = []
    result.reserveCapacity(text.count)
    var iterator = text.makeIterator()
    while let byte = iterator.next() {
      guard byte == UInt8(ascii: "%") else {
        result.append(byte)
        continue
      }
      guard let high = iterator.next().flatMap(hexDigit),
        let low = iterator.next().flatMap(hexDigit)
      else { return nil }
      result.append(high << 4 | low)
    }
    return String(validating: result, as: UTF8.self)
  }

  private static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
      true
    default: false
    }
  }

  private static func escape(_ byte: UInt8) -> [UInt8] {
    let digits = Array("0123456789ABCDEF".utf8)
    return [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
  }
}
