public import EventBus

/// A program with launch work, services, states and an orderly stop.
///
/// ```swift
/// let app = AppHost()
/// try app.add("server") { context in
///   context.onShutdown { print("no more connections") }
///   context.markReady()
///   try await context.waitUntilShutdown()
/// }
/// ```
///
/// Each change of its ``state`` calls the delegate and posts an event. `main` creates the host
/// with its delegate and services; there is no other entry point.
///
/// ## Thread safety
///
/// Every member may be called from any thread, including from the delegate and from handlers of its events.
/// No lock is held while your code runs.
public final class AppHost: Sendable {
  /// Not private: other files use the lock around it.
  struct State: ~Copyable, Sendable {
    var delegate: (any AppHostDelegate)?
    var machine = AppStateMachine()
    /// The tasks that wait for a goal, each with a latch.
    var waiters = NumberedList<(goal: AppStateMachine.Goal, latch: Latch)>()
    var interrupts = InterruptCount()
    var options = LaunchOptions()
    /// The task that runs the launch work, as long as the host waits for it.
    var launch: Task<LaunchReport, any Error>?
    var exitCode: Int32?
    /// True if the program has requested a stop that is not a failure.
    var isEndedByProgram = false
    /// The events of the stop whose handlers have not all finished, except those that the stop waits for.
    var lastPosts: [(event: String, completion: Completion)] = []

    /// Adds a waiter, unless its goal is already reached.
    ///
    /// - Returns: The number of the waiter, or `nil` if the goal is reached.
    mutating func addWaiter(_ goal: AppStateMachine.Goal, _ latch: Latch) -> UInt? {
      machine.hasReached(goal) ? nil : waiters.append((goal, latch))
    }

    /// Removes the waiters whose goals are reached.
    ///
    /// - Returns: Their latches in the order of arrival, to be opened after unlocking.
    /// - Complexity: O(*n* + *m* log *n*) in the numbers of waiters and of reached goals.
    mutating func takeReached() -> [Latch] {
      let reached = waiters.entries.filter { machine.hasReached($0.element.goal) }
      for waiter in reached { _ = waiters.remove(number: waiter.number) }
      return reached.map(\.element.latch)
    }
  }

  /// The bus that receives the events of the host.
  public let bus: EventBus

  /// The loader whose launch work the host runs.
  public let loader: LaunchLoader

  let configuration: Configuration
  let runner: ServiceRunner
  let calls: EdgeCalls
  let messages: MessageQueue<AppHostMessage>
  /// Compares the dispositions of signals when something deserves a message, and at other moments of the run.
  let dispositions: DispositionWatch
  /// Posts service state changes on a separate queue, so that observers cannot delay a start, a
  /// stop or a deadline.
  let changes: MessageQueue<AppServiceStateChange>
  let locked: Locked<State>
  /// The result of the launch work; `nil` if it was abandoned.
  let launchEnd = LatchedValue<Result<LaunchReport, any Error>?>()
  /// The connection to the service manager, during the run.
  let manager = Locked<NotifySocket?>(nil)
  /// Measures the time between interrupts.
  let stopwatch: Stopwatch

  /// Creates a host that does not run.
  ///
  /// - Parameters:
  ///   - delegate: The delegate, which the host retains.
  ///   - bus: The bus that receives the events.
  ///   - loader: The loader of the launch work. Hosts that run at the same time, as in tests, each need their
  ///     own: `LaunchLoader()`.
  ///   - configuration: The time limits, clock, signals and message output.
  public init(
    delegate: (any AppHostDelegate)? = nil,
    bus: EventBus = .default,
    loader: LaunchLoader = .shared,
    configuration: Configuration = Configuration()
  ) {
    self.bus = bus
    self.loader = loader
    self.configuration = configuration
    locked = Locked(State(delegate: delegate))
    messages = MessageQueue(configuration.onMessage)
    changes = MessageQueue { change in bus.post(.appServiceStateDidChange, change) }
    stopwatch = Stopwatch(configuration.clock)
    let messages = messages
    loader.expect(messages, on: configuration.clock)
    let dispositions = DispositionWatch { messages.send($0) }
    self.dispositions = dispositions
    calls = EdgeCalls(configuration.clock) { message in
      messages.send(message)
      dispositions.compare()
    }
    runner = ServiceRunner(
      ServiceMachine(
        stopTimeout: configuration.stopTimeout,
        cancelTimeout: configuration.cancelTimeout,
        asksBeforeStopping: true
      )
    )
  }

  /// The delegate, which the host retains.
  ///
  /// It may be set from any thread, even inside a method of the delegate. The new delegate receives all later state
  /// changes; a call in progress completes.
  public var delegate: (any AppHostDelegate)? {
    get { locked.withLock { $0.delegate } }
    set {
      let former = locked.withLock { state in
        defer { state.delegate = newValue }
        return state.delegate
      }
      withExtendedLifetime(former) {}
    }
  }

  /// Adds a service.
  ///
  /// Before services start, the service is added after the others. While services run, it starts as soon as
  /// its order permits.
  ///
  /// - Parameters:
  ///   - service: The service.
  ///   - name: The name of the service, unique within the host. With `nil`, it is the service's
  ///     ``AppService/serviceName``, followed by a number if that name is taken: `Poller`, `Poller 2`.
  ///   - options: The order, time limits and failure policy of the service.
  /// - Throws: ``AppServiceError`` with the code `duplicate` if the given name, or that of a group, is taken,
  ///   or `stopped` after shutdown was requested. While services run, `unknown` and `cycle` as well; before
  ///   that, ``run()`` throws these two.
  /// - Complexity: Amortized O(log *n*) in the number of services.
  public func add(
    _ service: some AppService,
    named name: String? = nil,
    options: AppServiceOptions = AppServiceOptions()
  ) throws(AppServiceError) {
    let group = service as? AppServiceGroup
    // The name of a group is given where it is created.
    let isNumbered = name == nil && group == nil
    let body = ServiceRunner.body(of: service)
    try runner.add(
      name ?? service.serviceName,
      isNumbered: isNumbered,
      options,
      run: body
    )
    group?.becomeService()
  }

  /// Adds a service that runs a closure.
  ///
  /// - Parameters:
  ///   - name: The name of the service, unique within the host.
  ///   - options: The order, time limits and failure policy of the service.
  ///   - body: The work of the service.
  /// - Throws: The errors of ``add(_:named:options:)``.
  /// - Complexity: Amortized O(log *n*) in the number of services.
  public func add(
    _ name: String,
    options: AppServiceOptions,
    run body: @escaping @Sendable (AppServiceContext) async throws -> Void
  ) throws(AppServiceError) {
    try runner.add(name, options, run: body)
  }

  /// Adds a service that runs a closure.
  ///
  /// ```swift
  /// let app = AppHost()
  /// try app.add("database", reportsReadiness: true) { context in
  ///   context.markReady()
  ///   try await context.waitUntilShutdown()
  /// }
  /// try app.add("web", after: ["database"], onReturn: .shutdown) { context in
  ///   try await context.waitUntilShutdown()
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - name: The name of the service, unique within the host.
  ///   - dependencies: The services that start before this one and stop after it: ``AppServiceOptions/after``.
  ///   - reportsReadiness: Whether services that start after this one wait for its ``AppServiceContext/markReady()``.
  ///   - onReturn: The effect of a return before shutdown was requested.
  ///   - onThrow: The effect of a thrown error.
  ///   - startTimeout: The time in which the service must start; `nil` means no limit.
  ///   - stopTimeout: The time in which the service must stop, within the common deadline.
  ///   - body: The work of the service.
  /// - Throws: The errors of ``add(_:named:options:)``.
  /// - Complexity: Amortized O(log *n*) in the number of services.
  public func add(
    _ name: String,
    after dependencies: [String] = [],
    reportsReadiness: Bool = false,
    onReturn: AppServiceOptions.EndPolicy = .fail,
    onThrow: AppServiceOptions.EndPolicy = .fail,
    startTimeout: Duration? = nil,
    stopTimeout: Duration? = nil,
    run body: @escaping @Sendable (AppServiceContext) async throws -> Void
  ) throws(AppServiceError) {
    let options = AppServiceOptions(
      after: dependencies,
      onReturn: onReturn,
      onThrow: onThrow,
      reportsReadiness: reportsReadiness,
      startTimeout: startTimeout,
      stopTimeout: stopTimeout
    )
    try runner.add(name, options, run: body)
  }

  /// The services that have not ended, in the order in which they were added.
  ///
  /// A group is one service. To follow the services inside it as well, observe the event
  /// `appServiceStateDidChange`. May be called from any thread.
  ///
  /// - Complexity: O(*n* + *e*) in the number of services and of the names in their options.
  public var services: [AppServiceStatus] { runner.machine(\.statuses) }

  /// A Boolean value that indicates whether the host is ready to serve: all services have started, every one of
  /// them is ready, and no stop was requested.
  ///
  /// It becomes `false` while a service pauses before a restart, starts again, or has called
  /// ``AppServiceContext/markUnready()``. Meant for readiness probes, such as that of a load balancer. It is
  /// too strict for ``Configuration/watchdog``, because the service manager would restart a program that only
  /// waits for its database. A group is one service, which is ready once all its services have been. May be
  /// called from any thread.
  ///
  /// - Complexity: O(*n*) in the number of services.
  public var isReady: Bool { runner.machine(\.isReady) }
}

// An overload that only catches a mistake, as in EventBus.
extension AppHost {
  /// Not available: the service comes first.
  @_disfavoredOverload
  @_documentation(visibility: private)
  @available(*, unavailable, message: "the service comes first: write add(service, named: name)")
  public func add(_ name: String, _ service: some AppService) throws(AppServiceError) {}
}

extension AppHost {
  /// The time limits, clock, signals and message output of a host.
  public struct Configuration: Sendable {
    /// The time for an orderly stop of all services together; `nil` means no limit.
    ///
    /// It begins when the delegate and the handlers of `willTerminate` have ended, or ``cancelTimeout`` has passed
    /// for them. When it expires, all running services are cancelled. During the launch, the same time begins with
    /// the request and applies to launch work and to the methods of the delegate. On Control-Z, it limits how long
    /// the process waits for the delegate before it stops.
    public var stopTimeout: Duration?

    /// The time in which cancelled services and launch work must end, before they are abandoned and named;
    /// `nil` means no limit.
    ///
    /// The same time applies to what is not cancelled: to the delegate and the handlers of `willTerminate` together, which
    /// precede the stop of the services; to the handlers of `appShouldReload`; and to each closure that closes a value of
    /// launch work. With `nil`, the delegate and the handlers of `willTerminate` have ``stopTimeout``; and a stop that
    /// work after the launch waits for, in a separate task, never ends, because it waits for that work.
    public var cancelTimeout: Duration?

    /// The clock that measures all time limits of the host and its services.
    public var clock: any Clock<Duration>

    /// The meanings of signals while the host runs.
    ///
    /// The host does not handle signals that are not in the table. The default, ``UnixSignal/Meaning/standard``,
    /// is empty on systems other than Linux and macOS, and inside the bundle of an app or of an extension.
    ///
    /// The first signal that means ``UnixSignal/Meaning/shutdown`` requests an orderly stop, the second cancels
    /// everything, and the third ends the process immediately with 128 plus its number, even if every thread of
    /// the concurrency runtime is blocked. One that arrives less than half a second after the last, measured on
    /// ``clock``, is treated as the same: a terminal and a wrapper may both deliver one Control-C. A signal that
    /// was ignored when the program started stays ignored. The previous dispositions of the others are restored
    /// when ``AppHost/run()`` returns; a signal that arrived before has no further effect.
    ///
    /// Other code that installs a handler for one of these signals takes it away from the host. A message
    /// names such a signal, once, when services have started, when they stop, with each message about a delay, and
    /// when another signal arrives.
    public var signals: [UnixSignal: UnixSignal.Meaning]

    /// Called with every message for the user of the program: delayed, cancelled and abandoned services, event
    /// handlers and methods of the delegate, and errors of the operating system.
    ///
    /// Each message has a ``AppHostMessage/description`` of one line, and names what it is about, for a log
    /// with structured entries. Messages arrive in order, one at a time, on a separate thread and with no
    /// lock held. A call that blocks delays later messages, but no service and no deadline. The thread blocks
    /// no signal but `SIGPIPE` and those that the program blocks where it creates the host, and a program
    /// that the closure starts inherits that. ``AppHost/run()`` returns when the last call has returned, at
    /// most ``cancelTimeout`` after everything else has ended; after that, the call continues in the
    /// background.
    public var onMessage: @Sendable (AppHostMessage) -> Void

    /// The launch options for the launch work and the delegate; `nil` means ``LaunchOptions/current``.
    public var launchOptions: LaunchOptions?

    /// Returns whether the program is healthy, for the service manager's watchdog.
    ///
    /// If the manager expects keep-alive messages (`WatchdogSec=` of systemd), the host calls the closure at half the
    /// interval, in a task without an actor, and sends `WATCHDOG=1` only if it returns `true`. `nil` is the same as a
    /// closure that always returns `true`. While a call has not returned, nothing is sent.
    public var watchdog: (@Sendable () -> Bool)?

    /// A Boolean value that indicates whether the host shuts down when its parent process has ended.
    ///
    /// The parent is checked once a second.
    public var endsWithParent: Bool

    /// A Boolean value that indicates whether `NOTIFY_SOCKET`, `WATCHDOG_USEC` and `WATCHDOG_PID` stay in the
    /// environment of the process.
    ///
    /// By default, ``AppHost/run()`` removes them once it has read them, before launch work begins, so that a program
    /// which a service starts does not speak to the service manager of this one. The C library provides no lock for
    /// the environment: call `run()` before other threads read it, or set this property.
    public var keepsNotifySocket: Bool

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - stopTimeout: The time for an orderly stop; `nil` means no limit.
    ///   - cancelTimeout: The time in which cancelled services must end; `nil` means no limit.
    ///   - clock: The clock that measures all time limits.
    ///   - signals: The meanings of signals; `[:]` handles none.
    ///   - onMessage: Called with every message. By default, each message is a line on standard error.
    ///   - launchOptions: The launch options for the launch work; `nil` means ``LaunchOptions/current``.
    ///   - watchdog: Returns whether the program is healthy, for the watchdog of the service manager.
    ///   - endsWithParent: Whether the host shuts down when its parent process has ended.
    ///   - keepsNotifySocket: Whether the variables of the service manager stay in the environment.
    public init(
      stopTimeout: Duration? = .seconds(20),
      cancelTimeout: Duration? = .seconds(5),
      clock: any Clock<Duration> = ContinuousClock(),
      signals: [UnixSignal: UnixSignal.Meaning] = UnixSignal.Meaning.standard,
      onMessage: (@Sendable (AppHostMessage) -> Void)? = nil,
      launchOptions: LaunchOptions? = nil,
      watchdog: (@Sendable () -> Bool)? = nil,
      endsWithParent: Bool = false,
      keepsNotifySocket: Bool = false
    ) {
      self.stopTimeout = stopTimeout
      self.cancelTimeout = cancelTimeout
      self.clock = clock
      self.signals = signals
      self.onMessage = onMessage ?? { printError("AppHost: \($0)") }
      self.launchOptions = launchOptions
      self.watchdog = watchdog
      self.endsWithParent = endsWithParent
      self.keepsNotifySocket = keepsNotifySocket
    }
  }
}

// A file that declares its own `AppHost` refers to that of the library as `LaunchLoader.AppHost`.
extension LaunchLoader {
  /// The library's ``AppHost``, for a file with another type of that name.
  public typealias AppHost = LaunchLoader::AppHost
  /// The library's ``UnixSignal``, for a file with another type of that name.
  public typealias UnixSignal = LaunchLoader::UnixSignal
}
