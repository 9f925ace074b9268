import EventBus
import EventBusTesting
import LaunchLoader
import TestSupport
import Testing

@Suite("A start limit without readiness", .timeLimit(.minutes(5)))
struct StartLimitTests {
  private static let text =
    "has a startTimeout without reportsReadiness, so it limits only the time until run is entered"

  @Test(
    "A service with a start limit that does not report readiness is named, once, wherever it is"
  )
  func named() async throws {
    let stage = Stage()
    let group = AppServiceGroup("group")
    try group.add("inside", options: AppServiceOptions(startTimeout: .seconds(3))) { context in
      try await context.waitUntilShutdown()
    }
    try stage.app.add(group)
    try stage.add("limited") { ($0.startTimeout, $0.reportsReadiness) = (.seconds(3), false) }
    try stage.add("ready") {
      $0.startTimeout = .seconds(3)
      $0.reportsReadiness = true
    }
    try stage.add("plain")
    let running = try await stage.startUntilActive()
    try stage.add("late") { ($0.startTimeout, $0.reportsReadiness) = (.seconds(3), false) }
    await rest()
    try await stage.stop(running)
    let names = ["group/inside", "limited", "late"]
    #expect(stage.messages.entries.count == names.count)
    for name in names {
      #expect(
        stage.messages.entries.count { $0.hasPrefix("Service \"\(name)\" \(Self.text)") } == 1
      )
    }
  }

  @Test("A service alone always reports readiness, so its limit is not named")
  func alone() async throws {
    let messages = Inbox<String>()
    let service = ClosureService { context in
      context.markReady()
      try await context.waitUntilShutdown()
    }
    let run = try LoneService(
      service,
      options: AppServiceOptions(startTimeout: .seconds(3)),
      clock: TestClock()
    ) { messages.append($0.description) }
    try await run.waitUntilReady()
    run.shutdown()
    try await run.wait()
    #expect(messages.entries == [])
  }
}
