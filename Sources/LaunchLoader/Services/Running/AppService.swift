/// A long-running part of a program, such as a server, a consumer or a connection pool.
///
/// ```swift
/// struct Heartbeat: AppService {
///   func run(_ context: AppServiceContext) async throws {
///     context.markReady()
///     try await context.waitUntilShutdown()
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
  /// Each service has a task of its own, which begins to run in the start order; the first statements of two services
  /// may then overlap. When the context requests the stop, the
  /// service finishes its current work and returns. If it exceeds its time limit, its task is cancelled.
  ///
  /// - Parameter context: Requests the stop, and accepts the report that the service is ready.
  /// - Throws: Any error. The options of the service decide how it affects the other services. After shutdown was
  ///   requested, `CancellationError` and the errors of waits that the stop ends, such as ``AppStateError``, are no
  ///   failures.
  func run(_ context: AppServiceContext) async throws
}

extension AppService {
  /// The name of the type.
  public var serviceName: String { "\(type(of: self))" }
}
