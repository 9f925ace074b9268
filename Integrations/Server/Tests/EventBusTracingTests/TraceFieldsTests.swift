internal import EventBus
internal import EventBusTracing
internal import InMemoryTracing
internal import Instrumentation
internal import TestKit
internal import Testing
internal import Tracing

@Suite("A trace that continues in another process", .timeLimit(.minutes(1)))
struct TraceFieldsTests {
  private let bus = EventBus()
  private let tracer = InMemoryTracer()

  /// The fields of a span, as they would travel, and the span.
  private func posted() throws -> (fields: [String: String], span: FinishedInMemorySpan) {
    let fields = tracer.withSpan("posted") { _ in TraceFields.current(tracer) }
    return (fields, try #require(tracer.finishedSpans.last))
  }

  @Test("Without a context there are no fields, and with one they name its span")
  func fields() throws {
    #expect(TraceFields.current(tracer) == [:])
    #expect(try posted().fields.isEmpty == false)
  }

  @Test("The span of a post inside run is a child of the one where the fields were written")
  func child() throws {
    let (fields, span) = try posted()
    let trace = bus.startTracing(with: tracer)
    TraceFields.run(fields, with: tracer) { bus.post(.number, 1) }
    let post = try #require(tracer.finishedSpans.last { $0.kind == .producer })
    #expect(post.traceID == span.traceID && post.parentSpanID == span.spanID)
    withExtendedLifetime(trace) {}
  }

  @Test("The same holds for a post that waits for its handlers, and for their spans")
  func waiting() async throws {
    let (fields, span) = try posted()
    let trace = bus.startTracing(with: tracer)
    let handler = bus.observe(.number) { _ in await Task.yield() }
    await TraceFields.run(fields, with: tracer) { _ = await bus.postAndWait(.number, 1) }
    let spans = tracer.finishedSpans.filter { $0.operationName == "sample.number" }
    #expect(spans.count == 2 && spans.allSatisfy { $0.traceID == span.traceID })
    #expect(spans.contains { $0.kind == .producer && $0.parentSpanID == span.spanID })
    withExtendedLifetime((trace, handler)) {}
  }
}
