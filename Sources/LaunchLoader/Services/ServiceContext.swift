public import EventBus

/// What a running service is told, and how it answers.
///
/// ```swift
/// try app.add("web", web) { context in
///   let server = try await Server.bind()
///   context.onShutdown { server.close() }
///   try await server.serve(until: context)
/// }
/// ```
///
/// ## Thread safety
///
/// Every member may be called from any thread, from a closure given to ``onShutdown(_:)`` too. After the
/// service has ended they do nothing.
public struct ServiceContext: Sendable {
  private let place: ServicePlace
  private let id: Int
  private let runner: ServiceRunner

  /// Creates the context of a service.
  internal init(_ place: ServicePlace, _ id: Int, of runner: ServiceRunner) {
    self.place = place
    self.id = id
    self.runner = runner
  }

  /// Claims the run of the services of a group, which this is the context of.
  internal func claim(_ inner: ServiceRunner, named name: String) -> Bool {
    inner.claim(for: (name, runner))
  }

  /// Says that the service does its work now: those that wait for it may start.
  ///
  /// Only the first call counts. It matters if the service has ``ServiceOptions/waitsForReady``.
  public func ready() {
    runner.send { $0.ready(id) }
  }

  /// Whether the service has been told to stop; who cancels it tells it that, too.
  public var isShuttingDown: Bool { place.signal.isRaised }

  /// Waits until the service is told to stop.
  ///
  /// Closures given to ``onShutdown(_:)`` have returned by then.
  ///
  /// - Throws: `CancellationError` when the task is cancelled first.
  public func untilShutdown() async throws {
    try await place.signal.wait()
  }

  /// Runs a closure when the service is told to stop, or now if it has been.
  ///
  /// Closures run in the order of their registration, outside every lock; ``isShuttingDown`` is `true`
  /// in all of them. The service counts as running until they have returned. If the service ends without
  /// having been told to stop, they are let go of and never run.
  ///
  /// - Parameter body: Called at most once.
  /// - Returns: A token that takes the closure back. Dropping it does nothing.
  /// - Complexity: Amortized O(1).
  @discardableResult
  public func onShutdown(_ body: @escaping @Sendable () -> Void) -> Token {
    place.signal.onRaise(body)
  }
}
