/// Something that runs for as long as the program does: a server, a consumer, a connection pool.
///
/// ```swift
/// struct Heartbeat: Service {
///   let name = "heartbeat"
///
///   func run(_ context: ServiceContext) async throws {
///     context.ready()
///     try await context.untilShutdown()
///   }
/// }
/// ```
///
/// Whoever runs it starts it once, tells it to stop through its context, and waits until
/// ``run(_:)`` has returned. A service is any `Sendable` type; for one of a few lines there is a closure
/// form of `add`.
public protocol Service: Sendable {
  /// What the service is called in `after:` and in messages; unique among its neighbours.
  var name: String { get }

  /// Runs the service until it is told to stop.
  ///
  /// It is entered in the order in which services start. One that computes for long before it first suspends
  /// delays only those that name it in `after:`. When the context says that the service shall stop it finishes what
  /// it has begun and returns. Its task is cancelled if it takes longer than it may.
  ///
  /// - Parameter context: Says when to stop, and hears when the service is ready.
  /// - Throws: Any error: it decides, with the options of the service, what becomes of the others.
  func run(_ context: ServiceContext) async throws
}
