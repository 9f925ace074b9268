/// The rule for messages of other programs: plain messages, and CloudEvents 1.0 in binary mode, whose attributes
/// are headers that begin with `ce-`.
package struct ForeignMessage: Sendable, Equatable {
  /// The reason why a message is refused.
  package enum Problem: Error, Sendable, Equatable {
    /// The headers are not those of an event.
    case unreadable(String)
    /// The version of CloudEvents, or the type of the content, is not known.
    case unknown(String)
  }

  /// Checks the headers of a message.
  ///
  /// - Parameters:
  ///   - fields: The headers, with names in lowercase.
  ///   - contentType: The content type of the codec, such as `json`.
  /// - Throws: The reason why the message is refused.
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
