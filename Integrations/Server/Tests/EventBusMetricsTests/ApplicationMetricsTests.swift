internal import EventBus
internal import EventBusMetrics
internal import LaunchLoader
internal import MetricsTestKit
internal import TestKit
internal import Testing

@Suite("Measuring an application", .timeLimit(.minutes(1)))
struct ApplicationMetricsTests {
  @Test("The launch, its workers, and the start and stop of the services, each and all, are timed")
  func durations() async throws {
    let metrics = TestMetrics()
    let loader = LaunchLoader()
    loader.register("settings") { _ in }
    let app = Application(
      bus: EventBus(),
      loader: loader,
      configuration: Application.Configuration(signals: [:], launchOptions: LaunchOptions())
    )
    let token = app.measure(prefix: "shop", factory: metrics)
    try app.add("web", ServiceOptions(onThrow: .ignore)) { _ in throw SampleError() }
    try app.add("db") { context in
      context.ready()
      try await context.untilShutdown()
    }
    let run = Task { try await app.run() }
    try await app.waitUntil(.active)
    while metrics.timers(label: "shop.launch.duration").isEmpty { await Task.yield() }
    while metrics.counters.isEmpty { await Task.yield() }
    app.shutdown()
    #expect(try await run.value == 0)
    let worker = [("worker", "settings")]
    #expect(try metrics.expectTimer("shop.launch.worker.duration", worker).values.count == 1)
    #expect(try metrics.expectTimer("shop.services.start.duration").values.count == 1)
    #expect(try metrics.expectTimer("shop.services.stop.duration").values.count == 1)
    let db = [("service", "db")]
    #expect(try metrics.expectTimer("shop.service.start.duration", db).values.count == 1)
    #expect(try metrics.expectTimer("shop.service.stop.duration", db).values.count == 1)
    #expect(metrics.timers(label: "shop.service.stop.duration").count == 1)
    let failures = metrics.counterTotal(
      label: "shop.services.failures",
      dimensions: [("service", "web")]
    )
    #expect(failures == 1)
    withExtendedLifetime(token) {}
  }
}
