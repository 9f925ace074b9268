import EventBus
import Hummingbird

nonisolated extension EventNames {
  /// A request has arrived; the payload is its method and its path.
  static let requestArrived = EventName<String>("request.arrived")
}

/// Posts requests one after the other, so that all readers receive them in one order.
actor RequestLog {
  let bus: EventBus

  init(_ bus: EventBus) { self.bus = bus }

  func add(_ request: Request) {
    bus.post(.requestArrived, "\(request.method): \(request.uri.path)")
  }
}

/// Adds each request to the log, and then passes it on.
struct RequestLogging<Context: RequestContext>: RouterMiddleware {
  let log: RequestLog

  func handle(
    _ request: Request,
    context: Context,
    next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    await log.add(request)
    return try await next(request, context)
  }
}
