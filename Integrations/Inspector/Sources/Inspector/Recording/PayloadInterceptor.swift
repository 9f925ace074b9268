internal import EventBus

/// Describes the payload of each event, and passes the text to the trace of its deliveries.
///
/// A post that reaches no handler is not described.
struct PayloadInterceptor: EventInterceptor {
  /// The payload of an event.
  struct Payload: Sendable {
    /// The recorder for which it was described: a bus may have several inspectors.
    var recorder: ObjectIdentifier
    var name: String
    var site: SourceSite
    var text: String

    /// The payloads of the event whose handler is being called: at most one for each recorder.
    @TaskLocal static var current: [Payload] = []

    /// Returns the text for a step that begins a call of a handler.
    static func text(for step: TraceStep, of recorder: Recorder) -> String? {
      guard case .started = step.kind else { return nil }
      // A stream is called outside the interceptor: inside a handler, that handler's payload is the current one.
      return current.first {
        $0.recorder == ObjectIdentifier(recorder) && $0.name == step.name && $0.site == step.site
      }?.text
    }
  }

  let recorder: ObjectIdentifier
  let describing: @Sendable (AnyEvent) -> String?

  init(_ recorder: Recorder, describing: @escaping @Sendable (AnyEvent) -> String?) {
    self.recorder = ObjectIdentifier(recorder)
    self.describing = describing
  }

  func capture(_ event: AnyEvent) -> Payload? {
    describing(event).map {
      Payload(
        recorder: recorder,
        name: event.name,
        site: event.site,
        text: $0.shortened(to: 2_000)
      )
    }
  }

  func run(_ payload: Payload?, _ body: () -> Void) {
    Payload.$current.withValue(payloads(with: payload), operation: body)
  }

  func run(_ payload: Payload?, _ body: () async -> Void) async {
    await Payload.$current.withValue(payloads(with: payload), operation: body)
  }

  /// The current payloads with another one, or none, for this recorder.
  private func payloads(with payload: Payload?) -> [Payload] {
    let others = Payload.current.filter { $0.recorder != recorder }
    return payload.map { others + [$0] } ?? others
  }
}
