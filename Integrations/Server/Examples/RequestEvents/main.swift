import EventBus
import Foundation
import Hummingbird
import LaunchLoader
import Logging
import ServiceLifecycleBridge

let environment = Environment()
var logger = Logger(label: "request-events")
logger.logLevel = environment.get("LOG_LEVEL").flatMap { Logger.Level(rawValue: $0) } ?? .info

let app = AppHost()
let server = Application(
  router: routes(app.bus),
  configuration: ApplicationConfiguration(
    address: .hostname(
      environment.get("HOST") ?? "127.0.0.1",
      port: environment.get("PORT", as: Int.self) ?? 8_080
    ),
    serverName: "request-events"
  ),
  logger: logger
)
do {
  try app.add(adopting: server, named: "http")
  exit(try await app.run())
} catch {
  logger.critical("the server has failed", error: error)
  exit(EXIT_FAILURE)
}
