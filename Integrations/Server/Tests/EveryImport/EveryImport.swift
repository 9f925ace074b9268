// A program that imports everything a server imports, and names the types of each without a module selector: it
// compiles as long as no two of the modules have a name in common that both need.
import CoreMetrics
import EventBus
import EventBusLogging
import EventBusMetrics
import EventBusTracing
import HTTPTypes
import Hummingbird
import LaunchLoader
import Logging
import NotificationCenterBridge
import ObservationBridge
import ServiceLifecycle
import ServiceLifecycleBridge
import Theming
import Tracing

/// A service of this package.
struct Ours: AppService {
  func run(_ context: AppServiceContext) async throws {
    context.markReady()
    try await context.waitUntilShutdown()
  }
}

/// A service of swift-service-lifecycle.
struct Theirs: Service {
  func run() async throws { try await gracefulShutdown() }
}

/// Makes one value of each name that either side has.
func everything() throws -> (AppHost, AppServiceGroup, ServiceGroup, ServiceContext) {
  let logger = Logger(label: "every import")
  let server = Application(router: Router(), logger: logger)
  let host = AppHost(configuration: AppHost.Configuration(logger: logger))
  try host.add(Ours(), options: AppServiceOptions(onReturn: .shutdown))
  try host.add(adopting: Theirs(), named: "theirs")
  try host.add(adopting: server, named: "http", options: AppServiceOptions(after: ["Ours"]))
  let states: [AppServiceState] = host.services.compactMap { (status: AppServiceStatus) in
    status.state
  }
  logger.debug("\(states)")
  return (
    host, AppServiceGroup("ours"), ServiceGroup(services: [Theirs()], logger: logger),
    ServiceContext.topLevel
  )
}
