#if os(Linux) || os(macOS)
import EventBus
import LaunchLoader
import TestSupport
import Testing

@Suite("The end of a process by runAndExit()", .timeLimit(.minutes(5)))
struct RunAndExitTests {
  private static func application() -> AppHost {
    let configuration = AppHost.Configuration(signals: [:], onMessage: { _ in })
    return AppHost(bus: EventBus(), loader: LaunchLoader(), configuration: configuration)
  }

  private func text(_ result: ExitTest.Result?) throws -> String {
    String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
  }

  @Test("A run without a failure ends the process with the code of the shutdown, and no line")
  func success() async throws {
    await #expect(processExitsWith: .exitCode(0)) {
      let app = Self.application()
      app.shutdown()
      await app.runAndExit()
    }
    let result = await #expect(
      processExitsWith: .exitCode(3),
      observing: [\.standardErrorContent]
    ) {
      let app = Self.application()
      app.shutdown()
      app.shutdown(exitCode: 3)
      app.shutdown(exitCode: 4)
      await app.runAndExit()
    }
    // Swift Testing marks the beginning of the output, and removes the mark only if something follows it.
    #expect(try !text(result).contains("AppHost"))
  }

  @Test("A failed run prints its error on one line, and ends the process with 70")
  func failure() async throws {
    let result = await #expect(
      processExitsWith: .exitCode(70),
      observing: [\.standardErrorContent]
    ) {
      let app = Self.application()
      try app.add("broken") { _ in throw Broken() }
      await app.runAndExit()
    }
    #expect(try text(result) == "AppHost failed: Service \"broken\" threw broken.\n")
  }

  @Test("The code of the shutdown survives a failure, unless it is that of a success")
  func requestedCode() async throws {
    for (requested, expected) in [(5, 5), (0, nil), (256, nil)] as [(Int32, Int32?)] {
      let app = Self.application()
      try app.add("broken") { context in
        try await context.waitUntilShutdown()
        throw Broken()
      }
      let isActive = ManualLatch()
      let token = app.bus.observe(.didBecomeActive) { isActive.open() }
      let running = Task { try await app.run() }
      await isActive.wait()
      app.shutdown(exitCode: requested)
      let error = await #expect(throws: AppHostError.self) { try await running.value }
      #expect(error?.exitCode == expected)
      token.cancel()
    }
  }

  @Test("A run that may not begin has the code that was asked for")
  func refused() async throws {
    let first = Self.application()
    let other = AppHost(
      bus: EventBus(),
      loader: first.loader,
      configuration: AppHost.Configuration(signals: [:], onMessage: { _ in })
    )
    let isActive = ManualLatch()
    let token = first.bus.observe(.didBecomeActive) { isActive.open() }
    let running = Task { try await first.run() }
    await isActive.wait()
    other.shutdown(exitCode: 5)
    let error = await #expect(throws: AppHostError.self) { try await other.run() }
    #expect(error?.exitCode == 5)
    first.shutdown()
    #expect(try await running.value == 0)
    token.cancel()
  }

  @Test("The cause of a shutdown comes first in the errors, whatever fails meanwhile")
  func cause() async throws {
    let app = Self.application()
    try app.add("broken", onReturn: .shutdown) { context in
      try await context.waitUntilShutdown()
      throw Broken()
    }
    let isActive = ManualLatch()
    let token = app.bus.observe(.didBecomeActive) { isActive.open() }
    let running = Task { try await app.run() }
    await isActive.wait()
    app.shutdown(exitCode: 78, because: Failed(name: "configuration"))
    let error = await #expect(throws: AppHostError.self) { try await running.value }
    #expect(error?.errors.first is Failed && error?.errors.count == 2)
    #expect(error?.exitCode == 78)
    token.cancel()
  }

  @Test("A service is added with its options as arguments, in the order that they say")
  func flat() async throws {
    let app = Self.application()
    let log = Log<String>()
    try app.add("web", after: ["database"], onReturn: .shutdown) { _ in log.append("web") }
    try app.add("database", reportsReadiness: true) { context in
      log.append("database")
      context.markReady()
      try await context.waitUntilShutdown()
    }
    #expect(try await app.run() == 0)
    #expect(log.entries == ["database", "web"])
  }
}
#endif
