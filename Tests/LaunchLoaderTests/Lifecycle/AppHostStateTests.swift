import EventBus
import LaunchLoader
import TestSupport
import Testing

@Suite("Application states", .timeLimit(.minutes(5)))
struct AppHostStateTests {
  let stage = Stage()

  @Test("A task waiting for a state resumes when it is reached, a later task at once")
  func waitUntil() async throws {
    let running = try await stage.startUntilActive()
    await stage.app.waitUntilSettled()
    try await stage.app.waitUntil(state: .launching)
    try await stage.app.waitUntil(state: .notRunning)
    let background = Task { [app = stage.app] in try await app.waitUntil(state: .background) }
    stage.app.report(.background)
    try await background.value
    #expect(stage.app.state == .background)
    stage.app.shutdown()
    try await stage.app.waitUntil(state: .terminated)
    try await stage.app.waitUntil(state: .stopping)
    _ = try await running.value
  }

  @Test("Waiting for a state that can no longer be reached throws an error")
  func unreachable() async throws {
    let waiting = Task { [app = stage.app] in try await app.waitUntil(state: .background) }
    _ = try await stage.runOnce()
    let error = await #expect(throws: AppStateError.self) { try await waiting.value }
    #expect(error?.state == .background)
    await #expect(throws: AppStateError.self) { try await stage.app.waitUntil(state: .active) }
  }

  @available(macOS 26.0, iOS 26.0, tvOS 26.0, watchOS 26.0, visionOS 26.0, *)
  @Test("A task that is cancelled in the middle of its wait stops waiting; another one continues")
  func cancelledWhileWaiting() async throws {
    let (app, log) = (stage.app, stage.log)
    // Both run here until they wait.
    let patient = Task.immediate {
      try await app.waitUntil(state: .active)
      log.append("active")
    }
    let impatient = Task.immediate { try await app.waitUntil(state: .active) }
    impatient.cancel()
    #expect(await isCancelled { try await impatient.value })
    #expect(log.entries.isEmpty)
    #expect(try await stage.runOnce() == 0)
    try await patient.value
    #expect(log.entries == ["active"])
  }

  @Test("A late observer receives the state, the launch and the end by replay")
  func lateObservers() async throws {
    let log = stage.log
    let running = try await stage.startUntilActive()
    await stage.app.waitUntilSettled()
    let state = stage.bus.observe(.appStateDidChange) { log.append("\($0)") }
    let launch = stage.bus.observe(.didFinishLaunching) { log.append("\($0.arguments)") }
    #expect(log.entries == ["active", "[\"stage\"]"])
    state.cancel()
    launch.cancel()
    try await stage.stop(running)
    let end = stage.bus.observe(.willTerminate) { log.append("end") }
    #expect(log.entries.last == "end")
    end.cancel()
  }

  @available(macOS 26.0, iOS 26.0, tvOS 26.0, watchOS 26.0, visionOS 26.0, *)
  @Test(
    "A task waiting for the background resumes after all observers, even if another task reports"
  )
  func waitsForDelivery() async throws {
    let running = try await stage.startUntilActive()
    await stage.app.waitUntilSettled()
    let (app, log) = (stage.app, stage.log)
    let ends = Inbox<Int>()
    let enters = stage.bus.observe(.didEnterBackground) { log.append("background") }
    app.report(.background)
    let asks = stage.bus.observe(.willEnterForeground) {
      // Runs here until it waits, which it must: this thread is delivering an edge.
      Task.immediate {
        await app.enteredBackground()
        log.append("returned")
        ends.append(1)
      }
      log.append("foreground")
    }
    app.enteredForeground()
    _ = await ends.first(1)
    #expect(log.entries == ["background", "foreground", "background", "returned"])
    withExtendedLifetime((enters, asks)) {}
    try await stage.stop(running)
  }
}
