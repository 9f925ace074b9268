#if os(Linux) || os(macOS)
import EventBus
import LaunchLoader
import TestSupport
import Testing

@Suite("Application and service manager", .timeLimit(.minutes(5)))
struct AppHostManagerTests {
  @Test("The service manager is notified when the services have started and when the stop begins")
  func startAndStop() async throws {
    let manager = try Manager()
    let app = AppHost(
      bus: EventBus(),
      loader: LaunchLoader(),
      configuration: configuration(["NOTIFY_SOCKET": manager.address])
    )
    try app.add("server") { try await $0.untilShutdown() }
    async let code = app.run()
    try await app.waitUntil(state: .active)
    app.shutdown(exitCode: 3)
    #expect(try await code == 3)
    let messages = try [manager.message(), manager.message()]
    #expect(messages == ["READY=1", "STOPPING=1"])
  }

  @Test("A manager with a watchdog receives keep-alive messages")
  func watchdog() async throws {
    let manager = try Manager()
    let app = AppHost(
      bus: EventBus(),
      loader: LaunchLoader(),
      configuration: configuration([
        "NOTIFY_SOCKET": manager.address, "WATCHDOG_USEC": "600000000",
      ])
    )
    try app.add("server") { try await $0.untilShutdown() }
    async let code = app.run()
    // Two tasks, and so in any order.
    let messages = try await [manager.messageOfATask(), manager.messageOfATask()]
    #expect(Set(messages) == ["WATCHDOG=1", "READY=1"])
    app.shutdown()
    #expect(try await code == 0)
    #expect(try manager.message() == "STOPPING=1")
  }

  private func configuration(_ environment: [String: String]) -> AppHost.Configuration {
    AppHost.Configuration(signals: [:], launchOptions: LaunchOptions(environment: environment))
  }
}
#endif
