import EventBus
import EventBusTesting
import LaunchLoader
import TestSupport
import Testing

/// An application that shares no state with others, and a log of its events.
///
/// By default it listens to no signals, which all listeners of the process share.
struct Stage: Sendable {
  let clock = TestClock()
  let bus = EventBus()
  let loader: LaunchLoader
  let log = Log<String>()
  /// The messages to the operator of the program.
  let messages = Inbox<String>()
  let app: AppHost

  init(
    delegate: (any AppHostDelegate)? = nil,
    onFailure: LaunchFailurePolicy = .continue,
    stopTimeout: Duration? = nil,
    cancelTimeout: Duration? = nil,
    signals: [UnixSignal: UnixSignal.Meaning] = [:],
    whenSaying: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    loader = LaunchLoader(onFailure: onFailure)
    let configuration = AppHost.Configuration(
      stopTimeout: stopTimeout,
      cancelTimeout: cancelTimeout,
      clock: clock,
      signals: signals,
      onMessage: { [messages] message in
        messages.append(message.description)
        whenSaying(message.description)
      },
      launchOptions: LaunchOptions(arguments: ["stage"])
    )
    app = AppHost(delegate: delegate, bus: bus, loader: loader, configuration: configuration)
  }

  /// Adds a service that notes its start (`+a`) and the request to stop (`-a`), and is ready in between.
  func add(
    _ name: String,
    after: [String] = [],
    _ change: (inout AppServiceOptions) -> Void = { _ in },
    throwing error: (any Error)? = nil
  ) throws {
    let options = options(after: after) { options in
      options.reportsReadiness = true
      change(&options)
    }
    try app.add(name, options: options) { [log] context in
      log.append("+\(name)")
      context.markReady()
      try await context.waitUntilShutdown()
      log.append("-\(name)")
      if let error { throw error }
    }
  }

  /// Adds a service that runs a closure.
  func add(
    _ name: String,
    after: [String] = [],
    _ change: (inout AppServiceOptions) -> Void = { _ in },
    run body: @escaping @Sendable (AppServiceContext) async throws -> Void
  ) throws {
    try app.add(name, options: options(after: after, change), run: body)
  }

  /// Runs the application in a separate task.
  func start() -> Task<Int32, any Error> {
    Task { [app] in try await app.run() }
  }

  /// Runs the application in a separate task, and returns when it is active.
  func startUntilActive() async throws -> Task<Int32, any Error> {
    let running = start()
    try await app.waitUntil(state: .active)
    return running
  }

  /// Ends the application.
  ///
  /// - Returns: Its exit code.
  @discardableResult
  func stop(_ running: Task<Int32, any Error>) async throws -> Int32 {
    app.shutdown()
    return try await running.value
  }

  /// Runs the application, ends it as soon as it is active, and waits for its end.
  func runOnce() async throws -> Int32 { try await stop(startUntilActive()) }

  /// Interrupts the application, late enough after the last interrupt not to count as the same.
  func interruptAgain(_ number: Int32) {
    clock.jump(by: .seconds(1))
    app.interrupt(number)
  }

  /// Waits until a transition has begun, whose limits count from its beginning, and lets time pass.
  ///
  /// - Parameter duration: The time. A limit that begins only after another has expired may not have begun when
  ///   a second jump comes; use ``passTime(atMost:until:)`` for both.
  func letTimePass(_ duration: Duration) async {
    await clock.waitForSleepers(atLeast: 1)
    await clock.jumpAtRest(by: duration)
  }

  /// Lets time pass until something holds, slowly enough for the application to follow.
  ///
  /// It sets its alarms in separate tasks, so a single jump may come before the alarm that it is for.
  func passTime(atMost seconds: Int = .max, until holds: () -> Bool) async {
    await clock.passTime(atMost: seconds, until: holds)
  }

  private func options(
    after: [String],
    _ change: (inout AppServiceOptions) -> Void
  ) -> AppServiceOptions {
    var options = AppServiceOptions()
    options.after = after
    change(&options)
    return options
  }
}

extension TestClock {
  /// Lets time pass by seconds until something holds, or until the test has run out of time.
  func passTime(atMost seconds: Int = .max, until holds: () -> Bool) async {
    var left = seconds
    while left > 0, !holds(), !Task.isCancelled {
      jump(by: .seconds(1))
      await rest()
      left -= 1
    }
  }
}

/// A service that runs a closure.
struct ClosureService: AppService {
  let serviceName: String
  let body: @Sendable (AppServiceContext) async throws -> Void

  init(_ name: String = "a", _ body: @escaping @Sendable (AppServiceContext) async throws -> Void) {
    serviceName = name
    self.body = body
  }

  func run(_ context: AppServiceContext) async throws { try await body(context) }
}

/// Returns the errors that a run threw; empty if it threw none, or something else.
func errors(of running: Task<Int32, any Error>) async -> [String] {
  do {
    _ = try await running.value
    return []
  } catch let error as AppHostError {
    return error.errors.map { "\($0)" }
  } catch {
    return ["not an application error: \(error)"]
  }
}

/// Returns the error that a run threw.
func failure<Failure: Error>(
  of running: Task<Int32, any Error>,
  as type: Failure.Type
) async throws -> Failure {
  guard case .failure(let error) = await running.result else {
    throw Failed(name: "the expectation")
  }
  return try #require(error as? Failure)
}

/// Waits whatever becomes of the task.
func waitStubbornly(_ latch: ManualLatch) async {
  await Task { await latch.wait() }.value
}

extension EventBus {
  /// Observes the errors of services.
  func observeFailures(_ body: @escaping @Sendable (String, any Error) -> Void) -> Token {
    observe(.appServiceStateDidChange) { change in
      if let error = change.error { body(change.service, error) }
    }
  }
}

extension AppServiceError {
  /// The code without its associated values.
  var kind: String {
    switch code {
    case .duplicate: "duplicate"
    case .unknown: "unknown"
    case .cycle: "cycle"
    case .stopped: "stopped"
    case .endedBeforeReady: "endedBeforeReady"
    case .notStarted: "notStarted"
    case .returned: "returned"
    case .restartedTooOften: "restartedTooOften"
    case .abandoned: "abandoned"
    case .alreadyRan: "alreadyRan"
    case .unsuitable: "unsuitable"
    case .failed: "failed"
    }
  }
}

/// Returns the kind of service error that a closure throws, if it does.
func serviceErrorKind(_ body: () throws(AppServiceError) -> Void) -> String? {
  do throws(AppServiceError) {
    try body()
    return nil
  } catch {
    return error.kind
  }
}
