internal import EventBus
internal import EventBusTracing
internal import InMemoryTracing
internal import Instrumentation
internal import TestKit
internal import Testing
internal import Tracing

private enum RequestKey: ServiceContextKey { typealias Value = String }

extension ServiceContext {
  fileprivate var request: String? {
    get { self[RequestKey.self] }
    set { self[RequestKey.self] = newValue }
  }

  /// A context with its own value.
  fileprivate static func sample(_ request: String) -> ServiceContext {
    var context = ServiceContext.topLevel
    context.request = request
    return context
  }
}

extension FinishedInMemorySpan {
  /// The text of an attribute.
  fileprivate func text(_ key: String) -> String? {
    guard case .string(let text)? = attributes[key]?.toSpanAttribute() else { return nil }
    return text
  }
}

@Suite("Tracing a bus", .timeLimit(.minutes(1)))
struct BusTraceTests {
  private let bus = EventBus()
  private let tracer = InMemoryTracer()

  private func spans(_ kind: SpanKind) -> [FinishedInMemorySpan] {
    tracer.finishedSpans.filter { $0.kind == kind }
  }

  @Test("A post is a span, and each delivery a child, with name and sites")
  func spans() throws {
    let trace = bus.startTracing(with: tracer)
    let handler = bus.observe(.number) { _ in }
    let registered = "\(#fileID):\(#line - 1)"
    bus.post(.number, 1)
    let posted = "\(#fileID):\(#line - 1)"
    let post = try #require(spans(.producer).first)
    let delivery = try #require(spans(.consumer).first)
    #expect(tracer.finishedSpans.count == 2)
    #expect(post.operationName == "sample.number")
    #expect(post.text("event.site") == posted)
    #expect(delivery.parentSpanID == post.spanID)
    #expect(delivery.traceID == post.traceID)
    #expect(delivery.text("event.handler") == registered)
    #expect(delivery.text("event.name") == "sample.number")
    withExtendedLifetime((trace, handler)) {}
  }

  @Test(
    "The span of a post has ended when the post returns, without a handler and with replay as well"
  )
  func ends() {
    let trace = bus.startTracing(with: tracer)
    bus.post(.number, 1)
    #expect(spans(.producer).count == 1)
    bus.post(.kept, 1)
    #expect(spans(.producer).count == 2)
    #expect(tracer.activeSpans.isEmpty)
    withExtendedLifetime(trace) {}
  }

  @Test("Posts nest as spans")
  func nested() throws {
    let trace = bus.startTracing(with: tracer)
    let outer = bus.observe(.number) { [bus] in _ = bus.post(.other, $0) }
    let inner = bus.observe(.other) { _ in }
    bus.post(.number, 1)
    let posts = spans(.producer)
    let deliveries = spans(.consumer)
    let outerPost = try #require(posts.first { $0.operationName == "sample.number" })
    let innerPost = try #require(posts.first { $0.operationName == "sample.other" })
    let outerDelivery = try #require(deliveries.first { $0.operationName == "sample.number" })
    let innerDelivery = try #require(deliveries.first { $0.operationName == "sample.other" })
    #expect(outerPost.parentSpanID == nil)
    #expect(outerDelivery.parentSpanID == outerPost.spanID)
    #expect(innerPost.parentSpanID == outerDelivery.spanID)
    #expect(innerDelivery.parentSpanID == innerPost.spanID)
    withExtendedLifetime((trace, outer, inner)) {}
  }

  @Test("The caller's context reaches synchronous, queued and asynchronous handlers")
  func context() async {
    let trace = bus.startTracing(with: tracer)
    let seen = Inbox<String>()
    let tokens = [
      bus.observe(.number) { _ in seen.append("plain \(ServiceContext.current?.request ?? "none")")
      },
      bus.observe(.number) { @MainActor _ in
        seen.append("main \(ServiceContext.current?.request ?? "none")")
      },
      bus.observe(.number) { _ async in
        await Task.yield()
        seen.append("async \(ServiceContext.current?.request ?? "none")")
      },
    ]
    await ServiceContext.withValue(.sample("request 1")) { _ = await bus.postAndWait(.number, 1) }
    #expect(seen.entries.sorted() == ["async request 1", "main request 1", "plain request 1"])
    withExtendedLifetime((trace, tokens)) {}
  }

  @Test(
    "The spans of queued and asynchronous handlers are children of the post's, after it has ended"
  )
  func later() async throws {
    let trace = bus.startTracing(with: tracer)
    let token = bus.observe(.number) { _ async in
      withSpan("work") { _ in }
      await Task.yield()
    }
    await withTracer(tracer) { _ = await bus.postAndWait(.number, 1) }
    await until(tracer.activeSpans.isEmpty)
    let post = try #require(spans(.producer).first)
    let delivery = try #require(spans(.consumer).first)
    #expect(delivery.parentSpanID == post.spanID)
    withExtendedLifetime((trace, token)) {}
  }

  @Test("An enqueued event has one span, which ends, however often it is enqueued from one place")
  func enqueued() async throws {
    let trace = bus.startTracing(with: tracer)
    let heard = Inbox<String>()
    let token = bus.observe(.number) { _ in heard.append(ServiceContext.current?.request ?? "none")
    }
    for index in 0..<5 {
      ServiceContext.withValue(.sample("request \(index)")) { bus.enqueue(.number, index) }
    }
    #expect(await heard.first(5) == (0..<5).map { "request \($0)" })
    await until(tracer.finishedSpans.count == 10)
    #expect(spans(.producer).count == 5)
    #expect(spans(.consumer).count == 5)
    #expect(tracer.activeSpans.isEmpty)
    #expect(Set(spans(.consumer).map(\.parentSpanID)).count == 5)
    withExtendedLifetime((trace, token)) {}
  }

  @Test("The error of a handler is recorded in its span only")
  func errors() throws {
    let trace = bus.startTracing(with: tracer)
    let silent = bus.addHooks(EventHooks(onError: { _ in }))
    let failing = bus.observe(.number) { _ in throw SampleError("no room") }
    let other = bus.observe(.number) { _ in }
    bus.post(.number, 1)
    let deliveries = spans(.consumer)
    #expect(deliveries.count == 2)
    #expect(deliveries.first?.errors.first?.error as? SampleError == SampleError("no room"))
    #expect(deliveries.first?.status?.code == .error)
    #expect(deliveries.last?.errors.isEmpty == true)
    withExtendedLifetime((trace, silent, failing, other)) {}
  }

  @Test(
    "Elements that a handler passes to a stream, or takes from one, do not change the site of the handler"
  )
  func streams() async throws {
    let trace = bus.startTracing(with: tracer)
    let numbers = bus.events(.other)
    let waiting = Task { @MainActor in
      var iterator = numbers.makeAsyncIterator()
      return await iterator.next(isolation: MainActor.shared)
    }
    // The turn of the actor that comes next begins when the task waits.
    await Task { @MainActor in }.value
    let texts = bus.events(.text)
    bus.post(.text, "a")
    let handler = bus.observe(.number) { [bus] _ async in
      bus.post(.other, 1)
      _ = await texts.first { _ in true }
    }
    let registered = "\(#fileID):\(#line - 4)"
    await bus.postAndWait(.number, 1)
    #expect(await waiting.value == 1)
    let delivery = try #require(spans(.consumer).first)
    #expect(spans(.consumer).count == 1)
    #expect(delivery.text("event.handler") == registered)
    withExtendedLifetime((trace, handler)) {}
  }

  @Test("Two tracings of a bus each have the spans, with the handlers and the errors")
  func twice() throws {
    let other = InMemoryTracer()
    let traces = [bus.startTracing(with: tracer), bus.startTracing(with: other)]
    let silent = bus.addHooks(EventHooks(onError: { _ in }))
    let failing = bus.observe(.number) { _ in throw SampleError() }
    let registered = "\(#fileID):\(#line - 1)"
    bus.post(.number, 1)
    for tracer in [tracer, other] {
      #expect(tracer.finishedSpans.count == 2)
      let delivery = try #require(tracer.finishedSpans.first { $0.kind == .consumer })
      #expect(delivery.text("event.handler") == registered)
      #expect(delivery.errors.count == 1)
    }
    withExtendedLifetime((traces, silent, failing)) {}
  }

  @Test("Without its own tracer, the bus uses the one that is active at the post")
  func activeTracer() {
    let trace = bus.startTracing()
    let handler = bus.observe(.number) { _ in }
    bus.post(.number, 0)
    #expect(tracer.finishedSpans.isEmpty)
    withTracer(tracer) { _ = bus.post(.number, 1) }
    #expect(tracer.finishedSpans.count == 2)
    withExtendedLifetime((trace, handler)) {}
  }

  @Test("No span is made after the token has ended")
  func uninstalled() {
    let trace = bus.startTracing(with: tracer)
    bus.post(.number, 1)
    trace.cancel()
    bus.post(.number, 2)
    #expect(tracer.finishedSpans.count == 1)
  }

  @Test("Posts of one name and place on several threads end their own spans")
  func concurrent() async {
    let trace = bus.startTracing(with: tracer)
    let handler = bus.observe(.number) { _ in }
    await onThreads(4) { [bus] _ in
      for index in 0..<200 { bus.post(.number, index) }
    }
    #expect(spans(.producer).count == 800)
    #expect(spans(.consumer).count == 800)
    #expect(tracer.activeSpans.isEmpty)
    withExtendedLifetime((trace, handler)) {}
  }
}
