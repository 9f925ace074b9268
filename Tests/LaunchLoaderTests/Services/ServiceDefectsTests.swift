import EventBus
import EventBusTesting
import LaunchLoader
import TestSupport
import Testing

/// The observed defects of an established service group, and the behavior here.
@Suite("No defects of an established service group", .timeLimit(.minutes(5)))
struct ServiceDefectsTests {
  let stage = Stage(cancelTimeout: .seconds(1))

  // That signals reach `interrupt` is shown by the suite about an application and its process's signals.

  @Test("1: A second interrupt cancels the services that the first one asked to stop")
  func secondInterrupt() async throws {
    let log = stage.log
    let isAsked = ManualLatch()
    try stage.add("a") { context in
      context.onShutdown { isAsked.open() }
      await ManualLatch().wait()
      log.append("cancelled")
    }
    let running = stage.start()
    try await stage.app.waitUntil(state: .active)
    stage.app.interrupt(2)
    await isAsked.wait()
    #expect(log.entries.isEmpty)
    stage.app.interrupt(2)
    #expect(try await running.value == 130)
    #expect(log.entries == ["cancelled"])
  }

  // ThreadSanitizer holds signals back.
  #if (os(Linux) || os(macOS)) && !TSAN
  @Test("2: After run() signals are not discarded: the next one acts as before")
  func notSwallowed() throws {
    let program = try RunningProgram(Program("ApplicationFixture"), ["plain"])
    while try program.line() != "active" {}
    program.signal(15)
    while try program.line() != "ended with 0" {}
    program.signal(15)
    #expect(try program.wait() == -15)
  }
  #endif

  @Test("3: The timeout for cancelled services starts when a service throws during the shutdown")
  func limitIsArmed() async throws {
    let mayEnd = ManualLatch()
    try stage.add("deaf") { _ in await waitStubbornly(mayEnd) }
    try stage.add("thrower", { $0.onThrow = .cancel }, throwing: Failed(name: "thrower"))
    let running = stage.start()
    try await stage.app.waitUntil(state: .active)
    stage.app.shutdown()
    // That it is cancelled is said when its time has begun.
    #expect(await stage.messages.first(1) == ["service \"deaf\" is cancelled"])
    await stage.clock.jumpAtRest(by: .seconds(1))
    let error = await #expect(throws: AppHostError.self) { try await running.value }
    #expect(error?.stuckServices == ["deaf"])
    #expect(error?.errors.first as? Failed == Failed(name: "thrower"))
    mayEnd.open()
  }

  @Test("4: An end to be ignored is ignored during the shutdown", arguments: [true, false])
  func ignoredDuringShutdown(throwing: Bool) async throws {
    let log = stage.log
    let mayEnd = ManualLatch()
    let hasEnded = ManualLatch()
    try stage.add("witness")
    try stage.add(
      "a",
      {
        $0.onReturn = .ignore
        $0.onThrow = .ignore
      }
    ) { _ in
      await mayEnd.wait()
      log.append("a ends")
      hasEnded.open()
      if throwing { throw Failed(name: "a") }
    }
    try stage.add("slow") { context in
      try await context.untilShutdown()
      // It is its neighbor's turn, so the other one ends without having been asked to stop.
      mayEnd.open()
      await hasEnded.wait()
      log.append("slow was cancelled: \(Task.isCancelled)")
    }
    #expect(try await stage.runOnce() == 0)
    #expect(log.entries == ["+witness", "a ends", "slow was cancelled: false", "-witness"])
  }

  @Test("5: A shutdown closure may read the flag and use the rest of the context")
  func flagInClosure() async throws {
    let log = stage.log
    let app = stage.app
    try stage.add("a") { context in
      context.onShutdown {
        log.append("\(context.isShuttingDown)")
        context.onShutdown { log.append("nested") }.cancel()
        context.markReady()
        app.shutdown()
        log.append("\(app.state)")
      }
      try await context.untilShutdown()
    }
    #expect(try await stage.runOnce() == 0)
    #expect(log.entries == ["true", "nested", "stopping"])
  }

  @Test("6: The flag is true inside shutdown closures, before they return")
  func flagIsTrue() async throws {
    let flags = Log<Bool>()
    try stage.add("a") { context in
      context.onShutdown { flags.append(context.isShuttingDown) }
      context.onShutdown { flags.append(context.isShuttingDown) }
      try await context.untilShutdown()
    }
    _ = try await stage.runOnce()
    #expect(flags.entries == [true, true])
  }

  @Test("7: No service starts before its dependencies are ready")
  func readiness() async throws {
    let log = stage.log
    try stage.add("database", { $0.waitsForReady = true }) { context in
      for _ in 0..<100 { await Task.yield() }
      log.append("ready")
      context.markReady()
      try await context.untilShutdown()
    }
    try stage.add("web", after: ["database"])
    _ = try await stage.runOnce()
    #expect(log.entries == ["ready", "+web", "-web"])
  }
}
