import EventBus
import EventBusTesting
import LaunchLoader
import TestSupport
import Testing

/// The messages and the time limits of a service that runs alone.
extension ServiceRunTests {
  @Test("While waitUntilReady() waits, the service is named after 5 s and then every 10 s, once")
  func slowStart() async throws {
    let (isEntered, mayBeReady) = (ManualLatch(), ManualLatch())
    let run = run(
      ClosureService { context in
        isEntered.open()
        await mayBeReady.wait()
        context.markReady()
        try await context.waitUntilShutdown()
      }
    )
    await isEntered.wait()
    #expect(clock.sleeperCount == 0)
    await clock.jumpAtRest(by: .seconds(100))
    let waits = (0..<2).map { _ in Task { try await run.waitUntilReady() } }
    for (index, seconds) in [5, 10, 10].enumerated() {
      await clock.waitForSleepers(atLeast: 1)
      await clock.jumpAtRest(by: .seconds(seconds))
      _ = await messages.first(index + 1)
    }
    let said = [5, 15, 25].map { "waiting for service \"a\" to start, for \($0) s now" }
    #expect(messages.entries == said)
    // One that gives up takes no message from the other.
    waits[0].cancel()
    #expect(await isCancelled { try await waits[0].value })
    await clock.waitForSleepers(atLeast: 1)
    await clock.jumpAtRest(by: .seconds(10))
    #expect(await messages.first(4).last == "waiting for service \"a\" to start, for 35 s now")
    mayBeReady.open()
    try await waits[1].value
    #expect(clock.sleeperCount == 0)
    run.shutdown()
    try await run.wait()
    #expect(messages.entries.count == 4)
  }

  @Test("A wait for the start that begins while the last one ends is watched")
  func overlappingWatches() async throws {
    let mayBeReady = ManualLatch()
    let run = run(
      ClosureService { context in
        await mayBeReady.wait()
        context.markReady()
      }
    )
    var waiting = Task { try await run.waitUntilReady() }
    for _ in 0..<rounds(300, debug: 30, sanitized: 50) {
      let leaving = waiting
      waiting = Task {
        await Task.yield()
        try await run.waitUntilReady()
      }
      leaving.cancel()
      _ = await leaving.result
      await rest()
      guard clock.sleeperCount == 1 else {
        Issue.record("\(clock.sleeperCount) alarms while one task waits")
        break
      }
    }
    mayBeReady.open()
    try await waiting.value
    // The alarm is cancelled by a task of its own.
    await until(clock.sleeperCount == 0)
    #expect(clock.sleeperCount == 0)
    try await run.wait()
    #expect(messages.entries.isEmpty)
  }

  @Test("A stop that takes too long on the clock is reported, cancelled, and abandoned")
  func timeLimits() async throws {
    let mayEnd = ManualLatch()
    let isAsked = ManualLatch()
    let run = run(
      ClosureService { context in
        context.onShutdown { isAsked.open() }
        context.markReady()
        await waitStubbornly(mayEnd)
      }
    )
    try await run.waitUntilReady()
    await clock.jumpAtRest(by: .seconds(3_600))
    run.shutdown()
    await isAsked.wait()
    for (seconds, count) in [(5, 1), (10, 2), (5, 3)] {
      await clock.waitForSleepers(atLeast: 1)
      await clock.jumpAtRest(by: .seconds(seconds))
      _ = await messages.first(count)
    }
    await clock.waitForSleepers(atLeast: 1)
    await clock.jumpAtRest(by: .seconds(5))
    let error = await #expect(throws: AppServiceError.self) { try await run.wait() }
    #expect(error?.kind == "abandoned")
    let said = messages.entries
    #expect(
      Array(said.prefix(3)) == [
        "waiting for service \"a\" to stop, for 5 s now",
        "waiting for service \"a\" to stop, for 15 s now",
        "service \"a\" is cancelled: it did not stop within 20 s",
      ]
    )
    #expect(said.last?.hasPrefix("service \"a\" is abandoned") == true)
    mayEnd.open()
  }
}
