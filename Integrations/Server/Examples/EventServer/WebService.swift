import EventBus
import Foundation
import Hummingbird
import LaunchLoader
import Logging
import NIOCore
import ServiceLifecycle
import ServiceLifecycleBridge

/// The HTTP server, as a service of the application.
///
/// It is made when it runs, because launch work reads the settings.
struct WebService: Service {
  static let name = "web"

  let app: AppHost
  let metrics: MetricsPage
  let readiness: Readiness
  let logger: Logger

  /// Adds the server to an application.
  static func add(
    to app: AppHost,
    metrics: MetricsPage,
    logger: Logger
  ) throws {
    let readiness = Readiness()
    let web = WebService(app: app, metrics: metrics, readiness: readiness, logger: logger)
    try app.add(
      adopting: web,
      named: name,
      options: AppServiceOptions(after: ["journal"], reportsReadiness: true),
      ready: readiness,
      logger: logger
    )
  }

  func run() async throws {
    let settings = try await app.loader.value(of: .settings)
    let feed = Feed(limit: settings.buffer)
    for entry in Catalog.standard.entries.values { entry.observe(app.bus, feed) }
    let limit = TimeAmount.seconds(Int64(settings.requestTime))
    let server = Application(
      router: router(feed, settings),
      server: .http1(
        configuration: .init(additionalChannelHandlers: [RequestLimits(requestTime: limit)])
      ),
      configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: settings.port)),
      onServerRunning: { [readiness] channel in
        print("listening on \(channel.localAddress?.port ?? 0)")
        fflush(nil)
        readiness.markReady()
      },
      logger: logger
    )
    try await server.run()
    withExtendedLifetime(feed) {}
  }

  private func router(_ feed: Feed, _ settings: Settings) -> Router<BasicRequestContext> {
    let router = Router()
    router.post("events/:name") { [app] request, context in
      let name = try context.parameters.require("name")
      guard let event = Catalog.standard.entries[name] else {
        throw HTTPError(.notFound, message: "there is no event \"\(name)\"")
      }
      let body = try await request.body.collect(upTo: settings.maximumBody)
      do {
        let reached = try event.post(Data(body.readableBytesView), app.bus)
        return "\(reached)\n"
      } catch let error as DecodingError {
        throw HTTPError(.badRequest, message: error.report)
      }
    }
    router.get("events") { request, _ in
      let name = request.uri.queryParameters.get("name")
      if let name, Catalog.standard.entries[name] == nil {
        throw HTTPError(.notFound, message: "there is no event \"\(name)\"")
      }
      return Response(
        status: .ok,
        headers: [.contentType: "text/event-stream", .cacheControl: "no-cache"],
        body: ResponseBody { writer in
          let lifetime = Lifetime()
          // Ends the stream when the client has disconnected, although nothing is written.
          try await request.body.consumeWithInboundCloseHandler { _ in
            try await feed.run(name, until: lifetime) { try await writer.write($0) }
          } onInboundClosed: {
            lifetime.end()
          }
          try await writer.finish(nil)
        }
      )
    }
    let health = { @Sendable [app] (isHead: Bool) in
      let isReady = app.state == .active || app.state == .background
      let text = ByteBuffer(string: isHead ? "" : "\(app.state)\n")
      return Response(
        status: isReady ? .ok : .serviceUnavailable,
        body: ResponseBody(byteBuffer: text)
      )
    }
    router.get("health") { _, _ in health(false) }
    router.head("health") { _, _ in health(true) }
    router.get("metrics") { [metrics] _, _ in
      Response(
        status: .ok,
        headers: [.contentType: MetricsPage.contentType],
        body: ResponseBody(byteBuffer: ByteBuffer(string: metrics.text))
      )
    }
    return router
  }
}

/// Keeps the listener open for a while after the request to stop, because services stop in reverse.
///
/// The health is unavailable meanwhile, so that a load balancer sends no new clients.
struct DrainDelay: AppService {
  let serviceName = "drain delay"

  func run(_ context: AppServiceContext) async throws {
    let seconds = try await context.value(of: .settings).drainDelay
    try await context.waitUntilShutdown()
    try await Task.sleep(for: .seconds(seconds))
  }
}
