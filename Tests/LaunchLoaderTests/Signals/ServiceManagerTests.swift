#if os(Linux) || os(macOS)
import EventBus
import EventBusTesting
import LaunchLoader
import TestSupport
import Testing

@Suite("Service manager of an application", .timeLimit(.minutes(5)), .serialized)
struct ServiceManagerTests {
  private let clock = TestClock()
  private let messages = Inbox<String>()

  /// An application that a service manager started.
  private func application(
    _ manager: Manager,
    _ variables: [String: String] = [:],
    watchdog: (@Sendable () -> Bool)? = nil,
    stopTimeout: Duration? = .seconds(20)
  ) -> AppHost {
    let environment = variables.merging(["NOTIFY_SOCKET": manager.address]) { first, _ in first }
    let configuration = AppHost.Configuration(
      stopTimeout: stopTimeout,
      clock: clock,
      signals: [:],
      onMessage: { [messages] in messages.append($0.description) },
      launchOptions: LaunchOptions(arguments: [], environment: environment),
      watchdog: watchdog
    )
    return AppHost(bus: EventBus(), loader: LaunchLoader(), configuration: configuration)
  }

  @Test("While a start or a stop takes long, the manager is asked for time, with the reason")
  func extensions() async throws {
    let manager = try Manager()
    let app = application(manager)
    let (mayBeReady, mayEnd) = (ManualLatch(), ManualLatch())
    try app.add("slow", reportsReadiness: true) { context in
      await mayBeReady.wait()
      context.markReady()
      await waitStubbornly(mayEnd)
    }
    let running = Task { try await app.run() }
    await clock.passTime { messages.entries.count == 2 }
    let start = [5, 15].map {
      "Still waiting, after \($0) s, for service \"slow\" to start: it has not called markReady()."
    }
    #expect(messages.entries == start)
    for text in messages.entries {
      #expect(try manager.nextMessage() == "EXTEND_TIMEOUT_USEC=20000000\nSTATUS=\(text)")
    }
    mayBeReady.open()
    try await app.waitUntil(state: .active)
    #expect(try manager.nextMessage() == "STATUS=")
    #expect(try manager.nextMessage() == "READY=1")
    app.shutdown()
    #expect(try manager.nextMessage() == "STOPPING=1")
    await clock.passTime { messages.entries.count == 3 }
    let stop = "Still waiting, after 5 s, for service \"slow\" to stop."
    #expect(try manager.nextMessage() == "EXTEND_TIMEOUT_USEC=20000000\nSTATUS=\(stop)")
    mayEnd.open()
    #expect(try await running.value == 0)
    #expect(throws: Manager.Failure.self) { try manager.message() }
  }

  @Test("A stop without a limit is not extended forever, and launch work without a name is")
  func withoutLimit() async throws {
    let manager = try Manager()
    let app = application(manager, stopTimeout: nil)
    let (mayLaunch, mayEnd) = (ManualLatch(), ManualLatch())
    app.loader.register("work") { _ async in await mayLaunch.wait() }
    try app.add("slow") { _ in await waitStubbornly(mayEnd) }
    let running = Task { try await app.run() }
    await clock.passTime { messages.entries.count == 1 }
    let start = "Still waiting, after 5 s, for launch work \"work\" to start."
    #expect(try manager.nextMessage() == "EXTEND_TIMEOUT_USEC=20000000\nSTATUS=\(start)")
    mayLaunch.open()
    try await app.waitUntil(state: .active)
    app.shutdown()
    await clock.passTime { messages.entries.count == 2 }
    mayEnd.open()
    #expect(try await running.value == 0)
    #expect(try manager.message() == "STATUS=")
    #expect(try manager.message() == "READY=1")
    #expect(try manager.message() == "STOPPING=1")
    #expect(throws: Manager.Failure.self) { try manager.message() }
  }

  @Test("The watchdog is notified only while the program is healthy")
  func watchdog() async throws {
    let manager = try Manager()
    let (isHealthy, wasAsked) = (Holder(false), ManualLatch())
    let app = application(
      manager,
      ["WATCHDOG_USEC": "2000"],
      watchdog: {
        wasAsked.open()
        return isHealthy.value ?? false
      }
    )
    let running = Task { try await app.run() }
    try await app.waitUntil(state: .active)
    #expect(try manager.nextMessage() == "READY=1")
    await wasAsked.wait()
    #expect(throws: Manager.Failure.self) { try manager.message() }
    isHealthy.hold(true)
    #expect(try manager.nextMessage() == "WATCHDOG=1")
    app.shutdown()
    #expect(try await running.value == 0)
  }

  @Test("A program sends its own status lines, each on one line, while its host runs")
  func ownLines() async throws {
    let manager = try Manager()
    let app = application(manager)
    ServiceManager.notify("STATUS=before")
    let running = Task { try await app.run() }
    try await app.waitUntil(state: .active)
    #expect(try manager.nextMessage() == "READY=1")
    ServiceManager.notify("STATUS=serving 3 clients")
    ServiceManager.notify("STATUS=a\nREADY=1")
    #expect(try manager.nextMessage() == "STATUS=serving 3 clients")
    #expect(try manager.nextMessage() == "STATUS=a\\nREADY=1")
    app.shutdown()
    #expect(try await running.value == 0)
    #expect(try manager.nextMessage() == "STOPPING=1")
    ServiceManager.notify("STATUS=after")
    #expect(throws: Manager.Failure.self) { try manager.message() }
  }
}
#endif
