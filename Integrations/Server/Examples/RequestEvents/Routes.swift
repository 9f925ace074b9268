import EventBus
import Hummingbird
import Logging
import ServiceLifecycle

/// The routes of the server: `GET /events` streams all later requests as server-sent events.
func routes(_ bus: EventBus) -> Router<BasicRequestContext> {
  let router = Router()
  router.addMiddleware {
    LogRequestsMiddleware(.info)
    RequestLogging(log: RequestLog(bus))
  }
  router.get("events") { request, _ in
    let reader = Lifetime()
    // Live from here on: the reader misses no request that comes after the head of its response.
    let requests = bus.events(.requestArrived, until: reader)
    return Response(
      status: .ok,
      headers: [.contentType: "text/event-stream"],
      body: ResponseBody { writer in
        try await withGracefulShutdownHandler {
          try await request.body.consumeWithInboundCloseHandler { _ in
            for await text in requests {
              try await writer.write(ByteBuffer(string: "data: \(text)\n\n"))
            }
          } onInboundClosed: {
            reader.end()
          }
        } onGracefulShutdown: {
          reader.end()
        }
        try await writer.finish(nil)
      }
    )
  }
  return router
}
