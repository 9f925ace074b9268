/// A rejected service, or a failure of running services.
///
/// Errors thrown by a service are not wrapped; they are reported unchanged.
public struct AppServiceError: Error {
  /// The kind of failure, with its context.
  ///
  /// More cases may be added: keep a `default` in a `switch`.
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
    /// The application or group already ran.
    case alreadyRan
    /// The service is not of a kind that an application can run; the reason says what to do instead.
    case unsuitable(String, reason: String)
    /// Services of a group failed; the cause comes first.
    case failed(group: String, errors: [any Error])
  }

  /// The kind of failure, with its context.
  public let code: Code

  /// The name of a service closest to an unknown one, or `nil` if none is close.
  public let suggestion: String?

  /// A Boolean value that indicates whether an `abandoned` name is that of launch work instead of a service.
  private let isLaunchWork: Bool

  /// Creates an error, for code that adapts services of other kinds.
  ///
  /// - Parameter code: The kind of failure, with its context.
  public init(_ code: Code) { self.init(code, suggestion: nil) }

  init(_ code: Code, suggestion: String? = nil, isLaunchWork: Bool = false) {
    self.code = code
    self.suggestion = suggestion
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
      "a service named \"\(name)\" already exists: add this one under another name, with named:"
    case .unknown(let name, let dependant):
      "service \"\(dependant)\" starts after \"\(name)\", which does not exist: "
        + (suggestion.map { "did you mean \"\($0)\"? Otherwise, " } ?? "")
        + "add that service, or remove the name from after:"
    case .cycle(let path):
      "services depend on each other in a cycle: \(path.joined(separator: " → "));"
        + " remove one of these names from after:"
    case .stopped(let name):
      "service \"\(name)\" was added after shutdown was requested and did not start: add it earlier"
    case .endedBeforeReady(let name):
      "service \"\(name)\" ended before it was ready: call markReady() on its context first"
    case .notStarted(let name):
      "service \"\(name)\" did not start in time: give it a longer startTimeout, or call markReady() earlier"
    case .returned(let name):
      "service \"\(name)\" returned before shutdown was requested:"
        + " set onReturn to .shutdown or .ignore if it may"
    case .restartedTooOften(let name, let last):
      "service \"\(name)\" failed after as many restarts in a row as its policy allows: \(last)"
    case .abandoned(let name):
      (isLaunchWork ? name : "service \"\(name)\"")
        + " is abandoned: it did not end after it was cancelled"
    case .alreadyRan:
      "services run only once: create new ones to run again"
    case .unsuitable(let name, let reason): "service \"\(name)\" is not suitable: \(reason)"
    case .failed(let group, let errors):
      "service group \"\(group)\" failed: " + errors.map { "\($0)" }.joined(separator: "; ")
    }
  }
}
