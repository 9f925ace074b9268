import EventBus
import EventBusTesting
import LaunchLoader
import TestSupport
import Testing

@Suite("Limits of handlers, apart from those of services", .timeLimit(.minutes(5)))
struct HandlerLimitTests {
  @Test(
    "A handler of the stop that hangs is abandoned after cancelTimeout, and the services keep their time"
  )
  func willTerminate() async throws {
    let stage = Stage(stopTimeout: .seconds(20), cancelTimeout: .seconds(5))
    let (mayEnd, never) = (ManualLatch(), ManualLatch())
    try stage.add("slow", { $0.reportsReadiness = true }) { [log = stage.log] context in
      context.markReady()
      try await context.waitUntilShutdown()
      log.append("asked")
      await waitStubbornly(mayEnd)
      log.append("cancelled: \(Task.isCancelled)")
    }
    let token = stage.bus.observe(.willTerminate) { () async in await waitStubbornly(never) }
    let running = try await stage.startUntilActive()
    stage.app.shutdown()
    await stage.passTime(atMost: 4) { !stage.log.entries.isEmpty }
    #expect(stage.log.entries.isEmpty)
    await stage.passTime(atMost: 1) { !stage.log.entries.isEmpty }
    await until(stage.log.entries == ["asked"])
    // 24 seconds after the request, and 19 after its own.
    await stage.passTime(atMost: 19) { false }
    mayEnd.open()
    #expect(try await running.value == 0)
    #expect(stage.log.entries == ["asked", "cancelled: false"])
    #expect(
      stage.messages.entries.contains {
        $0.hasPrefix("Abandoned: handlers of application.willTerminate")
      }
    )
    never.open()
    token.cancel()
  }

  @Test("Without cancelTimeout, handlers have the time of the stop, and the services have it again")
  func withoutCancelTimeout() async throws {
    let stage = Stage(stopTimeout: .seconds(10))
    let never = ManualLatch()
    try stage.add("a", { $0.reportsReadiness = true }) { [log = stage.log] context in
      context.markReady()
      try await context.waitUntilShutdown()
      log.append("asked")
      await ManualLatch().wait()
      log.append("cancelled")
    }
    let token = stage.bus.observe(.willTerminate) { () async in await waitStubbornly(never) }
    let running = try await stage.startUntilActive()
    stage.app.shutdown()
    await stage.passTime(atMost: 10) { !stage.log.entries.isEmpty }
    await until(stage.log.entries == ["asked"])
    await stage.passTime(atMost: 9) { stage.log.entries.count > 1 }
    #expect(stage.log.entries == ["asked"])
    await stage.passTime(atMost: 1) { stage.log.entries.count > 1 }
    #expect(try await running.value == 0)
    #expect(stage.log.entries == ["asked", "cancelled"])
    never.open()
    token.cancel()
  }

  @Test(
    "A reload that hangs is abandoned after cancelTimeout, is named, and the next one works",
    arguments: [true, false]
  )
  func reload(blocks: Bool) async throws {
    let stage = Stage(stopTimeout: .seconds(20), cancelTimeout: .seconds(5))
    let log = stage.log
    let (never, count) = (ManualLatch(), Counter())
    let token =
      blocks
      ? stage.bus.observe(.appShouldReload) {
        if count.add() == 1 { never.block() } else { log.append("reloaded") }
      }
      : stage.bus.observe(.appShouldReload) { () async in
        // An asynchronous handler takes one event at a time: this one hears of no other.
        await waitStubbornly(never)
      }
    let other = stage.bus.observe(.appShouldReload) { () async in
      if !blocks { log.append("reloaded") }
    }
    let running = try await stage.startUntilActive()
    await reload(stage)
    let said = stage.messages.entries.filter { $0.hasPrefix("Abandoned") }
    #expect(said.count == 1)
    #expect(said[0].hasPrefix("Abandoned: handlers of application.shouldReload (registered at"))
    #expect(said[0].hasSuffix(": the reload did not end within 5 s."))
    await reload(stage)
    #expect(log.entries == (blocks ? ["reloaded"] : ["reloaded", "reloaded"]))
    never.open()
    #expect(try await stage.stop(running) == 0)
    token.cancel()
    other.cancel()
  }

  /// Reloads, and lets time pass until that is over.
  private func reload(_ stage: Stage) async {
    let isOver = ManualLatch()
    Task {
      await stage.app.reload()
      isOver.open()
    }
    await stage.passTime { isOver.isOpen }
  }
}
