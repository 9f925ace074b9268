import EventBus
import EventBusTesting
import LaunchLoader
import TestSupport
import Testing

@Suite("Closing launch values", .timeLimit(.minutes(5)))
struct LaunchCloseTests {
  private static let first = LaunchKey<String>("first")
  private static let second = LaunchKey<String>("second")
  private static let third = LaunchKey<String>("third")

  let log = Log<String>()

  private var closing: @Sendable (String) async -> Void { { [log] in log.append("close \($0)") } }

  @Test("Values are closed once, after the services, the one that was finished last first")
  func reverseOrder() async throws {
    let stage = Stage()
    stage.loader.register(Self.second, needs: Self.first, close: closing) { _, _ in "second" }
    stage.loader.register(Self.third, needs: Self.first, Self.second, close: closing) { _, _, _ in
      await Task.yield()
      return "third"
    }
    stage.loader.register(Self.first, close: closing) { _ in "first" }
    stage.loader.register(LaunchKey<Int>("open")) { _ in 1 }
    try stage.app.add("service") { [log] context in
      try await context.waitUntilShutdown()
      log.append("service ends with \(try await context.value(of: Self.third))")
    }
    #expect(try await stage.runOnce() == 0)
    #expect(
      log.entries == [
        "service ends with third", "close third", "close second", "close first",
      ]
    )
    #expect(
      await launchErrorCode { try await stage.loader.value(of: Self.first) }
        == .noValue("first", .finished)
    )
  }

  @Test("The value of late work is closed before those of the launch")
  func lateWork() async throws {
    let stage = Stage()
    stage.loader.register(Self.first, close: closing) { _ in "first" }
    let running = try await stage.startUntilActive()
    stage.loader.register(Self.second, close: closing) { _ in "second" }
    try await stage.stop(running)
    #expect(log.entries == ["close second", "close first"])
  }

  @Test("A stop during the launch closes the values that were made, and nothing else")
  func stoppedDuringTheLaunch() async throws {
    let stage = Stage()
    stage.loader.register(Self.first, close: closing) { _ in "first" }
    stage.loader.register("stops", after: ["first"]) { [app = stage.app] _ in app.shutdown() }
    stage.loader.register(Self.second, after: ["stops"], close: closing) { _ in "second" }
    try stage.app.add("service") { [log] _ in log.append("service") }
    #expect(try await stage.start().value == 0)
    #expect(log.entries == ["close first"])
  }

  @Test(
    "A launch that fails closes the values that were made, and the value of a maker that failed does not exist",
    arguments: [LaunchFailurePolicy.continue, .stop]
  )
  func failedLaunch(policy: LaunchFailurePolicy) async throws {
    let stage = Stage(onFailure: policy)
    stage.loader.register(Self.first, close: closing) { _ in "first" }
    stage.loader.register(Self.second, after: ["first"], close: closing) { _ in throw Broken() }
    if policy == .stop {
      #expect(await errors(of: stage.start()).count == 1)
    } else {
      #expect(try await stage.runOnce() == 0)
    }
    #expect(log.entries == ["close first"])
  }

  @Test("A rollback undoes a value if it can, and otherwise closes it; then nothing is closed")
  func rollback() async throws {
    let stage = Stage(onFailure: .rollback)
    let undoing: @Sendable (String) async -> Void = { [log] in log.append("undo \($0)") }
    stage.loader.register(Self.first, undo: undoing, close: closing) { _ in "first" }
    stage.loader.register(Self.second, after: ["first"], close: closing) { _ in "second" }
    stage.loader.register("fails", after: ["second"]) { _ in throw Broken() }
    #expect(await errors(of: stage.start()).count == 1)
    #expect(log.entries == ["close second", "undo first"])
    #expect(
      try await stage.loader.report().summary == [
        "first undone", "second undone", "fails failed: broken",
      ]
    )
  }

  @Test(
    "A launch with the policy of rolling back that does not fail closes values, and undoes none"
  )
  func noRollback() async throws {
    let stage = Stage(onFailure: .rollback)
    stage.loader.register(Self.first, undo: { [log] in log.append("undo \($0)") }, close: closing) {
      _ in "first"
    }
    #expect(try await stage.runOnce() == 0)
    #expect(log.entries == ["close first"])
  }

  @Test("A closure that throws in a rollback is a message, and the value is undone")
  func throwingInARollback() async throws {
    let stage = Stage(onFailure: .rollback)
    stage.loader.register(Self.first, close: { _ in throw Broken() }) { _ in "first" }
    stage.loader.register("fails", after: ["first"]) { _ in throw Broken() }
    #expect(await errors(of: stage.start()).count == 1)
    #expect(try await stage.loader.report().summary.first == "first undone")
    #expect(
      await stage.messages.first(1) == ["Closing launch value \"first\" failed: broken."]
    )
  }

  @Test("A closure that throws is a message and an error of the run, and the next value is closed")
  func throwing() async throws {
    let stage = Stage()
    stage.loader.register(Self.first, close: closing) { _ in "first" }
    stage.loader.register(Self.second, after: ["first"], close: { _ in throw Broken() }) { _ in
      "second"
    }
    let running = try await stage.startUntilActive()
    stage.app.shutdown(exitCode: 3)
    let error = await #expect(throws: AppHostError.self) { try await running.value }
    #expect(error?.exitCode == 3)
    #expect(error?.errors.map { "\($0)" } == ["broken"])
    #expect(log.entries == ["close first"])
    #expect(
      await stage.messages.first(1) == ["Closing launch value \"second\" failed: broken."]
    )
  }

  @Test("A closure that hangs is named, then abandoned at its limit, and the next value is closed")
  func hanging() async throws {
    let stage = Stage(cancelTimeout: .seconds(8))
    let isClosing = ManualLatch()
    stage.loader.register(Self.first, close: closing) { _ in "first" }
    stage.loader.register(
      Self.second,
      after: ["first"],
      close: { [log] _ in
        isClosing.open()
        await ManualLatch().wait()
        log.append("cancelled")
      }
    ) { _ in "second" }
    let running = try await stage.startUntilActive()
    stage.app.shutdown()
    await isClosing.wait()
    await stage.clock.waitForSleepers(atLeast: 1)
    await stage.clock.jumpAtRest(by: .seconds(7))
    let waiting = "Still waiting, after 5 s, for launch value \"second\" to close."
    #expect(await stage.messages.first(1) == [waiting])
    #expect(log.entries.isEmpty)
    await stage.passTime { log.entries.count == 1 }
    let text =
      "Closing launch value \"second\" did not end within 8 s and was abandoned."
    #expect(await errors(of: running) == [text])
    #expect(log.entries == ["close first"])
    #expect(await stage.messages.first(2) == [waiting, text])
  }

  @Test("The cancellation of the run reaches no closure")
  func cancelledRun() async throws {
    let stage = Stage()
    stage.loader.register(
      Self.first,
      close: { [log] _ in log.append("cancelled: \(Task.isCancelled)") }
    ) { _ in "first" }
    let running = try await stage.startUntilActive()
    running.cancel()
    await #expect(throws: CancellationError.self) { try await running.value }
    #expect(log.entries == ["cancelled: false"])
  }

  @Test("A closure is called in its isolation, and the value is released when it has returned")
  @MainActor
  func isolated() async throws {
    let stage = Stage()
    let tally = Tally()
    let key = LaunchKey<Tally.Probe>("probe")
    stage.loader.register(
      key,
      close: { @MainActor [log] probe in
        MainActor.assertIsolated()
        probe.touch()
        log.append("close with \(tally.live)")
      }
    ) { _ in tally.probe() }
    #expect(try await stage.runOnce() == 0)
    #expect(log.entries == ["close with 1"])
    #expect(tally.live == 0)
  }

  @Test("A value that is made after its time limit is neither kept nor closed")
  func tooLate() async throws {
    let stage = Stage()
    let mayEnd = ManualLatch()
    let registration = stage.loader.register(
      Self.first,
      timeout: .seconds(1),
      close: closing
    ) { _ in
      await mayEnd.wait()
      return "first"
    }
    let running = stage.start()
    await stage.clock.waitForSleepers(atLeast: 1)
    await stage.passTime { registration.outcome != nil }
    mayEnd.open()
    try await stage.app.waitUntil(state: .active)
    try await stage.stop(running)
    #expect(registration.outcome?.description == "timed out")
    #expect(log.entries.isEmpty)
  }

  @Test("A loader without an application closes its values when it is asked to, once")
  func withoutApplication() async throws {
    let loader = LaunchLoader()
    loader.register(Self.first, close: closing) { _ in "first" }
    try await loader.launch()
    #expect(log.entries.isEmpty)
    for _ in 0..<2 {
      await loader.closeValues(within: nil, on: ContinuousClock()) { _, _ in
        Issue.record("nothing fails")
      }
    }
    #expect(log.entries == ["close first"])
  }
}
