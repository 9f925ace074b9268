internal import EventBus

/// The order, time limits and failure policy of a service.
///
/// ## Thread safety
///
/// A plain value; copies are independent and may be used on any thread.
public struct AppServiceOptions: Sendable {
  /// The effect of the end of one service on the others.
  public enum EndPolicy: Hashable, Sendable {
    /// Stops all other services in reverse order, and makes `run()` throw an error that names the service,
    /// even if the service returned without one.
    case fail
    /// Stops all other services in reverse order. A return is a regular end; a thrown error is thrown by
    /// `run()`.
    case shutdown
    /// Cancels all other services immediately. A return is an error.
    case cancel
    /// Leaves the other services running.
    case ignore
    /// Starts the service again after a pause, and leaves the others running.
    ///
    /// When the service has used up its restarts, all services are stopped in order, and `run()` throws an error
    /// that contains the service's last one. While the services are being stopped, this is the same as ``fail``.
    case restart(RestartPolicy)
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
  /// A service that ends before it is ready has failed to start: unless ``onThrow`` restarts it, all started
  /// services are stopped in reverse order, regardless of `onReturn` and `onThrow`.
  public var reportsReadiness: Bool

  /// The time in which the service must start, or become ready if ``reportsReadiness`` is set; `nil` means no
  /// limit.
  ///
  /// If the service takes longer, it has failed to start: it is cancelled immediately, all started services are
  /// stopped in reverse order, and `run()` throws an error that names the service. If ``onThrow`` restarts the
  /// service, the others continue, and it starts again when it has ended.
  ///
  /// Without ``reportsReadiness``, a service has started when its task begins to run, usually at once. The limit
  /// covers nothing after that, and a message says so.
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
  ///   - reportsReadiness: Whether services that start after this one wait for its ``AppServiceContext/markReady()``.
  ///   - startTimeout: The time in which the service must start; `nil` means no limit.
  ///   - stopTimeout: The time in which the service must stop, within the common deadline.
  public init(
    after: [String] = [],
    onReturn: EndPolicy = .fail,
    onThrow: EndPolicy = .fail,
    reportsReadiness: Bool = false,
    startTimeout: Duration? = nil,
    stopTimeout: Duration? = nil
  ) {
    self.after = after
    self.onReturn = onReturn
    self.onThrow = onThrow
    self.reportsReadiness = reportsReadiness
    self.startTimeout = startTimeout
    self.stopTimeout = stopTimeout
  }
}

/// How often, and after which pauses, a service that ended starts again.
///
/// ```swift
/// let app = AppHost()
/// let policy = RestartPolicy(pause: .seconds(1), atMost: .seconds(60), limit: nil)
/// try app.add("feed", onThrow: .restart(policy)) { context in
///   try await context.waitUntilShutdown()
/// }
/// ```
///
/// Each start is an attempt, with its own context and lifetime: timers, observers and closures of an attempt
/// end with it. The first pause is ``pause``; each one after that is ``growingBy`` times as long as the one
/// before, and at most ``atMost``. ``limit`` counts the restarts in a row: an attempt that lasts
/// ``resetAfter`` resets the count, and the next pause is the first one again. A limit for a window of time,
/// as in Erlang's supervisors, would not work here, because growing pauses outlast any window.
///
/// The services that start after this one wait for its first start only. A later restart neither stops nor delays them;
/// they can observe its state.
public struct RestartPolicy: Hashable, Sendable {
  /// The pause before the first restart in a row.
  public var pause: Duration
  /// The factor by which each pause is longer than the one before.
  public var growingBy: Double
  /// The longest pause.
  public var atMost: Duration
  /// The number of restarts in a row, after which the next end is a failure; `nil` means that there is no limit.
  public var limit: Int?
  /// The duration of an attempt that resets the count of restarts in a row.
  public var resetAfter: Duration

  /// Creates a policy.
  ///
  /// - Parameters:
  ///   - pause: The pause before the first restart in a row. A negative pause traps.
  ///   - factor: The factor by which each pause is longer than the one before, at least 1: another one traps.
  ///   - longest: The longest pause.
  ///   - limit: The number of restarts in a row; `nil` means that there is no limit. A negative number traps.
  ///   - duration: The duration of an attempt that resets the count of restarts in a row.
  ///   - fileID: The file of the call, supplied by the compiler.
  ///   - line: The line of the call, supplied by the compiler.
  public init(
    pause: Duration = .milliseconds(100),
    growingBy factor: Double = 2,
    atMost longest: Duration = .seconds(30),
    limit: Int? = 5,
    resetAfter duration: Duration = .seconds(60),
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) {
    let misuse: (problem: String, remedy: String)? =
      if pause < .zero {
        (
          "`RestartPolicy` cannot have a negative pause; got \(pause)",
          "Pass a pause of zero or more"
        )
      } else if !(factor >= 1) {
        (
          "`RestartPolicy` cannot have shrinking pauses; got `growingBy: \(factor)`",
          "Pass 1 or more"
        )
      } else if let limit, limit < 0 {
        (
          "`RestartPolicy` cannot have a negative limit; got \(limit)",
          "Pass zero or more, or nil for no limit"
        )
      } else {
        nil
      }
    if let misuse { trap(misuse.problem, remedy: misuse.remedy, fileID: fileID, line: line) }
    (self.pause, growingBy, atMost) = (pause, factor, longest)
    (self.limit, resetAfter) = (limit, duration)
  }

  /// Returns the pause before the next restart of a row.
  ///
  /// - Parameter restarts: The number of restarts so far.
  /// - Returns: The pause.
  package func pause(after restarts: Int) -> Duration {
    var result = min(pause, atMost)
    for _ in 0..<restarts {
      guard result < atMost, growingBy > 1, result > .zero else { break }
      // Compared before the product, which can overflow.
      result = result >= atMost / growingBy ? atMost : result * growingBy
    }
    return result
  }
}
