import EventBus
import EventBusTesting
import LaunchLoader
import TestSupport
import Testing

@Suite("Launch timeouts", .timeLimit(.minutes(5)))
struct TimeoutTests {
  let clock = ManualClock()
  let log = Log<String>()

  @Test("A worker that exceeds its timeout is cancelled, and the launch continues without it")
  func workerTimesOut() async throws {
    let loader = LaunchLoader(clock: clock)
    let token = loader.register("slow", timeout: .seconds(5)) { [log] _ in
      await ManualLatch().wait()
      log.append("cancelled: \(Task.isCancelled)")
    }
    loader.register("needy", after: ["slow"]) { [log] _ in log.append("needy") }
    loader.register("next", phase: .late) { [log] _ in log.append("next") }
    async let launch = loader.launch()
    await clock.waitForSleepers(atLeast: 1)
    await clock.jumpAtRest(by: .seconds(4))
    #expect(token.outcome == nil)
    await clock.jumpAtRest(by: .seconds(1))
    let report = try await launch
    #expect(
      report.summary == ["slow timed out", "needy skipped because of slow", "next finished"]
    )
    #expect(report.entries.first?.duration == .seconds(5))
    #expect(token.outcome?.description == "timed out")
    #expect(log.entries.contains("next") && !log.entries.contains("needy"))
  }

  @Test(
    "A timeout that no clock can represent never expires",
    arguments: [.seconds(Int64.max), Duration(attoseconds: .max)]
  )
  func endlessLimit(longest: Duration) async throws {
    let loader = LaunchLoader(timeout: longest)
    loader.register("a", timeout: longest) { _ in
      // Both limits are slept for.
      await rest()
    }
    #expect(try await loader.launch().summary == ["a finished"])
  }

  @Test("A timeout of centuries expires when they have passed, and not before")
  func centuries() async throws {
    let year = Duration.seconds(365 * 24 * 60 * 60)
    let loader = LaunchLoader(clock: clock)
    let token = loader.register("slow", timeout: year * 1_000) { _ in
      await ManualLatch().wait()
    }
    async let launch = loader.launch()
    await clock.waitForSleepers(atLeast: 1)
    for _ in 0..<9 {
      await clock.advance(by: year * 100)
      // The sleep continues.
      await clock.waitForSleepers(atLeast: 1)
    }
    #expect(token.outcome == nil)
    await clock.jumpAtRest(by: year * 100)
    #expect(try await launch.summary == ["slow timed out"])
  }

  @Test("A worker that ignores its cancellation is abandoned and named with its source site")
  func abandoned() async throws {
    let loader = LaunchLoader(clock: clock)
    let (hasBegun, mayEnd) = (ManualLatch(), ManualLatch())
    let tally = Tally()
    let token = loader.register(
      "stubborn",
      timeout: .seconds(5),
      fileID: "App/Stubborn.swift",
      line: 7
    ) { [probe = tally.probe()] _ in
      hasBegun.open()
      await Task { await mayEnd.wait() }.value
      probe.touch()
      throw Broken()
    }
    async let launch = loader.launch()
    await clock.waitForSleepers(atLeast: 1)
    await hasBegun.wait()
    await clock.jumpAtRest(by: .seconds(5))
    let report = try await launch
    #expect(report.abandoned == ["stubborn"])
    #expect(report.description.contains("abandoned: stubborn"))
    #expect(report.description.contains("registered at App/Stubborn.swift:7"))
    #expect(tally.live == 1, "It runs still.")
    mayEnd.open()
    #expect(token.outcome?.description == "timed out", "The first outcome stays.")
    #expect(loader.register("stubborn") { _ in }.outcome?.description == "duplicate of stubborn")
  }

  @Test("A worker that returns in time is not cancelled, however late others are")
  func inTime() async throws {
    let loader = LaunchLoader(timeout: .seconds(60), clock: clock)
    loader.register("a", timeout: .seconds(5)) { [clock, log] _ in
      try await clock.sleep(for: .seconds(4))
      log.append("cancelled: \(Task.isCancelled)")
    }
    async let launch = loader.launch()
    await clock.waitForSleepers(atLeast: 3)
    await clock.advance(by: .seconds(4))
    #expect(try await launch.summary == ["a finished"])
    #expect(log.entries == ["cancelled: false"])
    #expect(clock.sleeperCount == 0, "Nobody watches any more.")
  }

  @Test("A synchronous worker is not interrupted, and its timeout is recorded")
  func synchronousOverrun() async throws {
    let loader = LaunchLoader(clock: clock)
    loader.register("a", timeout: .seconds(1)) { [clock] _ in clock.jump(by: .seconds(2)) }
    loader.register("b", timeout: .seconds(1)) { [clock] _ in clock.jump(by: .seconds(1)) }
    loader.register("c", timeout: .seconds(1)) { [clock] _ in
      clock.jump(by: .seconds(2))
      throw Broken()
    }
    #expect(
      try await loader.launch().summary == ["a timed out", "b finished", "c failed: broken"]
    )
  }

  @Test("When the launch timeout expires, running work is cancelled and the rest skipped")
  func totalTimesOut() async throws {
    let loader = LaunchLoader(timeout: .seconds(10), clock: clock)
    let (hasBegun, mayEnd) = (ManualLatch(), ManualLatch())
    loader.register("stubborn") { _ in
      hasBegun.open()
      await Task { await mayEnd.wait() }.value
    }
    loader.register("next", phase: .late) { [log] _ in log.append("next") }
    loader.register("idle", phase: .idle) { [log] _ in log.append("idle") }
    async let launch = loader.launch()
    await clock.waitForSleepers(atLeast: 1)
    await hasBegun.wait()
    await clock.jumpAtRest(by: .seconds(10))
    let report = try await launch
    #expect(report.summary == ["stubborn timed out", "next skipped", "idle skipped"])
    #expect(report.abandoned == ["stubborn"])
    #expect(report.total == .seconds(10))
    #expect(log.entries.isEmpty)
    mayEnd.open()
  }

  @Test("A timeout counts as a failure for policies that stop at failures")
  func timeIsUpAndStop() async throws {
    let loader = LaunchLoader(onFailure: .stop, timeout: .seconds(1), clock: clock)
    loader.register("a") { [clock] _ in try await clock.sleep(for: .seconds(100)) }
    async let code = launchErrorCode { try await loader.launch() }
    await clock.waitForSleepers(atLeast: 2)
    await clock.jumpAtRest(by: .seconds(1))
    guard case .failed? = await code else {
      Issue.record("The launch has to throw .failed.")
      return
    }
  }

  @Test("Launched by the event, timeouts apply in the task that continues the launch")
  func byEvent() async throws {
    let bus = EventBus()
    let loader = LaunchLoader(clock: clock)
    loader.register("a", timeout: .seconds(1)) { [clock] _ in
      try await clock.sleep(for: .seconds(100))
    }
    loader.launchByEvent(on: bus)
    await clock.waitForSleepers(atLeast: 2)
    await clock.jumpAtRest(by: .seconds(1))
    #expect(try await loader.report().summary == ["a timed out"])
  }

  @Test("Timeouts apply to late work")
  func lateWork() async throws {
    let loader = LaunchLoader(clock: clock)
    try await loader.launch()
    let token = loader.register("a", timeout: .seconds(1)) { [clock] _ in
      try await clock.sleep(for: .seconds(100))
    }
    await clock.waitForSleepers(atLeast: 2)
    await clock.jumpAtRest(by: .seconds(1))
    #expect(try await token.waitUntilFinished().description == "timed out")
  }
}
