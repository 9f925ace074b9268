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
  public var reportsReadiness: Bool

  /// The time in which the service must start, or become ready if ``reportsReadiness`` is set; `nil` means no
  /// limit.
  ///
  /// If the service takes longer, it has failed to start: it is cancelled immediately, all started services
  /// are stopped in reverse order, and `run()` throws an error that names the service.
  ///
  /// Without ``reportsReadiness``, a service has started when its `run` suspends for the first time, usually at once, and
  /// the limit covers nothing after that: a message says so.
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
