internal import Logging

/// A message of an application, with what it names.
///
/// The library hands its messages over as text, in which names stand in quotation marks.
struct LibraryMessage {
  private let text: String

  init(_ text: String) { self.text = text }

  /// The metadata of the message: `service`, `worker`, `state` and `elapsed`, where the text names them.
  var metadata: Logger.Metadata {
    var metadata: Logger.Metadata = [:]
    metadata["service"] = value(names(after: "service \""))
    metadata["worker"] = value(names(after: "launch work \""))
    if let state { metadata["state"] = .string(state) }
    if let elapsed { metadata["elapsed"] = .string(elapsed) }
    return metadata
  }

  private var state: String? {
    if text.hasPrefix("waiting for ") {
      if text.contains(" to start, for ") { return "starting" }
      return text.contains(" to stop, for ") ? "stopping" : nil
    }
    if text.contains("\" is cancelled") { return "cancelled" }
    return text.contains("\" is stuck: ") ? "stuck" : nil
  }

  private var elapsed: String? {
    guard text.hasSuffix(" now"), let range = text.ranges(of: ", for ").last else { return nil }
    return String(text[range.upperBound...].dropLast(" now".count))
  }

  /// Returns the quoted names that follow a phrase, which ends with the quotation mark.
  private func names(after phrase: String) -> [String] {
    text.ranges(of: phrase).map { String(text[$0.upperBound...].prefix { $0 != "\"" }) }
  }

  private func value(_ names: [String]) -> Logger.MetadataValue? {
    if names.count < 2 { return names.first.map { .string($0) } }
    return .array(names.map { .string($0) })
  }
}
