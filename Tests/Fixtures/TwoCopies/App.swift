import EventBus
import LaunchLoader

/// A program with a copy of LaunchLoader, beside a library with another one.
///
/// With the argument `app` it launches through an application, whose messages it prints.
@main
enum App {
  static func main() async throws {
    LaunchLoader.register("app") { _ in print("app") }
    if CommandLine.arguments.contains("app") {
      let hook = AppHost.Configuration(signals: [:], onMessage: { print("message: \($0)") })
      let app = AppHost(bus: EventBus(), configuration: hook)
      let token = app.bus.observe(.didBecomeActive) { app.shutdown() }
      _ = try await app.run()
      token.cancel()
    }
    try await LaunchLoader.shared.launch()
  }
}
