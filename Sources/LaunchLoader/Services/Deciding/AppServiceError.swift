internal import EventBus

/// A rejected service, or a failure of running services.
///
/// Errors thrown by a service are not wrapped; they are reported unchanged.
public struct AppServiceError: Error {
  /// The kind of failure, with its context.
  ///
  /// Future versions may add cases: include a `default` in each `switch`.
  public enum Code: Sendable {
    /// A service of this name already exists.
    case duplicate(String)
    /// A service names another in `after:` that does not exist.
    case unknown(String, neededBy: String)
    /// Services depend on each other in a cycle; the first is repeated at the end.
    case cycle([String])
    /// The service was added after shutdown was requested.
    case stopped(String)
    /// A service that others wait for ended before it was ready.
    case endedBeforeReady(String)
    /// A service exceeded its `startTimeout`.
    case notStarted(String)
    /// A service returned before shutdown was requested, and its options do not allow that.
    case returned(String)
    /// A service has failed again after as many restarts in a row as its ``RestartPolicy`` allows.
    case restartedTooOften(String, last: any Error)
    /// A service did not end after it was cancelled, and was abandoned. Also used for launch work, which is
    /// named `launch work "x"`.
    case abandoned(String)
    /// The host or group already ran.
    case alreadyRan
    /// The service is not of a kind that a host can run; the reason says what to do instead.
    case unsuitable(String, reason: String)
    /// Services of a group failed; the cause comes first.
    case failed(group: String, errors: [any Error])
  }

  /// The kind of failure, with its context.
  public let code: Code

  /// The name of a service closest to an unknown one, or `nil` if none is close.
  public let suggestion: String?

  /// The limit that the service exceeded, if it is known.
  private let limit: Duration?

  /// The subject of `alreadyRan`, with a capital letter, if it is known.
  private let runner: String?

  /// True if an `abandoned` name is that of launch work instead of a service.
  private let isLaunchWork: Bool

  /// False if an abandoned name is that of work which no cancellation reaches.
  private let wasCancelled: Bool

  /// Creates an error, for code that adapts services of other kinds.
  ///
  /// - Parameter code: The kind of failure, with its context.
  public init(_ code: Code) { self.init(code, suggestion: nil) }

  init(
    _ code: Code,
    suggestion: String? = nil,
    limit: Duration? = nil,
    runner: String? = nil,
    isLaunchWork: Bool = false,
    wasCancelled: Bool = true
  ) {
    self.wasCancelled = wasCancelled
    self.code = code
    self.suggestion = suggestion
    self.limit = limit
    self.runner = runner
    self.isLaunchWork = isLaunchWork
  }
}

extension AppServiceError {
  /// Returns the names of the services that errors report as abandoned, including those in groups.
  static func abandonedServices(in errors: [any Error]) -> [String] {
    errors.flatMap { error -> [String] in
      switch (error as? AppServiceError)?.code {
      case .abandoned(let name): [name]
      case .failed(_, let errors): abandonedServices(in: errors)
      default: []
      }
    }
  }
}

extension AppServiceError: CustomStringConvertible {
  /// A description of the failure with its remedy.
  public var description: String {
    switch code {
    case .duplicate(let name):
      "A service named \"\(name)\" already exists. Use named: to add this one under another name."
    case .unknown(let name, let dependant):
      "Service \"\(dependant)\" starts after \"\(name)\", which does not exist. "
        + (suggestion.map { "Did you mean \"\($0)\"? Otherwise, add" } ?? "Add")
        + " that service, or remove the name from its `after`."
    case .cycle(let path):
      "Services depend on each other in a cycle: \(path.joined(separator: " → "))."
        + " Remove one of these names from an `after`."
    case .stopped(let name):
      "Service \"\(name)\" was added after shutdown was requested and did not start. Add it earlier."
    case .endedBeforeReady(let name):
      "Service \"\(name)\" ended before it was ready. Call markReady() on its context first."
    case .notStarted(let name):
      "Service \"\(name)\" did not start \(limit.map { "within \($0.shortText)" } ?? "in time")."
        + " Give it a longer startTimeout, or call markReady() earlier."
    case .returned(let name):
      "Service \"\(name)\" returned before shutdown was requested."
        + " Set onReturn to .shutdown or .ignore if that is intended."
    case .restartedTooOften(let name, let last):
      "Service \"\(name)\" failed after as many restarts in a row as its policy allows: \(last)"
        .asSentence
    case .abandoned(let name):
      (isLaunchWork ? name.capitalizedFirst : "Service \"\(name)\"") + abandonment
    case .alreadyRan:
      runner.map { "\($0) has already run. Create a new one." }
        ?? "These services have already run. Create new ones."
    case .unsuitable(let name, let reason):
      "Service \"\(name)\" is not suitable: \(reason)".asSentence
    case .failed(let group, let errors):
      "Service group \"\(group)\" failed: "
        + errors.map { "\($0)".asSentence }.joined(separator: " ")
    }
  }

  /// The predicate of a sentence about abandoned work.
  private var abandonment: String {
    if wasCancelled {
      let wait = limit.map { "cancellation for \($0.shortText)" } ?? "its cancellation"
      return " did not stop: it ignored \(wait) and was abandoned."
    }
    return " did not end \(limit.map { "within \($0.shortText)" } ?? "in time") and was abandoned."
  }
}
