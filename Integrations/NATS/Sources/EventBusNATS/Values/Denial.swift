/// A missing permission, read from the error of the server.
///
/// The error follows some time after the message or the subscription, and names the subject only:
///
///     Permissions Violation for Publish to "events.secret"
///     Permissions Violation for Subscription to "events.hidden" using queue "workers"
///     Permissions Violation for Subscription to "events.hidden" (sid "3")
///
/// The last form follows a change of permissions, which has ended an existing subscription.
package struct Denial: Sendable, Equatable {
  /// A forbidden action.
  package enum Action: Sendable, Equatable {
    /// Sending to the subject.
    case publish
    /// Listening to the subject.
    case subscribe
  }

  /// The forbidden action.
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
  /// The denial because of which the client receives no answers, until the connection breaks.
  private var inboxDenial: Denial?
  /// The number of denials so far.
  package private(set) var count = 0

  /// The first part of the subjects of requests about streams, with a dot at its end.
  private let api: String
  /// The first part of the subjects of the client's inboxes, with a dot at its end.
  private let inbox: String

  /// Creates an empty log.
  ///
  /// - Parameters:
  ///   - api: The prefix of requests about streams.
  ///   - inbox: The prefix of inboxes.
  package init(api: String = "$JS.API", inbox: String = "_INBOX") {
    (self.api, self.inbox) = (api + ".", inbox + ".")
  }

  /// Adds a denial.
  package mutating func append(_ denial: Denial) {
    count += 1
    _ = entries.append((count, denial))
    if denial.action == .subscribe, denial.subject.hasPrefix(inbox) { inboxDenial = denial }
  }

  /// Forgets the denial of the former connection's inbox.
  package mutating func reconnected() { inboxDenial = nil }

  /// Whether a denial with these words of the server was noted.
  package func contains(_ text: String) -> Bool { first(after: 0) { $0.text == text } != nil }

  /// The denial of a subscription, noted after a number of others.
  package func subscription(to subject: String, after count: Int) -> Denial? {
    first(after: count) { $0.action == .subscribe && $0.subject == subject }
  }

  /// The denial because of which a request about a stream is not answered, if there is one.
  ///
  /// - Parameters:
  ///   - stream: The stream.
  ///   - count: The number of denials before the request.
  /// - Returns: The denial.
  package func request(about stream: String, after count: Int) -> Denial? {
    if let inboxDenial { return inboxDenial }
    return first(after: count) { denial in
      let tokens = denial.subject.split(separator: ".")
      return denial.action == .publish && denial.subject.hasPrefix(api)
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
