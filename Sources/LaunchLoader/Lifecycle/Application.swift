public import EventBus

/// A program from its launch to its end: launch work, services, states, an orderly stop.
///
/// ```swift
/// try app.add("server") { context in
///   context.onShutdown { print("no more connections") }
///   context.ready()
///   try await context.untilShutdown()
/// }
/// ```
///
/// It has a ``state``; every change of it is an event on the bus and a call of the delegate. It is made by
/// `main`, with whatever delegate and services the program wants: there is no other entry point.
///
/// ## Thread safety
///
/// Every member may be called from any thread, from the delegate and from handlers of its events too.
/// Nobody is called under a lock.
public final class Application: Sendable {
  /// Not private: a lock around it is used in other files.
  struct State: Sendable {
    var delegate: (any ApplicationDelegate)?
    var machine = AppStateMachine()
    var waiters = AppStateWaiters()
    var escalation = InterruptEscalation()
    var options = LaunchOptions()
    var launch: Task<LaunchReport, any Error>?
    var exitCode: Int32?
  }

  /// The bus on which the application posts its edges.
  public let bus: EventBus

  /// The loader whose work the application runs when it launches.
  public let loader: LaunchLoader

  let configuration: Configuration
  let runner: ServiceRunner
  let pending = PendingWork()
  let messages: MessageQueue
  let locked: Locked<State>

  /// Creates an application that does not run.
  ///
  /// - Parameters:
  ///   - delegate: Is told of every edge; kept.
  ///   - bus: Where events are posted.
  ///   - loader: Has the launch work.
  ///   - configuration: How to launch and stop.
  public init(
    delegate: (any ApplicationDelegate)? = nil,
    bus: EventBus = .default,
    loader: LaunchLoader = .shared,
    configuration: Configuration = Configuration()
  ) {
    self.bus = bus
    self.loader = loader
    self.configuration = configuration
    locked = Locked(State(delegate: delegate))
    messages = MessageQueue(configuration.onMessage)
    let (pending, messages) = (pending, messages)
    runner = ServiceRunner(
      limits: ServiceRunner.Machine.Limits(
        stopTimeout: configuration.stopTimeout,
        cancelTimeout: configuration.cancelTimeout
      ),
      clock: configuration.clock,
      asksBeforeStopping: true,
      reports: ServiceRunner.Reports(
        onError: { service, error in
          bus.post(.serviceDidFail, ServiceFailure(service: service, error: error))
        },
        onMessage: { messages.send($0) },
        onGoAhead: { Self.leaveHandlers(pending, messages) },
        onLeaveLaunch: { pending.leaveLaunch() },
        others: { pending.names }
      )
    )
  }

  /// Leaves the handlers of events behind that are waited for, and names them.
  static func leaveHandlers(_ pending: PendingWork, _ messages: MessageQueue) {
    for name in pending.leaveHandlers() { messages.send("left behind: \(name)") }
  }

  /// The object that is told of every edge; the application keeps it.
  public var delegate: (any ApplicationDelegate)? { locked.withLock { $0.delegate } }

  /// Sets another delegate, from any thread, inside a method of the one before too.
  ///
  /// The edges that follow are told to the new one; a call that has begun goes on.
  ///
  /// - Parameter new: The new delegate, or none.
  /// - Returns: The one before, which the application keeps no more.
  @discardableResult
  public func replaceDelegate(
    _ new: (any ApplicationDelegate)?
  ) -> (any ApplicationDelegate)? {
    locked.withLock { state in
      defer { state.delegate = new }
      return state.delegate
    }
  }

  /// Adds a service.
  ///
  /// Before the application runs, and while it launches, it is put behind the others; while services run
  /// it starts as soon as it may.
  ///
  /// - Parameters:
  ///   - service: The service.
  ///   - options: How it gets on with the others.
  /// - Throws: ``ServiceError`` with the code `duplicate` if its name is taken, `stopping` if services are
  ///   being stopped or were; while services run also `unknown` and `cycle`. Before that, those two end
  ///   the run that they would spoil.
  /// - Complexity: O(log *n*) in the number of services.
  public func add(
    _ service: some Service,
    _ options: ServiceOptions = ServiceOptions()
  ) throws(ServiceError) {
    try runner.add(service, options)
  }

  /// Adds a service that is a closure.
  ///
  /// - Parameters:
  ///   - name: What it is called among its neighbours.
  ///   - options: How it gets on with the others.
  ///   - body: What it does.
  /// - Throws: What ``add(_:_:)`` throws.
  /// - Complexity: O(log *n*) in the number of services.
  public func add(
    _ name: String,
    _ options: ServiceOptions = ServiceOptions(),
    run body: @escaping @Sendable (ServiceContext) async throws -> Void
  ) throws(ServiceError) {
    try runner.add(ServiceClosure(name: name, body: body), options)
  }

  /// Asks for the end: services are stopped in reverse order, then ``run()`` returns.
  ///
  /// Only the first exit code counts. Before `run()` it means that nothing is launched or started; during
  /// the launch, that what has not begun does not; after the end, nothing.
  ///
  /// - Parameter exitCode: What ``run()`` returns.
  public func shutdown(exitCode: Int32 = 0) {
    locked.withLock { state in
      if state.exitCode == nil { state.exitCode = exitCode }
    }
    requestShutdown()
  }

  /// Asks for the end in order; the exit code is what somebody else gives, or 0.
  func requestShutdown() {
    runner.send { $0.shutdown() }
    locked.withLock { $0.launch }?.cancel()
  }

  /// Asks for the end at once: everything is cancelled, also while it is being stopped.
  package func cancel(exitCode: Int32? = nil) {
    locked.withLock { state in
      if state.exitCode == nil { state.exitCode = exitCode }
    }
    runner.send { $0.cancel() }
    locked.withLock { $0.launch }?.cancel()
  }
}
