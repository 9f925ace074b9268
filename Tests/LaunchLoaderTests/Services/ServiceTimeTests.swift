import EventBus
import EventBusTesting
import LaunchLoader
import TestSupport
import Testing

@Suite("Service timeouts", .serialized, .timeLimit(.minutes(5)))
struct ServiceTimeTests {
  @Test("When the shared timeout expires, all running services are cancelled with that reason")
  func cancelledAfterBudget() async throws {
    let stage = Stage(stopTimeout: .seconds(10))
    let log = stage.log
    try stage.add("a")
    try stage.add("b") { context in
      await ManualLatch().wait()
      log.append("b is cancelled: \(Task.isCancelled), asked to stop: \(context.isShuttingDown)")
    }
    let running = try await stage.startUntilActive()
    stage.app.shutdown()
    await stage.letTimePass(.seconds(10))
    #expect(try await running.value == 0)
    #expect(Set(log.entries) == ["+a", "b is cancelled: true, asked to stop: true", "-a"])
    let names = ["b", "a"].map { "Service \"\($0)\" is cancelled: it did not stop within 10 s." }
    #expect(stage.messages.entries.filter { $0.contains("cancelled") } == names)
    await until(stage.clock.sleeperCount == 0)
  }

  @Test("Limits that expire together take effect in the order in which the services were asked")
  func equalLimits() async throws {
    let stage = Stage()
    let names = (0..<8).map { "s\($0)" }
    let asked = Counter()
    for name in names {
      try stage.add(name, { $0.stopTimeout = .seconds(1) }) { context in
        context.onShutdown { asked.add() }
        await ManualLatch().wait()
      }
    }
    // With a dependency, the others form one layer and are asked together.
    try stage.add("last", after: names)
    let running = try await stage.startUntilActive()
    stage.app.shutdown()
    await until(asked.value == names.count)
    await stage.letTimePass(.seconds(1))
    _ = try await running.value
    let reason = "is cancelled: it did not stop within 1 s."
    // Services stop in the reverse order of their registration.
    let expected = names.reversed().map { "Service \"\($0)\" \(reason)" }
    #expect(stage.messages.entries == expected)
  }

  @Test("The longest limits never expire")
  func longestLimits() async throws {
    let longest = Duration(attoseconds: .max)
    let stage = Stage(stopTimeout: longest, cancelTimeout: longest)
    try stage.add("a") {
      $0.startTimeout = longest
      $0.stopTimeout = longest
    }
    await stage.clock.jumpAtRest(by: .seconds(1))
    let running = try await stage.startUntilActive()
    await stage.clock.jumpAtRest(by: .seconds(1))
    #expect(try await stage.stop(running) == 0)
    #expect(stage.log.entries == ["+a", "-a"])
  }

  @Test("By default a stop takes at most 20 seconds, and a cancellation 5")
  func defaults() {
    let configuration = AppHost.Configuration()
    #expect(configuration.stopTimeout == .seconds(20))
    #expect(configuration.cancelTimeout == .seconds(5))
    let options = AppServiceOptions()
    #expect(options.startTimeout == nil && options.stopTimeout == nil)
    #expect(options.onReturn == .fail && options.onThrow == .fail)
    #expect(options.after.isEmpty && !options.reportsReadiness)
  }

  @Test("A service's own timeout applies within the application's; the others continue in order")
  func ownLimit() async throws {
    let stage = Stage(stopTimeout: .seconds(1_000))
    let isAsked = ManualLatch()
    try stage.add("a")
    try stage.add("b", { $0.stopTimeout = .seconds(1) }) { context in
      context.onShutdown { isAsked.open() }
      await ManualLatch().wait()
    }
    let running = try await stage.startUntilActive()
    stage.app.shutdown()
    await isAsked.wait()
    await stage.clock.jumpAtRest(by: .seconds(1))
    #expect(try await running.value == 0)
    #expect(stage.log.entries == ["+a", "-a"])
    #expect(
      stage.messages.entries == ["Service \"b\" is cancelled: it did not stop within 1 s."]
    )
  }

  @Test("A service that becomes ready after it was asked to stop keeps its time to stop")
  func readyWhileStopping() async throws {
    let stage = Stage()
    let isEntered = ManualLatch()
    let isReady = ManualLatch()
    try stage.add(
      "late",
      {
        $0.reportsReadiness = true
        $0.startTimeout = .seconds(1_000)
        $0.stopTimeout = .seconds(1)
      },
      run: { context in
        context.onShutdown {
          context.markReady()
          isReady.open()
        }
        isEntered.open()
        await ManualLatch().wait()
      }
    )
    let running = stage.start()
    await isEntered.wait()
    stage.app.shutdown()
    await isReady.wait()
    await stage.clock.jumpAtRest(by: .seconds(1))
    #expect(try await running.value == 0)
    #expect(
      stage.messages.entries == ["Service \"late\" is cancelled: it did not stop within 1 s."]
    )
  }

  @Test(
    "A service that does not start in time is cancelled at once, before the others are stopped",
    arguments: [true, false]
  )
  func startTimeoutCancels(isInGroup: Bool) async throws {
    let stage = Stage(stopTimeout: .seconds(20), cancelTimeout: .seconds(5))
    let (isEntered, mayTerminate) = (ManualLatch(), ManualLatch())
    var options = AppServiceOptions(reportsReadiness: true)
    options.startTimeout = .seconds(3)
    try stage.add("a")
    let body: @Sendable (AppServiceContext) async throws -> Void = { [log = stage.log] context in
      isEntered.open()
      await ManualLatch().wait()
      log.append("cancelled: \(Task.isCancelled)")
      // The stop of the others still waits.
      mayTerminate.open()
    }
    if isInGroup {
      let group = AppServiceGroup("group")
      try group.add("slow", run: body)
      try group.add("never ready", options: AppServiceOptions(reportsReadiness: true)) { _ in
        await ManualLatch().wait()
      }
      try stage.app.add(group, options: options)
    } else {
      try stage.app.add("slow", options: options, run: body)
    }
    let token = stage.bus.observe(.willTerminate) { () async in await mayTerminate.wait() }
    let running = stage.start()
    await isEntered.wait()
    await stage.clock.waitForSleepers(atLeast: 1)
    await stage.clock.jumpAtRest(by: .seconds(3))
    let name = isInGroup ? "group" : "slow"
    let errors = await errors(of: running)
    #expect(errors.first?.hasPrefix("Service \"\(name)\" did not start within 3 s") == true)
    #expect(errors.count == 1)
    #expect(stage.log.entries == ["+a", "cancelled: true", "-a"])
    #expect(
      stage.messages.entries.first
        == "Service \"\(name)\" is cancelled: it did not start within 3 s."
    )
    token.cancel()
  }

  @Test("A service that ignores its cancellation is abandoned and named, without a trap")
  func abandoned() async throws {
    let stage = Stage(stopTimeout: .seconds(1), cancelTimeout: .seconds(1))
    let mayEnd = ManualLatch()
    try stage.add("a")
    try stage.add("deaf") { _ in await waitStubbornly(mayEnd) }
    let running = try await stage.startUntilActive()
    stage.app.shutdown()
    await stage.passTime { stage.app.state == .terminated }
    let error = await #expect(throws: AppHostError.self) { try await running.value }
    #expect(error?.abandonedServices == ["deaf"])
    #expect(
      error?.description.contains("\"deaf\" did not stop: it ignored cancellation for 1 s") == true
    )
    #expect(stage.log.entries == ["+a", "-a"])
    mayEnd.open()
  }

  @Test("A service that starts and ends in time leaves no clock running")
  func inTime() async throws {
    let stage = Stage(stopTimeout: .seconds(1), cancelTimeout: .seconds(1))
    for name in ["a", "b"] {
      try stage.add(name) {
        $0.reportsReadiness = true
        $0.startTimeout = .seconds(3)
      }
    }
    let running = try await stage.startUntilActive()
    await until(stage.clock.sleeperCount == 0)
    #expect(try await stage.stop(running) == 0)
    await until(stage.clock.sleeperCount == 0)
  }
}
