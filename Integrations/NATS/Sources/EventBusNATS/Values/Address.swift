/// Removes the credentials of addresses from texts that are shown.
package enum Address {
  /// An address, or a list of addresses with commas, without users, passwords and tokens.
  ///
  /// As the client does, the function takes everything up to the last `@` for credentials. Only a comma with a scheme
  /// behind it begins the next address of a list, as a password may contain a comma.
  package static func withoutCredentials(_ address: String) -> String {
    var result = ""
    var rest = address[...]
    while let scheme = rest.firstRange(of: "://") {
      result += bare(rest[..<scheme.lowerBound]) + "://"
      rest = rest[scheme.upperBound...]
      let end = nextAddress(in: rest) ?? rest.endIndex
      result += bare(rest[..<end])
      rest = rest[end...]
    }
    return result + bare(rest)
  }

  /// A text of the client or the server, without the credentials of the addresses in it.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - known: Addresses that may occur in it, with or without schemes.
  /// - Returns: The text.
  package static func withoutCredentials(in text: String, known: [String] = []) -> String {
    var text = text
    for address in known where address.contains("@") {
      text = text.replacing(address, with: withoutCredentials(address))
    }
    var (result, word) = ("", "")
    for character in text {
      if character.isWhitespace || "\"'()<>".contains(character) {
        result += shown(word) + String(character)
        word = ""
      } else {
        word.append(character)
      }
    }
    return result + shown(word)
  }

  private static func shown(_ word: String) -> String {
    word.contains("://") ? withoutCredentials(word) : word
  }

  /// The text after the last `@`.
  private static func bare(_ text: Substring) -> Substring {
    text.lastIndex(of: "@").map { text[text.index(after: $0)...] } ?? text
  }

  /// The index of the comma before the next address of a list.
  private static func nextAddress(in text: Substring) -> Substring.Index? {
    guard let scheme = text.firstRange(of: "://"),
      let comma = text[..<scheme.lowerBound].lastIndex(of: ",")
    else { return nil }
    let name = text[text.index(after: comma)..<scheme.lowerBound].drop { $0 == " " }
    return ["nats", "tls", "ws", "wss"].contains(name.lowercased()) ? comma : nil
  }
}
