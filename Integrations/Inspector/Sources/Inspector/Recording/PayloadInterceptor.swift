internal import EventBus

/// Describes the payload of each event, and passes the text to the trace of its deliveries.
///
/// A post that reaches no handler is not described.
struct PayloadInterceptor: EventInterceptor {
  /// The payload of an event.
  struct Payload: Sendable {
    var name: String
    var site: SourceSite
    var text: String

    /// The payload of the event whose handler is being called.
    @TaskLocal static var current: Payload?

    /// Returns the text for a step that begins a call of a handler.
    static func text(for step: TraceEvent) -> String? {
      guard case .started = step.step, let current else { return nil }
      // A stream is called outside the interceptor: inside a handler, that handler's payload is the current one.
      return current.name == step.name && current.site == step.site ? current.text : nil
    }
  }

  let describing: @Sendable (AnyEvent) -> String?

  func capture(_ event: AnyEvent) -> Payload? {
    describing(event).map {
      Payload(name: event.name, site: event.site, text: $0.shortened(to: 2_000))
    }
  }

  func run(_ payload: Payload?, _ body: () -> Void) {
    Payload.$current.withValue(payload, operation: body)
  }

  func run(_ payload: Payload?, _ body: () async -> Void) async {
    await Payload.$current.withValue(payload, operation: body)
  }
}
