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

  @Test("A value that idle work makes after the application has ended is closed when it is made")
  func idleWork() async throws {
    let stage = Stage()
    stage.loader.register(Self.first, phase: .idle, close: closing) { [hasBegun, mayEnd] _ in
      hasBegun.open()
      await waitStubbornly(mayEnd)
      return "first"
    }
    let running = try await stage.startUntilActive()
    await hasBegun.wait()
    try await stage.stop(running)
    #expect(log.entries.isEmpty)
    mayEnd.open()
    await isClosed.wait()
    #expect(log.entries == ["close first"])
    #expect(
      await launchErrorCode { try await stage.loader.value(of: Self.first) }
        == .noValue("first", .finished)
    )
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
