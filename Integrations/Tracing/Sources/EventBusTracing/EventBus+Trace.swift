public import EventBus
public import Tracing

extension EventBus {
  /// Makes spans for the posts and deliveries of the bus, until a token ends.
  ///
  /// ```swift
  /// import EventBus
  /// import EventBusTracing
  ///
  /// let spans = EventBus.default.startTracing()
  /// ```
  ///
  /// See ``EventHooks/tracing(with:)``.
  ///
  /// - Parameter tracer: The tracer; `nil` means the tracer that is active where an event is posted.
  /// - Returns: The token. Dropping it ends the tracing, and with it all costs.
  /// - Complexity: O(*n*) in the number of hooks of the bus.
  public func startTracing(with tracer: (any Tracer)? = nil) -> Token {
    addHooks(.tracing(with: tracer))
  }
}

extension EventHooks {
  /// Returns hooks that make a span for each post, and one for each delivery.
  ///
  /// - The span of a post has the name of the event and the kind `producer`. It begins when the event is posted,
  ///   or enqueued, and ends when the post has returned. The attributes are `event.name` and `event.site`.
  /// - The span of a delivery is a child of the post's, with the kind `consumer` and the attribute
  ///   `event.handler`. An error of the handler is recorded.
  /// - The handler runs with the span of its delivery as the current `ServiceContext`, so that the spans of its
  ///   operations, posts included, are children of it. This also holds for handlers on actors and for asynchronous
  ///   handlers, although they run after the post; everything else in the caller's context travels with them. In
  ///   such a handler, other task-local values are those of its own task.
  ///
  /// - Parameter tracer: The tracer; `nil` means `InstrumentationSystem.tracer` where an event is posted, so that
  ///   `withTracer` applies.
  /// - Returns: The hooks.
  public static func tracing(with tracer: (any Tracer)? = nil) -> EventHooks {
    let posts = OpenPosts()
    return EventHooks(
      onTrace: { step in
        switch step.kind {
        case .began: posts.began(step)
        case .ended: posts.ended(step)
        case .started, .finished: DeliverySpan.current(in: posts)?.note(step)
        case .queued, .skipped: break
        }
      },
      interceptor: SpanInterceptor(tracer: tracer, posts: posts)
    )
  }
}

/// Carries the span of a post to the handlers.
private struct SpanInterceptor: EventInterceptor {
  let tracer: (any Tracer)?
  let posts: OpenPosts

  func capture(_ event: AnyEvent) -> PostSpan {
    let tracer = self.tracer ?? InstrumentationSystem.tracer
    let post = PostSpan(event, tracer)
    posts.captured(post)
    return post
  }

  func run(_ post: PostSpan, _ body: () -> Void) {
    DeliverySpan(of: post, in: posts).run(body)
  }

  func run(_ post: PostSpan, _ body: () async -> Void) async {
    await DeliverySpan(of: post, in: posts).run(body)
  }
}
