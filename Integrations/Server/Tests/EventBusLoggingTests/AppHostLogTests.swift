internal import EventBus
internal import EventBusTesting
internal import EventBusLogging
internal import InMemoryLogging
internal import LaunchLoader
internal import Logging
internal import TestKit
internal import Testing

@Suite("Logging an application", .timeLimit(.minutes(1)))
struct ApplicationLogTests {
  private let sample = SampleLogger()

  private func application(
    _ loader: LaunchLoader = LaunchLoader(),
    clock: any Clock<Duration> = ContinuousClock(),
    stopTimeout: Duration? = .seconds(20)
  ) -> AppHost {
    AppHost(
      bus: EventBus(),
      loader: loader,
      configuration: AppHost.Configuration(
        logger: sample.logger,
        stopTimeout: stopTimeout,
        clock: clock,
        signals: [:],
        launchOptions: LaunchOptions()
      )
    )
  }

  @Test("A message names its services, its state and the time so far in metadata")
  func waiting() async throws {
    let clock = ManualClock()
    // Without a deadline, so that the clock may run ahead of the message.
    let app = application(clock: clock, stopTimeout: nil)
    let held = Inbox<Void>()
    for name in ["cache", "db"] {
      try app.add(name) { context in
        context.markReady()
        try await context.waitUntilShutdown()
        await held.first(1)
      }
    }
    let run = Task { try await app.run() }
    try await app.waitUntil(state: .active)
    app.shutdown()
    // Handlers of the application's own events may be waited for as well.
    while !sample.handler.entries.contains(where: { $0.metadata["service"] != nil }) {
      await clock.waitForSleepers(atLeast: 1)
      await clock.advance(by: .seconds(1))
    }
    held.append(())
    #expect(try await run.value == 0)
    let entry = try #require(sample.handler.entries.first { $0.metadata["service"] != nil })
    #expect(entry.level == .warning)
    #expect(entry.metadata["service"] == "db")
    #expect(entry.metadata["state"] == "stopping")
    #expect(entry.metadata["elapsed"] != nil)
    #expect("\(entry.message)".contains("for service \"db\" to stop"))
  }

  @Test("A cancelled service, and failed launch work, are named in metadata")
  func names() async throws {
    let loader = LaunchLoader()
    loader.register("mail") { _ in throw SampleError() }
    let app = application(loader, stopTimeout: .zero)
    let held = Inbox<Void>()
    try app.add("db") { context in
      context.markReady()
      try? await context.waitUntilShutdown()
      _ = await withTaskCancellationHandler {
        await held.first(1)
      } onCancel: {
        held.append(())
      }
    }
    let run = Task { try await app.run() }
    try await app.waitUntil(state: .active)
    app.shutdown()
    _ = try? await run.value
    let entries = sample.handler.entries
    #expect(entries.contains { $0.metadata["worker"] == "mail" })
    #expect(
      entries.contains { $0.metadata["service"] == "db" && $0.metadata["state"] == "cancelled" }
    )
  }

  @Test("States, launch work and failures are entries with metadata")
  func lifecycle() async throws {
    let loader = LaunchLoader()
    loader.register("settings") { _ in }
    let app = application(loader)
    let log = app.startLogging(to: sample.logger)
    try app.add("web", onThrow: .ignore) { _ in
      throw SampleError("port in use")
    }
    try app.add("db") { context in
      context.markReady()
      try await context.waitUntilShutdown()
    }
    let run = Task { try await app.run() }
    try await app.waitUntil(state: .active)
    await until(sample.lines().contains { $0.hasPrefix("service failed") })
    await until(sample.lines().contains("launch finished"))
    app.shutdown()
    #expect(try await run.value == 0)
    let entries = sample.handler.entries
    let states = entries.filter { "\($0.message)" == "application changed state" }
      .compactMap { $0.metadata["state"].map { "\($0)" } }
    #expect(
      states == ["launching", "inactive", "active", "inactive", "stopping", "terminated"]
        || states == ["launching", "active", "stopping", "terminated"]
        || states == ["launching", "inactive", "active", "stopping", "terminated"]
    )
    #expect(
      entries.filter { $0.metadata["state"] != nil }.allSatisfy { $0.metadata["elapsed"] != nil }
    )
    #expect(
      entries.contains { $0.metadata["worker"] == "settings" && $0.metadata["elapsed"] != nil }
    )
    let services = entries.filter {
      "\($0.message)" == "service changed state" && $0.metadata["service"] == "db"
    }
    #expect(
      services.map { "\($0.metadata["state"] ?? "")" } == [
        "starting", "ready", "stopping", "ended",
      ]
    )
    let failure = try #require(entries.first { $0.level == .error })
    #expect(failure.metadata["service"] == "web")
    #expect(failure.error as? SampleError == SampleError("port in use"))
    withExtendedLifetime(log) {}
  }

  @Test("A service that starts again is a warning with its error, as a change and as a message")
  func restarts() async throws {
    let app = application()
    let log = app.startLogging(to: sample.logger)
    let policy = RestartPolicy(pause: .zero)
    try app.add("feed", reportsReadiness: true, onThrow: .restart(policy)) { context in
      if context.attempt == 1 { throw SampleError("no connection") }
      context.markReady()
      try await context.waitUntilShutdown()
    }
    let run = Task { try await app.run() }
    try await app.waitUntil(state: .active)
    app.shutdown()
    #expect(try await run.value == 0)
    let failures = sample.handler.entries.filter { $0.error != nil }
    #expect(failures.count == 2)
    for failure in failures {
      #expect(failure.level == .warning)
      #expect(failure.metadata["service"] == "feed")
      #expect(failure.metadata["state"] == "pausing")
      #expect(failure.error as? SampleError == SampleError("no connection"))
    }
    let attempts = sample.handler.entries.filter { $0.metadata["state"] == "starting" }
      .map { "\($0.metadata["attempt"] ?? "")" }
    #expect(attempts == ["1", "2"])
    withExtendedLifetime(log) {}
  }

  @Test("Failed launch work is an error, whether its entries or only its messages are logged")
  func launchFailures() async throws {
    let loader = LaunchLoader()
    loader.register("mail") { _ in throw SampleError("no server") }
    loader.register("good") { _ in }
    let app = application(loader)
    var errors = sample.logger
    errors.logLevel = .error
    let log = app.startLogging(to: errors)
    try app.add("db") { context in
      context.markReady()
      try await context.waitUntilShutdown()
    }
    let run = Task { try await app.run() }
    try await app.waitUntil(state: .active)
    await until(sample.lines().contains { $0.hasPrefix("launch work failed") })
    app.shutdown()
    #expect(try await run.value == 0)
    let failures = sample.handler.entries.filter { $0.metadata["worker"] == "mail" }
    #expect(failures.count == 2)
    #expect(failures.allSatisfy { $0.level == .error })
    let entry = try #require(failures.first { "\($0.message)" == "launch work failed" })
    #expect(entry.error as? SampleError == SampleError("no server"))
    #expect(entry.metadata["outcome"] == "failed: no server")
    #expect(entry.metadata["elapsed"] != nil)
    let message = try #require(failures.first { "\($0.message)" != "launch work failed" })
    #expect("\(message.message)".contains("no server"))
    #expect(message.error as? SampleError == SampleError("no server"))
    withExtendedLifetime(log) {}
  }

  @Test("The token of an application's log does not keep the application")
  func releases() {
    var app: AppHost? = application()
    weak let released = app
    let log = app?.startLogging(to: sample.logger)
    app = nil
    #expect(released == nil)
    withExtendedLifetime(log) {}
  }
}
