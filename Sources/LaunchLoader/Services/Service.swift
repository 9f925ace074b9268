public import EventBus

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

/// How a service gets on with its neighbours.
///
/// ## Thread safety
///
/// A value: copies are independent and may be used on any thread.
public struct ServiceOptions: Sendable {
  /// What the end of one service means for the others.
  public enum Ending: Sendable {
    /// All others are stopped, in reverse order, and `run()` throws an error that names the service, also if
    /// it returned: nothing ends a program in silence.
    case fail
    /// All others are stopped, in reverse order. If the service returned, nothing has failed: its end is the
    /// end of the work. If it threw, `run()` throws that error.
    case shutdown
    /// All others are cancelled at once. If the service returned, that is an error.
    case cancel
    /// The others go on.
    case ignore
  }

  /// The names of the services that are started before this one, and stopped after it.
  ///
  /// As soon as one service of a program names another, the order of registration means nothing any more
  /// to those that name none: they start without waiting, and services that do not need each other stop
  /// together.
  public var after: [String]

  /// What happens when the service returns although no shutdown was requested.
  public var onReturn: Ending

  /// What happens when the service throws.
  ///
  /// It holds while others, or the service itself, are being stopped, too. An error that is ignored does
  /// not make anything fail; if something else fails, it is listed behind that.
  public var onThrow: Ending

  /// Whether those that come after this one wait for its ``ServiceContext/ready()``.
  ///
  /// A service that ends before it is ready has failed to start, whatever its endings say: what was
  /// started is stopped, in reverse.
  public var waitsForReady: Bool

  /// How long the service may take to start, or to be ready if that is waited for; `nil` is for ever.
  ///
  /// One that takes longer has failed to start: what was started is stopped, in reverse, and `run()` throws
  /// an error that names the service.
  public var startTimeout: Duration?

  /// How long the service may take to stop, from its turn on, before it is cancelled.
  ///
  /// It ends with the deadline that all services have together, whatever it says: with `nil` there is only
  /// that one.
  public var stopTimeout: Duration?

  /// Creates options.
  ///
  /// - Parameters:
  ///   - after: The names of the services that are started before this one, and stopped after it.
  ///   - onReturn: What happens when the service returns although no shutdown was requested.
  ///   - onThrow: What happens when the service throws.
  ///   - waitsForReady: Whether those that come after this one wait for its ``ServiceContext/ready()``.
  ///   - startTimeout: How long the service may take to start; `nil` is for ever.
  ///   - stopTimeout: How long the service may take to stop, within the deadline that all have together.
  public init(
    after: [String] = [],
    onReturn: Ending = .fail,
    onThrow: Ending = .fail,
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
  init(_ place: ServicePlace, _ id: Int, of runner: ServiceRunner) {
    self.place = place
    self.id = id
    self.runner = runner
  }

  /// Claims the run of the services of a group, which this is the context of.
  func claim(_ inner: ServiceRunner, named name: String) -> Bool {
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

/// A service that is no more than a name and a closure.
struct ServiceClosure: Service {
  /// The name of the service.
  let name: String
  /// What it does.
  let body: @Sendable (ServiceContext) async throws -> Void

  func run(_ context: ServiceContext) async throws {
    try await body(context)
  }
}
