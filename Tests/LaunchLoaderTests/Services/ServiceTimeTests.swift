import EventBus
import LaunchLoader
import TestSupport
import Testing

@Suite("The time that services have to stop", .serialized, .timeLimit(.minutes(5)))
struct ServiceTimeTests {
  @Test("A service that takes too long is cancelled; those before it are stopped as ever")
  func cancelledAfterBudget() async throws {
    let stage = Stage(stopTimeout: .seconds(10))
    let log = stage.log
    try stage.add("a")
    try stage.add("b") { context in
      let never = ManualLatch()
      await never.wait()
      log.append("b is cancelled: \(Task.isCancelled), told to stop: \(context.isShuttingDown)")
    }
    let running = stage.start()
    try await stage.app.reached(.active)
    stage.app.shutdown()
    await stage.letTimePass(.seconds(10))
    #expect(try await running.value == 0)
    #expect(log.entries == ["+a", "b is cancelled: true, told to stop: true", "-a"])
    #expect(stage.clock.sleeperCount == 0)
  }

  @Test("A service's own limit goes before that of the application")
  func ownLimit() async throws {
    let stage = Stage(stopTimeout: .seconds(1_000))
    try stage.add("b", { $0.stopTimeout = .seconds(1) }) { _ in await ManualLatch().wait() }
    let running = stage.start()
    try await stage.app.reached(.active)
    stage.app.shutdown()
    await stage.letTimePass(.seconds(1))
    #expect(try await running.value == 0)
  }

  @Test("A service that does not end when cancelled is left behind and named; nothing traps")
  func leftBehind() async throws {
    let stage = Stage(stopTimeout: .seconds(1), cancelTimeout: .seconds(1))
    let mayEnd = ManualLatch()
    try stage.add("a")
    try stage.add("deaf") { _ in await waitStubbornly(mayEnd) }
    let running = stage.start()
    try await stage.app.reached(.active)
    stage.app.shutdown()
    await stage.letTimePass(.seconds(1), .seconds(1))
    let error = await #expect(throws: ApplicationError.self) { try await running.value }
    #expect(error?.stuckServices == ["deaf"])
    #expect(error?.description.hasSuffix("; stuck: deaf") == true)
    #expect(stage.log.entries == ["+a", "-a"])
    mayEnd.open()
  }

  @Test("Cancelling while one stops cancels the others too, and arms the limit of each")
  func cancelDuringShutdown() async throws {
    let stage = Stage(cancelTimeout: .seconds(1))
    let mayEnd = ManualLatch()
    let isTold = ManualLatch()
    try stage.add("a") { context in
      context.onShutdown { isTold.open() }
      await waitStubbornly(mayEnd)
    }
    try stage.add("b") { context in
      context.onShutdown { isTold.open() }
      await waitStubbornly(mayEnd)
    }
    let running = stage.start()
    try await stage.app.reached(.active)
    stage.app.shutdown()
    await isTold.wait()
    running.cancel()
    await stage.clock.sleepers(atLeast: 2)
    stage.clock.jump(by: .seconds(1))
    let error = await #expect(throws: ApplicationError.self) { try await running.value }
    #expect(Set(error?.stuckServices ?? []) == ["a", "b"])
    mayEnd.open()
  }

  @Test("A service that ends in time leaves no clock running")
  func inTime() async throws {
    let stage = Stage(stopTimeout: .seconds(1), cancelTimeout: .seconds(1))
    for name in ["a", "b"] { try stage.add(name) }
    _ = try await stage.runOnce()
    while stage.clock.sleeperCount > 0 { await Task.yield() }
  }
}
