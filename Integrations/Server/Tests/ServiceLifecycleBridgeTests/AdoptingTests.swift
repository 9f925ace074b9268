internal import EventBus
internal import Foundation
internal import LaunchLoader
internal import Logging
internal import ServiceLifecycle
internal import ServiceLifecycleBridge
internal import TestKit
internal import Testing
internal import UnixSignals

/// A service of swift-service-lifecycle that runs a closure.
private struct ClosureService: Service {
  let body: @Sendable () async throws -> Void

  init(_ body: @escaping @Sendable () async throws -> Void) { self.body = body }

  func run() async throws { try await body() }
}

private enum Request {
  @TaskLocal static var id = "none"
}

@Suite("Adopting a service of swift-service-lifecycle", .timeLimit(.minutes(1)))
struct AdoptingTests {
  private let log = Inbox<String>()

  private func application() -> AppHost {
    AppHost(
      bus: EventBus(),
      loader: LaunchLoader(),
      configuration: AppHost.Configuration(signals: [:], launchOptions: LaunchOptions())
    )
  }

  /// Starts a service alone, in a group without an application.
  private func start(
    _ service: AdoptedService,
    stopTimeout: Duration? = nil,
    onMessage: (@Sendable (AppHostMessage) -> Void)? = nil
  ) throws -> AppServiceGroup {
    let group = AppServiceGroup("test", stopTimeout: stopTimeout)
    let options = AppServiceOptions(onReturn: .shutdown, reportsReadiness: true)
    try group.add(service, options: options)
    try group.start(onMessage: onMessage)
    return group
  }

  @Test("A request to stop reaches graceful shutdown handlers, and is not a cancellation")
  func gracefulShutdown() async throws {
    let run = try start(
      AdoptedService(
        ClosureService { [log] in
          let (stream, continuation) = AsyncStream<Void>.makeStream()
          await withGracefulShutdownHandler {
            log.append("begun")
            for await _ in stream {}
          } onGracefulShutdown: {
            log.append("asked")
            continuation.finish()
          }
          log.append("ended \(Task.isCancelled) \(Task.isShuttingDownGracefully)")
        },
        "http"
      )
    )
    await log.first(1)
    run.shutdown()
    try await run.waitUntilStopped()
    #expect(log.entries == ["begun", "asked", "ended false true"])
  }

  @Test("cancelWhenGracefulShutdown and gracefulShutdown() work")
  func waiting() async throws {
    let run = try start(
      AdoptedService(
        ClosureService { [log] in
          await withTaskGroup { group in
            group.addTask {
              log.append("begun")
              try? await cancelWhenGracefulShutdown { try await untilCancelled() }
              log.append("cancelled")
            }
            group.addTask {
              log.append("begun")
              try? await ServiceLifecycle::gracefulShutdown()
              log.append("waited")
            }
          }
        },
        "http"
      )
    )
    await log.first(2)
    run.shutdown()
    try await run.waitUntilStopped()
    #expect(log.entries.sorted() == ["begun", "begun", "cancelled", "waited"])
  }

  @Test("A request before the service begins is not lost")
  func early() async throws {
    for _ in 0..<50 {
      let run = try start(
        AdoptedService(ClosureService { try await ServiceLifecycle::gracefulShutdown() }, "http")
      )
      run.shutdown()
      try await run.waitUntilStopped()
    }
  }

  @Test("A cancellation is a cancellation")
  func cancellation() async throws {
    let run = try start(
      AdoptedService(
        ClosureService { [log] in
          log.append("begun")
          do {
            try await untilCancelled()
          } catch {
            log.append("\(error is CancellationError) \(Task.isShuttingDownGracefully)")
            throw error
          }
        },
        "http"
      )
    )
    await log.first(1)
    run.cancel()
    _ = try? await run.waitUntilStopped()
    #expect(log.entries == ["begun", "true false"])
  }

  @Test("Task-local values of the run are visible in the service")
  func taskLocals() async throws {
    try await Request.$id.withValue("one") {
      let run = try start(
        AdoptedService(ClosureService { [log] in log.append(Request.id) }, "http")
      )
      try await run.waitUntilStopped()
    }
    #expect(log.entries == ["one"])
  }

  @Test("An error of the service is the error of the program, which names the service")
  func errors() async throws {
    let app = application()
    try app.add(adopting: ClosureService { throw SampleError("port in use") }, named: "http")
    do {
      _ = try await app.run()
      Issue.record("the run did not fail")
    } catch let error as AppHostError {
      #expect(error.errors.contains { $0 as? SampleError == SampleError("port in use") })
      #expect("\(error)".contains("http"))
    }
  }

  @Test("A service that returns by itself ends the program according to its options")
  func returns() async throws {
    let failing = application()
    try failing.add(adopting: ClosureService {}, named: "http")
    await #expect(throws: AppHostError.self) { try await failing.run() }
    let done = application()
    try done.add(
      adopting: ClosureService {},
      named: "job",
      options: AppServiceOptions(onReturn: .shutdown)
    )
    #expect(try await done.run() == 0)
  }

  @Test("A readiness holds dependants back until it is reported, before or after the start")
  func readiness() async throws {
    let (app, readiness) = (application(), Readiness())
    try app.add(
      adopting: ClosureService { [log] in
        log.append("http")
        try await ServiceLifecycle::gracefulShutdown()
      },
      named: "http",
      options: AppServiceOptions(reportsReadiness: true),
      ready: readiness
    )
    try app.add("worker", after: ["http"]) { [log] context in
      log.append("worker \(readiness.isReady)")
      try await context.waitUntilShutdown()
    }
    // Its dependant starts after the first service runs: the worker would have been started before.
    try app.add("db", reportsReadiness: true) { [log] context in
      await log.first(1)
      context.markReady()
      try await context.waitUntilShutdown()
    }
    try app.add("mail", after: ["db"]) { context in
      context.markReady()
      try await context.waitUntilShutdown()
    }
    let changes = Inbox<String>()
    let token = app.bus.observe(.appServiceStateDidChange) { change in
      changes.append("\(change.service) \(change.state)")
    }
    let run = Task { try await app.run() }
    await changes.wait { $0.contains("mail ready") }
    #expect(!changes.entries.contains { $0.hasPrefix("worker") })
    #expect(log.entries == ["http"])
    readiness.markReady()
    readiness.markReady()
    await log.first(2)
    app.shutdown()
    #expect(try await run.value == 0)
    #expect(log.entries == ["http", "worker true"])
    withExtendedLifetime(token) {}
  }

  @Test("Services stop in reverse order, adopted ones among them")
  func order() async throws {
    let app = application()
    try app.add("db") { [log] context in
      context.markReady()
      try await context.waitUntilShutdown()
      log.append("db")
    }
    try app.add(
      adopting: ClosureService { [log] in
        try await ServiceLifecycle::gracefulShutdown()
        log.append("http")
      },
      named: "http",
      options: AppServiceOptions(after: ["db"])
    )
    let run = Task { try await app.run() }
    try await app.waitUntil(state: .active)
    app.shutdown()
    #expect(try await run.value == 0)
    #expect(log.entries == ["http", "db"])
  }

  @Test("A service that ignores the request is cancelled at its deadline, and named")
  func abandoned() async throws {
    let messages = Inbox<String>()
    let run = try start(
      AdoptedService(ClosureService { try? await untilCancelled() }, "http"),
      stopTimeout: .zero,
      onMessage: { messages.append($0.description) }
    )
    try await run.waitUntilReady()
    run.shutdown()
    try? await run.waitUntilStopped()
    #expect(messages.entries.contains { $0.contains("Service \"http\" is cancelled") })
  }
}

extension AdoptingTests {
  @Test("A ServiceGroup is refused with a remedy, where it is adopted and where it would run")
  func group() async throws {
    let group = ServiceGroup(
      services: [ClosureService {}],
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    )
    let app = application()
    let error = #expect(throws: AppServiceError.self) {
      try app.add(adopting: group, named: "group")
    }
    #expect(error?.description.contains("adopt its services one by one") == true)
    #expect(app.services.isEmpty)
    let run = try start(AdoptedService(group, "group"))
    let later = await #expect(throws: AppServiceError.self) { try await run.waitUntilStopped() }
    guard case .failed("test", let errors)? = later?.code else {
      Issue.record("not an error of the group: \(String(describing: later))")
      return
    }
    #expect(errors.map { "\($0)" } == [error?.description])
  }

  @Test("A group's configuration is one service, stops in its own order, and handles no signals")
  func configuration() async throws {
    let app = application()
    let services = ["first", "second"].map { name in
      ClosureService { [log] in
        log.append("begun")
        try? await ServiceLifecycle.gracefulShutdown()
        log.append(name)
      }
    }
    var configuration = ServiceGroupConfiguration(
      services: services,
      gracefulShutdownSignals: [.sigterm, .sigint],
      cancellationSignals: [.sigusr2],
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    )
    try app.add(adopting: configuration, named: "pair")
    let run = Task { try await app.run() }
    await log.first(2)
    // No handler of the group's is installed.
    for signal in [LaunchLoader.UnixSignal.terminate, .interrupt, .user2] {
      #expect(isDefault(signal), "\(signal)")
    }
    app.shutdown()
    #expect(try await run.value == 0)
    #expect(log.entries == ["begun", "begun", "second", "first"])
    configuration.services.append(
      ServiceGroupConfiguration.ServiceConfiguration(
        service: ServiceGroup(configuration: configuration)
      )
    )
    let error = #expect(throws: AppServiceError.self) {
      try application().add(adopting: configuration, named: "nested")
    }
    #expect(error?.description.contains("its ServiceGroupConfiguration") == true)
  }

  private func isDefault(_ signal: LaunchLoader.UnixSignal) -> Bool {
    var action = sigaction()
    unsafe sigaction(signal.rawValue, nil, &action)  // Reason: room for one.
    return unsafe action.__sigaction_handler.sa_handler == nil  // Reason: filled above.
  }
}

@Suite("An application as a service", .timeLimit(.minutes(1)))
struct AsServiceTests {
  private let log = Inbox<String>()

  private func application(
    _ body: @escaping @Sendable (AppServiceContext) async throws -> Void
  )
    throws -> AppHost
  {
    let app = AppHost(
      bus: EventBus(),
      loader: LaunchLoader(),
      configuration: AppHost.Configuration(signals: [:], launchOptions: LaunchOptions())
    )
    try app.add("worker", run: body)
    return app
  }

  private func group(_ services: any Service...) -> ServiceGroup {
    ServiceGroup(
      services: services,
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    )
  }

  @Test("A graceful shutdown of the group stops the application in order")
  func shutdown() async throws {
    let app = try application { [log] context in
      context.markReady()
      log.append("begun")
      try await context.waitUntilShutdown()
      log.append("asked \(Task.isCancelled)")
    }
    let group = group(app.asService())
    let run = Task { try await group.run() }
    await log.first(1)
    await group.triggerGracefulShutdown()
    try await run.value
    #expect(log.entries == ["begun", "asked false"])
    #expect(app.state == .terminated)
  }

  @Test("A cancellation of the group cancels the application")
  func cancellation() async throws {
    let app = try application { [log] context in
      context.markReady()
      log.append("begun")
      try? await untilCancelled()
      log.append("cancelled \(Task.isCancelled)")
    }
    let group = group(app.asService())
    let run = Task { try await group.run() }
    await log.first(1)
    run.cancel()
    _ = try? await run.value
    #expect(log.entries == ["begun", "cancelled true"])
  }

  @Test("An error of the application, and an exit code, are errors of the service")
  func errors() async throws {
    let failing = try application { _ in throw SampleError() }
    await #expect(throws: AppHostError.self) { try await group(failing.asService()).run() }
    let leaving = try application { context in
      context.markReady()
      try await context.waitUntilShutdown()
    }
    let run = Task { try await group(leaving.asService()).run() }
    try await leaving.waitUntil(state: .active)
    leaving.shutdown(exitCode: 3)
    await #expect(throws: ExitCodeError(exitCode: 3)) { try await run.value }
  }
}
