internal import EventBus
private import Synchronization
internal import Tracing

/// The span of a post, which ends once: when the post has returned, and at the latest when the last reference
/// to it is released.
final class PostSpan: Sendable {
  let name: String
  let site: SourceSite
  let tracer: any Tracer
  private let span: any Span
  private let hasEnded = Atomic<Bool>(false)

  /// Begins the span, as a child of the caller's context.
  init(_ event: AnyEvent, _ tracer: any Tracer) {
    (name, site, self.tracer) = (event.name, event.site, tracer)
    span = tracer.startAnySpan(
      event.name,
      ofKind: .producer,
      function: "post",
      file: event.site.fileID,
      line: event.site.line
    )
    span.attributes["event.name"] = event.name
    span.attributes["event.site"] = "\(event.site)"
  }

  deinit { end() }

  /// The context for the deliveries.
  var context: ServiceContext { span.context }

  /// Ends the span, unless it has ended.
  func end() {
    if !hasEnded.exchange(true, ordering: .acquiringAndReleasing) { span.end() }
  }
}

/// The span of a delivery.
final class DeliverySpan: Sendable {
  /// The deliveries whose handler runs in this task, at most one of each tracing.
  @TaskLocal private static var running: [DeliverySpan] = []

  private let posts: OpenPosts
  private let span: any Span
  private let hasStarted = Atomic<Bool>(false)

  /// Begins the span.
  init(of post: PostSpan, in posts: OpenPosts) {
    self.posts = posts
    span = post.tracer.startAnySpan(
      post.name,
      context: post.context,
      ofKind: .consumer,
      function: "handler",
      file: post.site.fileID,
      line: post.site.line
    )
    span.attributes["event.name"] = post.name
  }

  /// The delivery of a tracing whose handler runs in this task.
  ///
  /// Several tracings of one bus each have their own span for a delivery.
  static func current(in posts: OpenPosts) -> DeliverySpan? { running.last { $0.posts === posts } }

  /// Runs the handler, and ends the span.
  func run(_ body: () -> Void) {
    defer { span.end() }
    Self.$running.withValue(Self.running.filter { $0.posts !== posts } + [self]) {
      ServiceContext.withValue(span.context, operation: body)
    }
  }

  /// Runs an asynchronous handler, and ends the span.
  func run(_ body: () async -> Void) async {
    defer { span.end() }
    await Self.$running.withValue(Self.running.filter { $0.posts !== posts } + [self]) {
      await ServiceContext.withValue(span.context, operation: body)
    }
  }

  /// Notes the registration of the handler, and its error.
  ///
  /// The start of the handler comes first. Later ones are those of elements that the handler hands to consumers of
  /// streams, or takes from a stream: they have no separate span.
  func note(_ step: TraceStep) {
    switch step.kind {
    case .started:
      if hasStarted.exchange(true, ordering: .relaxed) { return }
      if let site = step.registration?.site { span.attributes["event.handler"] = "\(site)" }
    case .finished(let error?):
      span.recordError(error)
      span.setStatus(SpanStatus(code: .error, message: "\(error)"))
    default: break
    }
  }
}
