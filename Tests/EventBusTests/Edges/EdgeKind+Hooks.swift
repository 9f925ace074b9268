import EventBus
import TestSupport

extension EventNames {
  fileprivate static let hooked = EventName<Int>("edge.hooked")
}

extension EdgeKind {
  /// The kinds of hooks that are added to a bus.
  static let ofHooks = [hook, interceptor, asynchronousInterceptor]

  private static let noObserver: [EdgeRow: String] = [
    .excluded: "A post leaves out observers, not hooks.",
    .counted: "Nothing tells the number of hooks.",
    .reentrant: "What a hook posts is not reported to hooks.",
  ]

  private static let hook = EdgeKind("hook", excluding: noObserver) { handler in
    let bus = EventBus()
    let token = bus.addHooks(EventHooks(onUnhandled: { _ in handler.callSafely() }))
    return EdgeSubject(bus, token)
  }

  private static let interceptor = EdgeKind("interceptor", excluding: noObserver) { handler in
    let bus = EventBus()
    let observer = bus.observe(.hooked) { _ in }
    let token = bus.addHooks(EventHooks(interceptor: EdgeInterceptor(handler: handler)))
    return EdgeSubject(bus, token, observer)
  }

  private static let asynchronousInterceptor = EdgeKind(
    "asynchronous interceptor",
    traits: [.isAsync, .isQueued],
    excluding: noObserver
  ) { handler in
    let bus = EventBus()
    let observer = bus.observe(.hooked) { _ in await Task.yield() }
    let token = bus.addHooks(EventHooks(interceptor: EdgeInterceptor(handler: handler)))
    return EdgeSubject(bus, token, observer)
  }
}

extension EdgeSubject {
  fileprivate convenience init(_ bus: EventBus, _ token: Token, _ observer: Token? = nil) {
    self.init(
      token,
      fire: { await bus.postAndWait(.hooked, 1) },
      poke: { bus.post(.hooked, withExtendedLifetime(observer) { 1 }) }
    )
    register = { bus.addHooks(EventHooks(onTrace: { _ in })) }
  }
}

/// Calls the handler of an edge case around each handler of the bus.
private struct EdgeInterceptor: EventInterceptor {
  let handler: EdgeHandler

  func capture(_ event: AnyEvent) {}

  func run(_ context: Void, _ body: () -> Void) {
    handler.callSafely()
    body()
  }

  func run(_ context: Void, _ body: () async -> Void) async {
    handler.callSafely()
    await handler.suspend()
    await body()
  }
}
