import EventBus
import EventBusTesting
import LaunchLoader
import TestSupport
import Testing

@Suite("States of single services", .timeLimit(.minutes(5)))
struct ServiceStateTests {
  private let stage = Stage(stopTimeout: .seconds(10), cancelTimeout: .seconds(5))
  private let changes = Inbox<AppServiceStateChange>()

  private func observe() -> Token {
    stage.bus.observe(.appServiceStateDidChange) { [changes] in changes.append($0) }
  }

  private func states(_ service: String) -> [AppServiceState] {
    changes.entries.filter { $0.service == service }.map(\.state)
  }

  @Test("A service starts, is ready, stops and ends, with the time in each state")
  func usual() async throws {
    let token = observe()
    let (mayBeReady, mayEnd) = (ManualLatch(), ManualLatch())
    try stage.add("a", { $0.reportsReadiness = true }) { context in
      await mayBeReady.wait()
      context.markReady()
      try await context.waitUntilShutdown()
      await mayEnd.wait()
    }
    let running = stage.start()
    _ = await changes.first(1)
    await stage.clock.jumpAtRest(by: .seconds(2))
    mayBeReady.open()
    try await stage.app.waitUntil(state: .active)
    await stage.clock.jumpAtRest(by: .seconds(30))
    stage.app.shutdown()
    _ = await changes.first(3)
    await stage.clock.jumpAtRest(by: .seconds(1))
    mayEnd.open()
    #expect(try await running.value == 0)
    #expect(states("a") == [.starting, .ready, .stopping, .ended])
    #expect(changes.entries.map(\.previous) == [nil, .starting, .ready, .stopping])
    #expect(changes.entries.map(\.elapsed) == [.zero, .seconds(2), .seconds(30), .seconds(1)])
    token.cancel()
  }

  private var services: [String] {
    stage.app.services.map { service in
      "\(service.name) \(service.state?.rawValue ?? "-") after \(service.dependencies)"
        + (service.isWaitedFor ? ", waited for" : "")
    }
  }

  @Test("The services are listed with their dependencies, and with those that are waited for")
  func listed() async throws {
    let token = observe()
    let (mayBeReady, mayEnd) = (ManualLatch(), ManualLatch())
    try stage.add("web", { $0.after = ["db"] })
    try stage.add("db", { $0.reportsReadiness = true }) { context in
      await mayBeReady.wait()
      context.markReady()
      try await context.waitUntilShutdown()
      await mayEnd.wait()
    }
    try stage.add("mail", { $0.after = ["web", "db"] })
    let mail = "mail - after [\"web\", \"db\"]"
    #expect(services == ["web - after [\"db\"]", "db - after []", mail])
    let running = stage.start()
    _ = await changes.first(1)
    #expect(services == ["web - after [\"db\"]", "db starting after [], waited for", mail])
    mayBeReady.open()
    try await stage.app.waitUntil(state: .active)
    #expect(services.map { $0.contains(" ready ") } == [true, true, true])
    #expect(!services.contains { $0.contains("waited") })
    stage.app.shutdown()
    // The last of them says that the database stops.
    _ = await changes.first(11)
    #expect(services == ["db stopping after [], waited for"])
    mayEnd.open()
    #expect(try await running.value == 0)
    #expect(services.isEmpty)
    token.cancel()
  }

  @Test("Where no service names another, each is listed after the one that was added before it")
  func listedChain() async throws {
    try stage.add("a", { $0.onReturn = .ignore }) { _ in }
    try stage.add("b")
    try stage.add("c")
    #expect(services == ["a - after []", "b - after [\"a\"]", "c - after [\"b\"]"])
    let running = try await stage.startUntilActive()
    #expect(services == ["b ready after []", "c ready after [\"b\"]"])
    #expect(try await stage.stop(running) == 0)
  }

  @Test("A service that returns at once was ready, and one that throws before it is ready was not")
  func early() async throws {
    let token = observe()
    try stage.add("brief", { $0.onReturn = .ignore }) { _ in }
    try stage.add("broken", { $0.reportsReadiness = true }) { _ in throw Failed(name: "broken") }
    let running = stage.start()
    #expect(await errors(of: running) == ["broken failed"])
    #expect(states("brief") == [.starting, .ready, .ended])
    #expect(states("broken") == [.starting, .ended])
    token.cancel()
  }

  @Test(
    "A service that does not end is cancelled and abandoned, and its late end is not a state change"
  )
  func abandoned() async throws {
    let token = observe()
    let mayEnd = ManualLatch()
    try stage.add("a") { _ in await waitStubbornly(mayEnd) }
    let running = try await stage.startUntilActive()
    stage.app.shutdown()
    await stage.passTime { states("a").contains(.abandoned) }
    #expect(await errors(of: running).count == 1)
    mayEnd.open()
    #expect(states("a") == [.starting, .ready, .stopping, .cancelled, .abandoned])
    token.cancel()
  }

  @Test("Observers of every event do not cause the events of single services")
  func everyEvent() async throws {
    let names = Inbox<String>()
    let all = stage.bus.observeAll { names.append($0.name) }
    try stage.add("a")
    #expect(try await stage.runOnce() == 0)
    #expect(!names.entries.isEmpty)
    #expect(!names.entries.contains(EventNames.appServiceStateDidChange.name))
    all.cancel()
  }
}
