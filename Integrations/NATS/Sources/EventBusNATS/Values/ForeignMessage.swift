/// The rule for messages of publishers that are no bridges: plain ones, and CloudEvents 1.0 in binary mode, whose
/// attributes are headers that begin with `ce-`.
package struct ForeignMessage: Sendable, Equatable {
  /// Why a message is not taken.
  package enum Problem: Error, Sendable, Equatable {
    /// Its headers are not those of an event.
    case unreadable(String)
    /// The version of CloudEvents, or the type of the content, is not known.
    case unknown(String)
  }

  /// Checks the headers of a message.
  ///
  /// - Parameters:
  ///   - fields: The headers, with names in lowercase.
  ///   - contentType: The content type of the codec, such as `json`.
  /// - Throws: Why it is not taken.
  package static func check(
    _ fields: [String: String],
    contentType: String
  ) throws(Problem) {
    let content = fields["content-type"].map { type in
      // Without parameters, such as that of the character set.
      let end = type.firstIndex(of: ";") ?? type.endIndex
      return type[..<end].lowercased().filter { $0 != " " }
    }
    if let content, content.hasPrefix("application/cloudevents") {
      throw .unreadable("a CloudEvent in structured mode: send its attributes as headers")
    }
    if fields.keys.contains(where: { $0.hasPrefix("ce-") }) {
      guard let version = fields["ce-specversion"] else {
        throw .unreadable("a CloudEvent without ce-specversion")
      }
      guard version == "1.0" else { throw .unknown("CloudEvents \(version)") }
      for name in ["ce-id", "ce-source", "ce-type"] where fields[name, default: ""].isEmpty {
        throw .unreadable("a CloudEvent without \(name)")
      }
    }
    guard let content, !content.isEmpty else { return }
    let isKnown =
      content == contentType || content.hasSuffix("/\(contentType)")
      || content.hasSuffix("+\(contentType)")
    if !isKnown { throw .unknown("\(content) instead of \(contentType)") }
  }
}

/// What travels with an event besides its payload, as headers of the message.
package enum MessageFields {
  /// The fields that can be sent: names of letters, digits and hyphens which no other header uses, and values in
  /// visible ASCII, at most 8 KB together.
  package static func usable(_ fields: [String: String]) -> [String: String] {
    var room = 8192
    var result: [String: String] = [:]
    for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
      let lowercase = name.lowercased()
      let isName =
        !name.isEmpty && !lowercase.hasPrefix("nats-") && !lowercase.hasPrefix("event-bus")
        && name.utf8.allSatisfy { byte in
          switch byte {
          case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
          default: false
          }
        }
      // A line break would begin another header.
      guard isName, value.utf8.allSatisfy({ $0 >= 32 && $0 < 127 }) else { continue }
      room -= name.utf8.count + value.utf8.count
      if room < 0 { break }
      result[name] = value
    }
    return result
  }

  /// The fields that arrived, with those of a CloudEvent's extension for tracing under their usual names.
  package static func arrived(_ fields: [String: String]) -> [String: String] {
    var result = fields
    for name in ["traceparent", "tracestate"] where result[name] == nil {
      result[name] = fields["ce-\(name)"]
    }
    return result
  }
}
