/// What the server has forbidden, read from its error.
///
/// The server says so some time after the message or the subscription, and names the subject alone:
///
///     Permissions Violation for Publish to "events.secret"
///     Permissions Violation for Subscription to "events.hidden" using queue "workers"
///     Permissions Violation for Subscription to "events.hidden" (sid "3")
///
/// It sends the last form when permissions change: the subscription was there, and is no longer.
package struct Denial: Sendable, Equatable {
  /// What is forbidden.
  package enum Action: Sendable, Equatable {
    /// To send to the subject.
    case publish
    /// To listen to the subject.
    case subscribe
  }

  /// What is forbidden.
  package let action: Action
  /// The subject.
  package let subject: String
  /// The words of the server.
  package let text: String

  /// Creates a denial.
  package init(_ action: Action, _ subject: String, _ text: String) {
    (self.action, self.subject, self.text) = (action, subject, text)
  }

  /// Reads an error of the server.
  ///
  /// - Parameter text: The error; any other than that of a permission gives `nil`.
  package init?(_ text: String) {
    let parts = text.split(separator: "\"", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, !parts[1].isEmpty else { return nil }
    let start = parts[0].lowercased()
    guard start.contains("permissions violation for ") else { return nil }
    if start.contains(" for publish ") {
      self.init(.publish, String(parts[1]), text)
    } else if start.contains(" for subscription ") {
      self.init(.subscribe, String(parts[1]), text)
    } else {
      return nil
    }
  }
}

/// The denials of a connection, in the order in which the server sent them.
package struct DenialLog: Sendable {
  private var entries = BoundedBuffer<(number: Int, denial: Denial)>(limit: 256)
  /// Why the client cannot hear answers, for as long as the connection lasts.
  private var inboxDenial: Denial?
  /// The number of denials so far.
  package private(set) var count = 0

  /// Creates an empty log.
  package init() {}

  /// Adds a denial.
  package mutating func append(_ denial: Denial) {
    count += 1
    _ = entries.append((count, denial))
    if denial.action == .subscribe, denial.subject.hasPrefix("_INBOX.") { inboxDenial = denial }
  }

  /// Forgets what belongs to the former connection.
  package mutating func reconnected() { inboxDenial = nil }

  /// Whether the words of the server are those of a denial that was noted.
  package func contains(_ text: String) -> Bool { first(after: 0) { $0.text == text } != nil }

  /// The denial of a subscription, noted after so many others.
  package func subscription(to subject: String, after count: Int) -> Denial? {
    first(after: count) { $0.action == .subscribe && $0.subject == subject }
  }

  /// Why a request about a stream is not answered, if that is the reason.
  ///
  /// - Parameters:
  ///   - stream: The stream.
  ///   - count: How many denials were noted before the request.
  /// - Returns: The denial.
  package func request(about stream: String, after count: Int) -> Denial? {
    if let inboxDenial { return inboxDenial }
    return first(after: count) { denial in
      let tokens = denial.subject.split(separator: ".")
      return denial.action == .publish && denial.subject.hasPrefix("$JS.API.")
        && tokens.contains { $0 == stream }
    }
  }

  private func first(after count: Int, _ condition: (Denial) -> Bool) -> Denial? {
    for index in 0..<entries.count {
      guard let entry = entries[index], entry.number > count else { continue }
      if condition(entry.denial) { return entry.denial }
    }
    return nil
  }
}
