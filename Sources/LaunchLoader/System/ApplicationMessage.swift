/// A message of an application for the user of the program, with what it names.
///
/// See ``Application/Configuration/onDetailedMessage``.
public struct ApplicationMessage: Hashable, Sendable, CustomStringConvertible {
  /// What a message says about the services or the launch work that it names.
  public enum State: String, Hashable, Sendable {
    /// Their start takes long.
    case starting
    /// Their stop takes long.
    case stopping
    /// They failed, and the program continues.
    case failed
    /// They were cancelled.
    case cancelled
    /// They did not end after they were cancelled, and were left behind.
    case stuck
  }

  /// The message: a single line, the same as for ``Application/Configuration/onMessage``.
  public let text: String
  /// The names of the services, each prefixed with the names of its groups, in the order of the text.
  public let services: [String]
  /// The names of the launch work.
  public let workers: [String]
  /// The state that the message reports; `nil` if it reports something else, such as an error of the system.
  public let state: State?
  /// The time that the text mentions: of the wait so far, of the expired limit, or of the launch work.
  public let elapsed: Duration?

  /// The text.
  public var description: String { text }

  /// Creates a message.
  ///
  /// - Parameters:
  ///   - text: The message.
  ///   - services: The names of the services.
  ///   - workers: The names of the launch work.
  ///   - state: The state that the message reports.
  ///   - elapsed: The time that the text mentions.
  public init(
    _ text: String,
    services: [String] = [],
    workers: [String] = [],
    state: State? = nil,
    elapsed: Duration? = nil
  ) {
    (self.text, self.services, self.workers) = (text, services, workers)
    (self.state, self.elapsed) = (state, elapsed)
  }
}
