import EventBus
import EventBusTesting
import LaunchLoader
import TestSupport
import Testing

@Suite("Combinations of restarts, groups, limits and ends", .timeLimit(.minutes(2)))
struct ServiceCombinationTests {
  private static let readiness = AppServiceOptions(reportsReadiness: true)

  @Test("A group that starts again also starts the groups in it again", arguments: [true, false])
  func nestedGroup(innerFails: Bool) async throws {
    let stage = Stage(stopTimeout: .seconds(20), cancelTimeout: .seconds(5))
    let (entered, mayFail) = (Counter(), ManualLatch())
    let inner = AppServiceGroup("inner")
    try inner.add("a") { context in
      entered.add()
      if innerFails, entered.value == 1 { throw Failed(name: "a") }
      try await context.waitUntilShutdown()
    }
    let outer = AppServiceGroup("outer")
    try outer.add(inner)
    let siblings = Counter()
    try outer.add("b") { context in
      siblings.add()
      if !innerFails, siblings.value == 1 {
        await mayFail.wait()
        throw Failed(name: "b")
      }
      try await context.waitUntilShutdown()
    }
    try stage.app.add(outer, options: AppServiceOptions(onThrow: .restart(RestartPolicy(limit: 3))))
    let running = stage.start()
    await until(entered.value == 1)
    mayFail.open()
    await stage.passTime(atMost: 20) { entered.value == 2 }
    #expect(entered.value == 2)
    await rest()
    stage.app.shutdown()
    #expect(await errors(of: running) == [])
  }

  @Test(
    "Handlers of willTerminate that outlast a cancelled run are named, and no message follows its end"
  )
  func handlersAfterCancellation() async throws {
    let stage = Stage(stopTimeout: .seconds(20), cancelTimeout: .seconds(5))
    let (isBegun, mayEnd) = (ManualLatch(), ManualLatch())
    let token = stage.bus.observe(.willTerminate) { () async in
      isBegun.open()
      await waitStubbornly(mayEnd)
    }
    try stage.add("a")
    let running = try await stage.startUntilActive()
    running.cancel()
    await isBegun.wait()
    _ = await running.result
    let said = stage.messages.entries
    #expect(said.contains { $0.hasPrefix("Abandoned: handlers of application.willTerminate") })
    await rest()
    for _ in 0..<3 { await stage.clock.jumpAtRest(by: .seconds(10)) }
    await rest()
    #expect(Array(stage.messages.entries.dropFirst(said.count)) == [])
    mayEnd.open()
    withExtendedLifetime(token) {}
  }

  @Test("A watchdog that does not return does not keep the run from its end")
  func stuckWatchdog() async throws {
    let (isAsked, mayAnswer, hasEnded) = (ManualLatch(), ManualLatch(), ManualLatch())
    let clock = TestClock()
    let environment = ["NOTIFY_SOCKET": "/nowhere/at/all", "WATCHDOG_USEC": "2000000"]
    let configuration = AppHost.Configuration(
      clock: clock,
      signals: [:],
      onMessage: { _ in },
      launchOptions: LaunchOptions(arguments: ["stage"], environment: environment),
      watchdog: {
        isAsked.open()
        mayAnswer.block()
        return true
      }
    )
    let app = AppHost(bus: EventBus(), loader: LaunchLoader(), configuration: configuration)
    try app.add("a") { try await $0.waitUntilShutdown() }
    let running = Task {
      defer { hasEnded.open() }
      return try await app.run()
    }
    await isAsked.wait()
    app.shutdown()
    await clock.passTime(atMost: 60) { hasEnded.isOpen }
    #expect(app.state == .terminated)
    #expect(hasEnded.isOpen)
    mayAnswer.open()
    #expect(try await running.value == 0)
  }

  @Test("A start that exceeds its limit at the time of a report is named by that, first")
  func reportBeforeStartLimit() async throws {
    let stage = Stage(stopTimeout: .seconds(20), cancelTimeout: .seconds(5))
    let isEntered = ManualLatch()
    try stage.add("a", { ($0.reportsReadiness, $0.startTimeout) = (true, .seconds(5)) }) {
      context in
      isEntered.open()
      try await context.waitUntilShutdown()
    }
    let running = stage.start()
    await isEntered.wait()
    await stage.letTimePass(.seconds(5))
    _ = await running.result
    #expect(
      stage.messages.entries == [
        "Still waiting, after 5 s, for service \"a\" to start.",
        "Service \"a\" is cancelled: it did not start within 5 s.",
      ]
    )
  }

  @Test("A stop that exceeds its limits at the time of a report is named by that, first")
  func reportBeforeStopLimit() async throws {
    let stage = Stage(stopTimeout: .seconds(5), cancelTimeout: .seconds(10))
    let (isAsked, mayEnd) = (ManualLatch(), ManualLatch())
    try stage.add("a") { context in
      context.onShutdown { isAsked.open() }
      await waitStubbornly(mayEnd)
    }
    let running = try await stage.startUntilActive()
    stage.app.shutdown()
    await isAsked.wait()
    await stage.letTimePass(.seconds(5))
    _ = await stage.messages.first(2)
    await stage.letTimePass(.seconds(10))
    _ = await running.result
    mayEnd.open()
    #expect(
      stage.messages.entries == [
        "Still waiting, after 5 s, for service \"a\" to stop.",
        "Service \"a\" is cancelled: it did not stop within 5 s.",
        "Still waiting, after 15 s, for service \"a\" to stop.",
        "Service \"a\" did not stop: it ignored cancellation for 10 s and was abandoned.",
      ]
    )
  }

  @Test(
    "Services are asked to stop before one that they start after, even if that has missed its next start"
  )
  func dependantsOfMissedStart() async throws {
    let stage = Stage()
    let (mayFail, mayEnd) = (ManualLatch(), ManualLatch())
    try stage.add(
      "database",
      {
        ($0.reportsReadiness, $0.startTimeout) = (true, .seconds(5))
        $0.onThrow = .restart(RestartPolicy(pause: .seconds(1)))
      }
    ) { context in
      if context.attempt > 1 { return await waitStubbornly(mayEnd) }
      context.markReady()
      await mayFail.wait()
      throw Failed(name: "database")
    }
    try stage.add("web", after: ["database"])
    let running = try await stage.startUntilActive()
    mayFail.open()
    await stage.passTime(atMost: 30) { stage.app.services.first?.state == .cancelled }
    stage.app.shutdown()
    await rest()
    #expect(stage.log.entries == ["+web", "-web"])
    mayEnd.open()
    _ = await running.result
  }

  @Test("A reload that was abandoned before its handlers began does not begin them after the run")
  func reloadAfterTheRun() async throws {
    let stage = Stage(stopTimeout: .seconds(20), cancelTimeout: .seconds(5))
    let (app, log) = (stage.app, stage.log)
    let token = stage.bus.observe(.appShouldReload) { log.append("reload") }
    try stage.add("a")
    let running = try await stage.startUntilActive()
    let (user, isBlocked, mayGoOn) = (User(), ManualLatch(), ManualLatch())
    let reloading = Task { await user.reload(app) }
    await user.executor.waitForJobs(1)
    let blocking = Task { await user.block(isBlocked, mayGoOn) }
    await user.executor.waitForJobs(2)
    user.executor.open()
    await isBlocked.wait()
    await stage.letTimePass(.seconds(5))
    await until(stage.messages.entries.contains { $0.hasPrefix("Abandoned: ") })
    #expect(try await stage.stop(running) == 0)
    mayGoOn.open()
    await reloading.value
    await blocking.value
    await rest()
    #expect(log.entries == ["+a", "-a"])
    withExtendedLifetime(token) {}
  }

  private actor User {
    nonisolated let executor = HeldExecutor()

    nonisolated var unownedExecutor: UnownedSerialExecutor {
      unsafe executor.asUnownedSerialExecutor()  // Reason: the actor keeps it.
    }

    func reload(_ app: AppHost) async { await app.reload() }

    func block(_ isBlocked: ManualLatch, _ mayGoOn: ManualLatch) {
      isBlocked.open()
      mayGoOn.block()
    }
  }

  @Test("A group that pauses before a restart can be asked to stop, and takes services")
  func pausingGroup() async throws {
    let stage = Stage(stopTimeout: .seconds(20), cancelTimeout: .seconds(5))
    let entered = Counter()
    let group = AppServiceGroup("group")
    try group.add("a") { context in
      entered.add()
      if entered.value == 1 { throw Failed(name: "a") }
      try await context.waitUntilShutdown()
    }
    try stage.app.add(
      group,
      options: AppServiceOptions(onThrow: .restart(RestartPolicy(pause: .seconds(5))))
    )
    let running = try await stage.startUntilActive()
    await until(stage.app.services.first?.state == .pausing)
    #expect(serviceErrorKind { () throws(AppServiceError) in try group.add("b") { _ in } } == nil)
    group.shutdown()
    #expect(
      serviceErrorKind { () throws(AppServiceError) in try group.add("c") { _ in } } == "stopped"
    )
    await stage.passTime(atMost: 20) { stage.app.state == .terminated || entered.value == 2 }
    #expect(entered.value == 1)
    stage.app.shutdown()
    _ = await running.result
  }

  @Test("A group whose wrapper may start again releases its services at the end of the run")
  func wrappedGroup() async throws {
    let objects = WeakList<SampleObject>()
    let stage = Stage(stopTimeout: .seconds(20), cancelTimeout: .seconds(5))
    let group = AppServiceGroup("group")
    do {
      let object = SampleObject()
      objects.append(object)
      try group.add("a") { context in
        try await context.waitUntilShutdown()
        withExtendedLifetime(object) {}
      }
    }
    try stage.add("wrapper", { $0.onThrow = .restart(RestartPolicy()) }) { try await group.run($0) }
    #expect(try await stage.runOnce() == 0)
    await rest()
    #expect(objects.liveCount == 0)
    withExtendedLifetime(group) {}
  }

  private final class SampleObject: Sendable {}

  @Test("A group that is cancelled while it is started ends")
  func manyGroups() async throws {
    for _ in 0..<100 {
      let group = AppServiceGroup("group")
      try group.add("a") { try await $0.waitUntilShutdown() }
      let isReleased = Task { group.cancel() }
      try group.start { _ in }
      try await group.waitUntilStopped()
      await isReleased.value
    }
  }

  #if os(Linux) || os(macOS)
  @Test(
    "The status for the service manager is one line, whatever the names of the services contain"
  )
  func statusLine() async throws {
    let manager = try Manager()
    let clock = TestClock()
    let isEntered = ManualLatch()
    let configuration = AppHost.Configuration(
      clock: clock,
      signals: [:],
      onMessage: { _ in },
      launchOptions: LaunchOptions(
        arguments: ["stage"],
        environment: ["NOTIFY_SOCKET": manager.address]
      )
    )
    let app = AppHost(bus: EventBus(), loader: LaunchLoader(), configuration: configuration)
    try app.add("a\nREADY=1", reportsReadiness: true) { context in
      isEntered.open()
      try await context.waitUntilShutdown()
    }
    let running = Task { try await app.run() }
    await isEntered.wait()
    await clock.waitForSleepers(atLeast: 1)
    await clock.jumpAtRest(by: .seconds(5))
    await rest()
    let lines = try manager.message().split(separator: "\n")
    #expect(!lines.contains { $0.hasPrefix("READY=1") })
    #expect(lines.count == 2)
    app.shutdown()
    _ = await running.result
  }
  #endif

  @Test("A service whose release blocks delays no deadline", arguments: [false, true])
  func blockingRelease(mayRestart: Bool) async throws {
    let stage = Stage(stopTimeout: .seconds(20), cancelTimeout: .seconds(5))
    let (mayGo, isBlocked) = (ManualLatch(), ManualLatch())
    try stage.add("b")
    do {
      let object = AtDeinit {
        isBlocked.open()
        mayGo.block()
      }
      let policy = AppServiceOptions.EndPolicy.restart(RestartPolicy())
      try stage.add("a", { if mayRestart { $0.onThrow = policy } }) { context in
        try await context.waitUntilShutdown()
        withExtendedLifetime(object) {}
      }
    }
    let running = try await stage.startUntilActive()
    stage.app.shutdown()
    await isBlocked.wait()
    await stage.passTime(atMost: 60) { stage.app.state == .terminated }
    #expect(stage.app.state == .terminated)
    mayGo.open()
    _ = await running.result
  }
}
