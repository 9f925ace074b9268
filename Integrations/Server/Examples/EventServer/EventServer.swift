import EventBus
import EventBusLogging
import EventBusMetrics
import Foundation
import Inspector
import LaunchLoader
import Logging
import Metrics

/// A server that posts events that arrive over HTTP on a bus, and streams the posted events.
///
///     POST /events/{name}   posts an event; the body is its payload, as JSON
///     GET  /events          streams events as server-sent events; `?name=` chooses one
///     GET  /health          200 when the program is ready, otherwise 503; HEAD as well
///     GET  /metrics         counters and timers, for Prometheus
///
/// With `--drain-delay=SECONDS`, it listens that long after SIGTERM, while `/health` responds with 503.
/// With `--inspect`, it also serves the page of the inspector, and prints its address.
@main
enum EventServer {
  static func main() async {
    // A program sets up logging and metrics, once; libraries only use them.
    let metrics = MetricsPage()
    MetricsSystem.bootstrap(metrics)
    var ownLogger = Logger(label: "event-server") { StreamLogHandler.standardError(label: $0) }
    do {
      ownLogger.logLevel = try Settings.logLevel
    } catch {
      ownLogger.critical("event server failed", error: error)
      exit(EXIT_FAILURE)
    }
    let logger = ownLogger

    let bus = EventBus.default
    let app = AppHost(
      bus: bus,
      configuration: AppHost.Configuration(
        logger: logger,
        stopTimeout: .seconds(8),
        cancelTimeout: .seconds(1),
        endsWithParent: Settings.endsWithParent
      )
    )
    let observations = [
      bus.startLogging(to: logger), app.startLogging(to: logger), bus.startMeasuring(),
      app.startMeasuring(),
    ]
    // Created before the launch, which it shows.
    let inspector =
      Settings.isInspected
      ? Inspector(bus, app: app, describing: { "\($0.payload)" }) { url in
        print("inspector: \(url)")
        fflush(nil)
      } : nil
    do {
      if let inspector { try app.add(inspector) }
      try app.add(JournalService(bus: bus), options: AppServiceOptions(reportsReadiness: true))
      try WebService.add(to: app, metrics: metrics, logger: logger)
      try app.add(DrainDelay(), options: AppServiceOptions(after: [WebService.name]))
      try app.add(
        WarmUp(),
        options: AppServiceOptions(after: [WebService.name], reportsReadiness: true)
      )
      let code = try await app.run()
      withExtendedLifetime(observations) {}
      exit(code)
    } catch {
      // Not zero, so that a process manager starts the program again.
      logger.critical("event server failed", error: error)
      exit(EXIT_FAILURE)
    }
  }
}
