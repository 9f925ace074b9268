/// A long-running part of a program, such as a server, a consumer or a connection pool.
///
/// ```swift
/// struct Heartbeat: AppService {
///   func run(_ context: AppServiceContext) async throws {
///     context.markReady()
///     try await context.untilShutdown()
///   }
/// }
/// ```
///
/// An application or a group starts a service once, asks it to stop through its context, and waits until
/// ``run(_:)`` returns. Any `Sendable` type can be a service; for a service of a few lines there is a form of
/// `add` that takes a closure.
public protocol AppService: Sendable {
  /// The name of the service in `after:` and in messages, unless it is added under another.
  ///
  /// By default, it is the name of the type. Of services that were added without another name, the second of a
  /// type gets a number: `Poller`, `Poller 2`. A name that a program needs in `after:` is best given where the
  /// service is added: `app.add(poller, named: "orders")`.
  var serviceName: String { get }

  /// Runs the service until it is asked to stop.
  ///
  /// Services are entered in their start order. A service that computes before it first suspends delays only
  /// the services that name it in `after:`. When the context requests the stop, the
  /// service finishes its current work and returns. If it exceeds its time limit, its task is cancelled.
  ///
  /// - Parameter context: Requests the stop, and accepts the report that the service is ready.
  /// - Throws: Any error. The options of the service decide how it affects the other services.
  func run(_ context: AppServiceContext) async throws
}

extension AppService {
  /// The name of the type.
  public var serviceName: String { "\(type(of: self))" }
}

/// The order, time limits and failure policy of a service.
///
/// ## Thread safety
///
/// A plain value; copies are independent and may be used on any thread.
public struct AppServiceOptions: Sendable {
  /// The effect of the end of one service on the others.
  public enum EndPolicy: Sendable {
    /// Stops all other services in reverse order, and makes `run()` throw an error that names the service,
    /// even if the service returned: no program ends silently.
    case fail
    /// Stops all other services in reverse order. A return is a regular end; a thrown error is thrown by
    /// `run()`.
    case shutdown
    /// Cancels all other services immediately. A return is an error.
    case cancel
    /// Leaves the other services running.
    case ignore
  }

  /// The names of the services that start before this service and stop after it.
  ///
  /// Once any service of a program names another, registration order no longer applies to the services that
  /// name none: they start without waiting, and services that do not depend on each other stop together.
  public var after: [String]

  /// The effect of a return before shutdown was requested.
  public var onReturn: EndPolicy

  /// The effect of a thrown error.
  ///
  /// It also applies while the service or others are being stopped. An ignored error makes nothing fail; if
  /// something else fails, the ignored error is listed after it.
  public var onThrow: EndPolicy

  /// A Boolean value that indicates whether services that start after this one wait for its
  /// ``AppServiceContext/markReady()``.
  ///
  /// A service that ends before it is ready has failed to start, whatever its endings say: all started
  /// services are stopped in reverse order.
  public var waitsForReady: Bool

  /// The time in which the service must start, or become ready if ``waitsForReady`` is set; `nil` means no
  /// limit.
  ///
  /// If the service takes longer, it has failed to start: it is cancelled immediately, all started services
  /// are stopped in reverse order, and `run()` throws an error that names the service.
  public var startTimeout: Duration?

  /// The time in which the service must stop once its turn has come, before it is cancelled.
  ///
  /// The common deadline of all services limits it; with `nil`, only that deadline applies.
  public var stopTimeout: Duration?

  /// Creates options.
  ///
  /// - Parameters:
  ///   - after: The names of the services that start before this service and stop after it.
  ///   - onReturn: The effect of a return before shutdown was requested.
  ///   - onThrow: The effect of a thrown error.
  ///   - waitsForReady: Whether services that start after this one wait for its ``AppServiceContext/markReady()``.
  ///   - startTimeout: The time in which the service must start; `nil` means no limit.
  ///   - stopTimeout: The time in which the service must stop, within the common deadline.
  public init(
    after: [String] = [],
    onReturn: EndPolicy = .fail,
    onThrow: EndPolicy = .fail,
    waitsForReady: Bool = false,
    startTimeout: Duration? = nil,
    stopTimeout: Duration? = nil
  ) {
    self.after = after
    self.onReturn = onReturn
    self.onThrow = onThrow
    self.waitsForReady = waitsForReady
    self.startTimeout = startTimeout
    self.stopTimeout = stopTimeout
  }
}

/// The state of a service in an application or a group.
public enum AppServiceState: String, Hashable, Sendable {
  /// Its `run` is being entered.
  case starting
  /// It has started, and is ready if its options ask for that: services that name it may start.
  case ready
  /// It was asked to stop.
  case stopping
  /// It was cancelled.
  case cancelled
  /// Its `run` has returned or thrown.
  case ended
  /// It did not end after it was cancelled, and was left behind.
  case abandoned
}

/// A change of the state of a service.
public struct AppServiceStateChange: Hashable, Sendable {
  /// The name of the service, prefixed with the names of its groups, each followed by a slash.
  public let service: String
  /// The new state.
  public let state: AppServiceState
  /// The state before; `nil` when the service starts.
  public let previous: AppServiceState?
  /// The time in the previous state, by the clock of the application; zero when the service starts.
  public let elapsed: Duration
}

/// A service that has not ended, at one moment.
public struct AppServiceStatus: Hashable, Sendable {
  /// The name of the service.
  public let name: String
  /// The state, or `nil` before the service starts.
  public let state: AppServiceState?
  /// The names of the services that it starts after: those in its options or, where the options of no service
  /// name another, the one that was added before it, unless that has ended.
  public let dependencies: [String]
  /// A Boolean value that indicates whether the start or the stop in progress waits for the service now.
  public let isWaitedFor: Bool
}

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
    case stopping(String)
    /// A service that others wait for ended before it was ready.
    case endedBeforeReady(String)
    /// A service exceeded its `startTimeout`.
    case notStarted(String)
    /// A service returned before shutdown was requested, and its options do not allow that.
    case returned(String)
    /// A service did not end after it was cancelled, and was left behind. Also used for launch work, which is
    /// named `launch work "x"`.
    case stuck(String)
    /// The application or group already ran.
    case alreadyRan
    /// Services of a group failed; the cause comes first.
    case failed(group: String, errors: [any Error])
  }

  /// The kind of failure, with its context.
  public let code: Code

  /// The name of a service closest to an unknown one, or `nil` if none is close.
  public let suggestion: String?

  /// A Boolean value that indicates whether a `stuck` name is that of launch work instead of a service.
  private let isLaunchWork: Bool

  init(_ code: Code, suggestion: String? = nil, isLaunchWork: Bool = false) {
    self.code = code
    self.suggestion = suggestion
    self.isLaunchWork = isLaunchWork
  }
}

extension AppServiceError.Code: Hashable {
  /// Returns whether two kinds are the same.
  ///
  /// Errors of services are compared by their descriptions.
  ///
  /// - Complexity: O(*n*) in the lengths of the descriptions.
  public static func == (left: AppServiceError.Code, right: AppServiceError.Code) -> Bool {
    left.words == right.words
  }

  /// Hashes what is compared.
  public func hash(into hasher: inout Hasher) { hasher.combine(words) }

  /// The case, and its values as text.
  private var words: [String] {
    switch self {
    case .duplicate(let name): ["duplicate", name]
    case .unknown(let name, let other): ["unknown", name, other]
    case .cycle(let path): ["cycle"] + path
    case .stopping(let name): ["stopping", name]
    case .endedBeforeReady(let name): ["endedBeforeReady", name]
    case .notStarted(let name): ["notStarted", name]
    case .returned(let name): ["returned", name]
    case .stuck(let name): ["stuck", name]
    case .alreadyRan: ["alreadyRan"]
    case .failed(let group, let errors): ["failed", group] + errors.map { "\($0)" }
    }
  }
}

extension AppServiceError {
  /// Returns the names of the services that errors report as left behind, including those in groups.
  static func stuckServices(in errors: [any Error]) -> [String] {
    errors.flatMap { error -> [String] in
      switch (error as? AppServiceError)?.code {
      case .stuck(let name): [name]
      case .failed(_, let errors): stuckServices(in: errors)
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
    case .stopping(let name):
      "service \"\(name)\" was added after shutdown was requested and did not start: add it earlier"
    case .endedBeforeReady(let name):
      "service \"\(name)\" ended before it was ready: call markReady() on its context first"
    case .notStarted(let name):
      "service \"\(name)\" did not start in time: give it a longer startTimeout, or call markReady() earlier"
    case .returned(let name):
      "service \"\(name)\" returned before shutdown was requested:"
        + " set onReturn to .shutdown or .ignore if it may"
    case .stuck(let name):
      (isLaunchWork ? name : "service \"\(name)\"")
        + " is stuck: it did not end after it was cancelled, and was left behind"
    case .alreadyRan:
      "services run only once: create new ones to run again"
    case .failed(let group, let errors):
      "service group \"\(group)\" failed: " + errors.map { "\($0)" }.joined(separator: "; ")
    }
  }
}
