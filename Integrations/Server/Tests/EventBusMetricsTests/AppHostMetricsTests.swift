internal import EventBus
internal import EventBusTesting
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
    let app = AppHost(
      bus: EventBus(),
      loader: loader,
      configuration: AppHost.Configuration(signals: [:], launchOptions: LaunchOptions())
    )
    let token = app.startMeasuring(prefix: "shop", factory: metrics)
    try app.add("web", onThrow: .ignore) { _ in throw SampleError() }
    try app.add("db") { context in
      context.markReady()
      try await context.waitUntilShutdown()
    }
    let run = Task { try await app.run() }
    try await app.waitUntil(state: .active)
    await until(!metrics.timers(label: "shop.launch.duration").isEmpty)
    await until(!metrics.counters.isEmpty)
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

  @Test("Each failure and each restart is counted, and a change of readiness is not a start")
  func restarts() async throws {
    let metrics = TestMetrics()
    let app = AppHost(
      bus: EventBus(),
      loader: LaunchLoader(),
      configuration: AppHost.Configuration(
        signals: [:],
        onMessage: { _ in },
        launchOptions: LaunchOptions()
      )
    )
    let token = app.startMeasuring(prefix: "shop", factory: metrics)
    let policy = RestartPolicy(pause: .zero)
    try app.add("feed", reportsReadiness: true, onThrow: .restart(policy)) { context in
      if context.attempt < 3 { throw SampleError() }
      context.markReady()
      context.markUnready()
      context.markReady()
      try await context.waitUntilShutdown()
    }
    let run = Task { try await app.run() }
    try await app.waitUntil(state: .active)
    app.shutdown()
    #expect(try await run.value == 0)
    let feed = [("service", "feed")]
    #expect(metrics.counterTotal(label: "shop.services.failures", dimensions: feed) == 2)
    #expect(metrics.counterTotal(label: "shop.services.restarts", dimensions: feed) == 2)
    #expect(try metrics.expectTimer("shop.service.start.duration", feed).values.count == 1)
    #expect(try metrics.expectTimer("shop.service.stop.duration", feed).values.count == 1)
    withExtendedLifetime(token) {}
  }

  @Test(
    "The time of a stop includes that after a cancellation; a service that ends by itself has none"
  )
  func cancelledStop() async throws {
    let (metrics, clock) = (TestMetrics(), ManualClock())
    let app = AppHost(
      bus: EventBus(),
      loader: LaunchLoader(),
      configuration: AppHost.Configuration(
        stopTimeout: nil,
        cancelTimeout: nil,
        clock: clock,
        signals: [:],
        launchOptions: LaunchOptions()
      )
    )
    let token = app.startMeasuring(prefix: "shop", factory: metrics, clock: clock)
    let (stopping, cancelled, release) = (Inbox<Void>(), Inbox<Void>(), Inbox<Void>())
    let changes = app.bus.observe(.appServiceStateDidChange) { change in
      if change.state == .stopping { stopping.append(()) }
    }
    try app.add("slow") { context in
      context.markReady()
      await withTaskCancellationHandler {
        _ = await release.first(1)
      } onCancel: {
        cancelled.append(())
      }
    }
    try app.add("job", onReturn: .ignore) { context in
      context.markReady()
    }
    let run = Task { try await app.run() }
    try await app.waitUntil(state: .active)
    app.shutdown()
    await stopping.first(1)
    clock.jump(by: .seconds(5))
    run.cancel()
    await cancelled.first(1)
    clock.jump(by: .seconds(2))
    release.append(())
    _ = try? await run.value
    let stop = try metrics.expectTimer("shop.service.stop.duration", [("service", "slow")])
    #expect(stop.values == [7_000_000_000])
    #expect(metrics.timers(label: "shop.service.stop.duration").count == 1)
    let all = try metrics.expectTimer("shop.services.stop.duration")
    #expect(all.values == [7_000_000_000])
    withExtendedLifetime((token, changes)) {}
  }
}
