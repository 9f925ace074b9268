import EventBus
import EventBusTesting
import LaunchLoader
import TestSupport
import Testing

@Suite("Closing late launch values", .timeLimit(.minutes(1)))
struct LateClosingTests {
  private static let first = LaunchKey<String>("first")
  private static let second = LaunchKey<String>("second")

  let log = Log<String>()
  let hasBegun = ManualLatch()
  let mayEnd = ManualLatch()
  let isClosed = ManualLatch()

  private var closing: @Sendable (String) async -> Void {
    { [log, isClosed] in
      log.append("close \($0)")
      isClosed.open()
    }
  }

  /// Registers idle work that makes a value, and calls a closure when the value is stored, before the end of the work
  /// is recorded.
  private func register(
    _ key: LaunchKey<String>,
    with loader: LaunchLoader,
    isSynchronous: Bool,
    whenStored body: @escaping @Sendable () -> Void
  ) -> LaunchRegistration {
    // No rollback follows the launch, so the loader then releases the closure that undoes the work.
    let object = AtDeinit(body)
    let undo: @Sendable (String) async -> Void = { _ in object.touch() }
    return isSynchronous
      ? loader.register(key, phase: .idle, undo: undo, close: closing) { _ in "\(key)" }
      : loader.register(key, phase: .idle, undo: undo, close: closing) { _ async in "\(key)" }
  }

  @Test(
    "A stop cancels work that runs after the launch, and waits for its end before it closes values",
    arguments: [LaunchPhase.idle, .standard]
  )
  func cancelledByTheStop(phase: LaunchPhase) async throws {
    let stage = Stage()
    stage.loader.register(Self.first, close: closing) { _ in "first" }
    // Otherwise, it is registered after the launch.
    let isIdle = phase == .idle
    let running = isIdle ? nil : try await stage.startUntilActive()
    let isCancelled = ManualLatch()
    stage.loader.register(Self.second, phase: phase, close: closing) {
      [log, hasBegun, mayEnd] _ in
      hasBegun.open()
      await ManualLatch().wait()
      isCancelled.open()
      await waitStubbornly(mayEnd)
      log.append("cancelled: \(Task.isCancelled)")
      return "second"
    }
    let run = if let running { running } else { try await stage.startUntilActive() }
    await hasBegun.wait()
    stage.app.shutdown()
    await isCancelled.wait()
    await rest()
    #expect(log.entries.isEmpty)
    mayEnd.open()
    #expect(try await run.value == 0)
    #expect(log.entries == ["cancelled: true", "close second", "close first"])
  }

  @Test(
    "A service that waits for a value of idle work has not failed when the stop cancels that work"
  )
  func awaitedByAService() async throws {
    let stage = Stage()
    stage.loader.register(Self.first, phase: .idle) { [hasBegun] _ in
      hasBegun.open()
      await ManualLatch().wait()
      try Task.checkCancellation()
      return "first"
    }
    try stage.add("waits") { context in _ = try await context.value(of: Self.first) }
    let running = try await stage.startUntilActive()
    await hasBegun.wait()
    #expect(try await stage.stop(running) == 0)
  }

  @Test("A stop cancels late work that requests it before it first suspends")
  func stoppedByLateWork() async throws {
    let loader = LaunchLoader()
    try await loader.launch()
    let late = loader.register("late") { [log] _ in
      loader.stop()
      await ManualLatch().wait()
      log.append("cancelled: \(Task.isCancelled)")
    }
    #expect(try await late.waitUntilFinished().description == "finished")
    #expect(log.entries == ["cancelled: true"])
  }

  @Test(
    "Idle work that ignores the stop is named, then abandoned; what it makes is closed when it is made"
  )
  func idleWork() async throws {
    let stage = Stage(cancelTimeout: .seconds(8))
    stage.loader.register(Self.first, phase: .idle, close: closing) { [hasBegun, mayEnd] _ in
      hasBegun.open()
      await waitStubbornly(mayEnd)
      return "first"
    }
    let running = try await stage.startUntilActive()
    await hasBegun.wait()
    let isOver = ManualLatch()
    Task {
      _ = await running.result
      isOver.open()
    }
    stage.app.shutdown()
    await stage.passTime { isOver.isOpen }
    let text =
      "Launch work \"first\" did not stop: it ignored cancellation for 8 s and was abandoned."
    #expect(await errors(of: running) == [text])
    let waiting = "Still waiting, after 5 s, for launch work \"first\" to stop."
    #expect(await stage.messages.first(2) == [waiting, text])
    #expect(log.entries.isEmpty)
    mayEnd.open()
    await isClosed.wait()
    #expect(log.entries == ["close first"])
    #expect(
      await launchErrorCode { try await stage.loader.value(of: Self.first) }
        == .noValue("first", .finished)
    )
  }

  @Test("A host that late work runs does not wait for that work, which its stop cancels")
  func runningTheHost() async throws {
    let stage = Stage()
    stage.loader.register(Self.first, close: closing) { _ in "first" }
    let late = stage.loader.register("runs the host", phase: .idle) { [log] _ in
      _ = try? await stage.app.run()
      log.append("the host has ended")
    }
    try await stage.loader.launch()
    try await stage.app.waitUntil(state: .active)
    stage.app.shutdown()
    _ = try await late.waitUntilFinished()
    #expect(log.entries == ["close first", "the host has ended"])
  }

  @Test("A value that a maker of an abandoned launch makes is closed when it is made")
  func abandonedLaunch() async throws {
    let stage = Stage(stopTimeout: .seconds(2), cancelTimeout: .seconds(2))
    stage.loader.register(Self.first, close: closing) { [hasBegun, mayEnd] _ in
      hasBegun.open()
      await waitStubbornly(mayEnd)
      return "first"
    }
    let running = stage.start()
    await hasBegun.wait()
    let end = Task { await running.result }
    let isOver = ManualLatch()
    Task {
      _ = await end.value
      isOver.open()
    }
    stage.app.shutdown()
    await stage.passTime { isOver.isOpen }
    #expect(await errors(of: running).count == 1)
    #expect(log.entries.isEmpty)
    mayEnd.open()
    await isClosed.wait()
    #expect(log.entries == ["close first"])
  }

  @Test(
    "A value that is made before the end of another maker is recorded is closed before the value of that maker",
    arguments: [false, true]
  )
  func madeBeforeTheEndIsRecorded(isSynchronous: Bool) async throws {
    let loader = LaunchLoader()
    let first = register(Self.first, with: loader, isSynchronous: isSynchronous) { [closing] in
      loader.register(Self.second, close: closing) { _ in "second" }
    }
    try await loader.launch()
    #expect(try await first.waitUntilFinished().description == "finished")
    await loader.closeValues(within: nil, on: ContinuousClock()) { _, _ in
      Issue.record("nothing fails")
    }
    #expect(log.entries == ["close second", "close first"])
  }

  @Test("Closing the values of an abandoned rollback leaves those that it undoes to the rollback")
  func abandonedRollback() async throws {
    let loader = LaunchLoader(onFailure: .rollback)
    let undoing: @Sendable (String) async -> Void = { [log] in log.append("undo \($0)") }
    loader.register(Self.first, undo: undoing) { _ in "first" }
    loader.register(Self.second, after: ["first"], close: closing) { _ in "second" }
    loader.register(
      LaunchKey<String>("third"),
      after: ["second"],
      undo: { [hasBegun, mayEnd] in
        hasBegun.open()
        await waitStubbornly(mayEnd)
        await undoing($0)
      }
    ) { _ in "third" }
    loader.register("fails", after: ["third"]) { _ in throw Broken() }
    let launch = Task { await launchErrorCode { try await loader.launch() } }
    await hasBegun.wait()
    await loader.closeValues(within: nil, on: ContinuousClock()) { _, _ in
      Issue.record("nothing fails")
    }
    #expect(log.entries == ["close second"])
    mayEnd.open()
    _ = await launch.value
    #expect(log.entries == ["close second", "undo third", "undo first"])
  }

  @Test("A late closure that throws is a message, and the others are called")
  func throwing() async throws {
    let loader = LaunchLoader()
    let messages = Inbox<String>()
    _ = loader.enter { messages.append($0.description) }
    loader.register(Self.first, phase: .idle, close: { _ in throw Broken() }) { [mayEnd] _ in
      await mayEnd.wait()
      return "first"
    }
    loader.register(Self.second, phase: .idle, close: closing) { [hasBegun, mayEnd] _ in
      hasBegun.open()
      await mayEnd.wait()
      return "second"
    }
    try await loader.launch()
    await hasBegun.wait()
    await loader.closeValues(within: nil, on: ContinuousClock()) { _, _ in
      Issue.record("nothing fails")
    }
    mayEnd.open()
    await isClosed.wait()
    #expect(await messages.first(1) == ["Closing launch value \"first\" failed: broken."])
    #expect(log.entries == ["close second"])
  }
}
