import EventBus
import EventBusTesting
import LaunchLoader
import TestSupport
import Testing

/// The observed defects of an established service group, and the behavior here.
@Suite("No defects of an established service group", .timeLimit(.minutes(5)))
struct ServiceDefectsTests {
  let stage = Stage(cancelTimeout: .seconds(1))

  @Test("The timeout for cancelled services starts when a service throws during the shutdown")
  func limitIsArmed() async throws {
    let mayEnd = ManualLatch()
    try stage.add("deaf") { _ in await waitStubbornly(mayEnd) }
    try stage.add("thrower", { $0.onThrow = .cancel }, throwing: Failed(name: "thrower"))
    let running = try await stage.startUntilActive()
    stage.app.shutdown()
    // That it is cancelled is said when its time has begun.
    #expect(await stage.messages.first(1) == ["Service \"deaf\" is cancelled."])
    await stage.clock.jumpAtRest(by: .seconds(1))
    let error = await #expect(throws: AppHostError.self) { try await running.value }
    #expect(error?.abandonedServices == ["deaf"])
    #expect(error?.errors.first as? Failed == Failed(name: "thrower"))
    mayEnd.open()
  }

  @Test("`.ignore` also applies during shutdown", arguments: [true, false])
  func ignoredDuringShutdown(throwing: Bool) async throws {
    let log = stage.log
    let mayEnd = ManualLatch()
    let hasEnded = ManualLatch()
    try stage.add("witness") { $0.reportsReadiness = true }
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
      try await context.waitUntilShutdown()
      // It is its neighbor's turn, so the other one ends without having been asked to stop.
      mayEnd.open()
      await hasEnded.wait()
      log.append("slow was cancelled: \(Task.isCancelled)")
    }
    #expect(try await stage.runOnce() == 0)
    #expect(log.entries == ["+witness", "a ends", "slow was cancelled: false", "-witness"])
  }

  @Test("A shutdown closure may read the flag and use the rest of the context")
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
      try await context.waitUntilShutdown()
    }
    #expect(try await stage.runOnce() == 0)
    #expect(log.entries == ["true", "nested", "stopping"])
  }

  @Test("No service starts before its dependencies are ready")
  func readiness() async throws {
    let log = stage.log
    try stage.add("database", { $0.reportsReadiness = true }) { context in
      await rest()
      log.append("ready")
      context.markReady()
      try await context.waitUntilShutdown()
    }
    try stage.add("web", after: ["database"])
    _ = try await stage.runOnce()
    #expect(log.entries == ["ready", "+web", "-web"])
  }
}
