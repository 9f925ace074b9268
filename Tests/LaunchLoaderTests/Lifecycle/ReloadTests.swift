import EventBus
import LaunchLoader
import TestSupport
import Testing

@Suite("Reloads during the stop", .timeLimit(.minutes(5)))
struct ReloadTests {
  /// An actor whose handlers may block: they run on a separate thread.
  private actor Operator {
    nonisolated let executor = HeldExecutor()

    nonisolated var unownedExecutor: UnownedSerialExecutor {
      unsafe executor.asUnownedSerialExecutor()  // Reason: the actor keeps it.
    }

    func reload(_ app: AppHost) async { await app.reload() }
  }

  @Test(
    "The stop waits for a reload whose post still runs, until the deadline",
    arguments: [true, false]
  )
  func postOutlastsTheRequest(ends: Bool) async throws {
    let stage = Stage(stopTimeout: .seconds(20))
    let (app, log) = (stage.app, stage.log)
    let (isPosting, isOver, mayEnd) = (ManualLatch(), ManualLatch(), ManualLatch())
    try stage.add("a")
    let slow = stage.bus.observe(.appShouldReload) { () async in
      await waitStubbornly(mayEnd)
      log.append("reloaded")
    }
    let blocking = stage.bus.observe(.appShouldReload) {
      isPosting.open()
      isOver.block()
    }
    let running = try await stage.startUntilActive()
    let user = Operator()
    user.executor.open()
    let reloading = Task { await user.reload(app) }
    await isPosting.wait()
    app.shutdown()
    await stage.passTime(atMost: 19) { app.state == .terminated }
    #expect(log.entries == ["+a"])
    if ends {
      isOver.open()
      mayEnd.open()
      #expect(try await running.value == 0)
      await reloading.value
      #expect(log.entries == ["+a", "reloaded", "-a"])
    } else {
      await stage.passTime { app.state == .terminated }
      #expect(try await running.value == 0)
      isOver.open()
      await reloading.value
      mayEnd.open()
    }
    let left = stage.messages.entries.filter { $0.hasPrefix("Abandoned: ") }
    #expect(
      left.map { $0.hasPrefix("Abandoned: handlers of application.shouldReload") }
        == (ends ? [] : [true])
    )
    withExtendedLifetime((slow, blocking)) {}
  }

  @Test("A reload requested once the stop has begun posts nothing")
  func afterTheRequest() async throws {
    let stage = Stage()
    let (app, log) = (stage.app, stage.log)
    let token = stage.bus.observe(.appShouldReload) { log.append("reload") }
    try stage.add("a") { context in
      try await context.waitUntilShutdown()
      await app.reload()
      log.append("-a")
    }
    _ = try await stage.runOnce()
    await app.reload()
    #expect(log.entries == ["-a"])
    withExtendedLifetime(token) {}
  }

  @Test("Every reload that races with the stop returns, and its handlers have ended or are named")
  func racing() async throws {
    for round in 0..<rounds(200, debug: 18, sanitized: 50) {
      let stage = Stage()
      let app = stage.app
      let (begun, ended) = (Counter(), Counter())
      let mayEnd = ManualLatch()
      let token = stage.bus.observe(.appShouldReload) { () async in
        begun.add()
        await mayEnd.wait()
        ended.add()
      }
      try stage.add("a")
      let running = try await stage.startUntilActive()
      let reloading = Task {
        if round % 2 == 0 { await Task.yield() }
        await app.reload()
      }
      if round % 3 == 0 { await Task.yield() }  // Reason: others overlap.
      app.shutdown()
      // The stop waits for the handlers of a reload that came first.
      mayEnd.open()
      #expect(try await running.value == 0)
      await reloading.value
      await until(ended.value == begun.value)
      token.cancel()
    }
  }
}
