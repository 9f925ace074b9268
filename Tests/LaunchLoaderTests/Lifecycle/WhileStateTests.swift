import EventBus
import LaunchLoader
import TestSupport
import Testing

@Suite("whileState(atLeast:)", .timeLimit(.minutes(5)))
struct WhileStateTests {
  let stage = Stage()

  @Test("The operation runs while the level holds, is cancelled below it, and restarts above it")
  func repeats() async throws {
    let entries = Inbox<String>()
    let app = stage.app
    let watching = Task {
      await app.whileState(atLeast: .active) {
        entries.append("begins")
        await ManualLatch().wait()
        entries.append("is cancelled: \(Task.isCancelled)")
      }
      entries.append("is over")
    }
    let running = stage.start()
    _ = await entries.first(1)
    app.enterBackground()
    _ = await entries.first(2)
    app.enterForeground()
    _ = await entries.first(3)
    app.shutdown()
    await watching.value
    _ = try await running.value
    #expect(
      entries.entries == [
        "begins", "is cancelled: true", "begins", "is cancelled: true", "is over",
      ]
    )
  }

  @Test(
    "Stopping ends the operation, at any level",
    arguments: [AppState.Level.launching, .background, .inactive, .active]
  )
  func ended(level: AppState.Level) async throws {
    let app = stage.app
    let hasBegun = ManualLatch()
    let watching = Task {
      await app.whileState(atLeast: level) {
        hasBegun.open()
        await ManualLatch().wait()
      }
    }
    let running = stage.start()
    await hasBegun.wait()
    app.shutdown()
    await watching.value
    _ = try await running.value
    await app.whileState(atLeast: level) { Issue.record("ran after the end") }
  }

  @Test("An operation that returns by itself restarts only after the level was left in between")
  func returning() async throws {
    let app = stage.app
    let entries = Inbox<String>()
    let watching = Task { await app.whileState(atLeast: .active) { entries.append("ran") } }
    let running = stage.start()
    _ = await entries.first(1)
    app.enterBackground()
    app.enterForeground()
    _ = await entries.first(2)
    app.shutdown()
    await watching.value
    _ = try await running.value
    #expect(entries.entries == ["ran", "ran"])
  }

  @Test("Errors of the operation are thrown; its cancellation with the level is not")
  func throwing() async throws {
    let app = stage.app
    let running = try await stage.startUntilActive()
    await #expect(throws: Failed.self) {
      try await app.whileState(atLeast: .active) { throw Failed(name: "body") }
    }
    let hasBegun = ManualLatch()
    let watching = Task {
      try await app.whileState(atLeast: .active) {
        hasBegun.open()
        await ManualLatch().wait()
        try Task.checkCancellation()
      }
    }
    await hasBegun.wait()
    app.shutdown()
    try await watching.value
    _ = try await running.value
  }

  @Test("Cancelling the task ends the operation, before and while it runs")
  func cancelled() async throws {
    let app = stage.app
    let early = Task { await app.whileState(atLeast: .active) { Issue.record("ran") } }
    early.cancel()
    await early.value
    let running = stage.start()
    let hasBegun = ManualLatch()
    let late = Task {
      await app.whileState(atLeast: .active) {
        hasBegun.open()
        await ManualLatch().wait()
      }
    }
    await hasBegun.wait()
    late.cancel()
    await late.value
    #expect(app.state == .active)
    try await stage.stop(running)
  }
}
