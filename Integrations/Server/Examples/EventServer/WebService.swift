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
struct WebService: ServiceLifecycle::Service {
  static let name = "web"

  let app: LaunchLoader::Application
  let metrics: MetricsPage
  let readiness: Readiness
  let logger: Logger

  /// Adds the server to an application.
  static func add(
    to app: LaunchLoader::Application,
    metrics: MetricsPage,
    logger: Logger
  ) throws {
    let readiness = Readiness()
    let web = WebService(app: app, metrics: metrics, readiness: readiness, logger: logger)
    try app.add(
      adopting: web,
      name,
      ServiceOptions(after: ["journal"], waitsForReady: true),
      ready: readiness,
      logger: logger
    )
  }

  func run() async throws {
    let settings = try await app.loader.value(of: .settings)
    let feed = Feed(limit: settings.buffer)
    let observations = Catalogue.standard.entries.map { name, entry in
      entry.observe(app.bus) { feed.send(name, $0) }
    }
    let server = Hummingbird::Application(
      router: router(feed, settings),
      configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: settings.port)),
      onServerRunning: { [readiness] channel in
        print("listening on \(channel.localAddress?.port ?? 0)")
        fflush(nil)
        readiness.ready()
      },
      logger: logger
    )
    try await server.run()
    withExtendedLifetime(observations) {}
  }

  private func router(_ feed: Feed, _ settings: Settings) -> Router<BasicRequestContext> {
    let router = Router()
    router.post("events/:name") { [app] request, context in
      let name = try context.parameters.require("name")
      guard let event = Catalogue.standard.entries[name] else {
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
      if let name, Catalogue.standard.entries[name] == nil {
        throw HTTPError(.notFound, message: "there is no event \"\(name)\"")
      }
      return Response(
        status: .ok,
        headers: [.contentType: "text/event-stream", .cacheControl: "no-cache"],
        body: ResponseBody { writer in
          let stream = feed.begin(name)
          defer { feed.close(stream) }
          // Ends the stream when the client has gone, although nothing is written.
          try await request.body.consumeWithInboundCloseHandler { _ in
            try await feed.run(stream) { try await writer.write($0) }
          } onInboundClosed: {
            feed.end(stream)
          }
          try await writer.finish(nil)
        }
      )
    }
    router.get("health") { [app] _, _ in
      let isReady = app.state == .active || app.state == .background
      return Response(
        status: isReady ? .ok : .serviceUnavailable,
        body: ResponseBody(byteBuffer: ByteBuffer(string: "\(app.state)\n"))
      )
    }
    router.get("metrics") { [metrics] _, _ in metrics.text }
    return router
  }
}
