import EventBus
import EventBusTesting
import LaunchLoader
import TestSupport
import Testing

@Suite("Values of launch work in services", .timeLimit(.minutes(5)))
struct ServiceValueTests {
  private static let address = LaunchKey<String>("address")
  private static let absent = LaunchKey<Int>("absent")

  let log = Log<String>()

  /// A service that notes a value.
  private func reading(_ name: String = "a") -> ClosureService {
    ClosureService(name) { [log] context in
      log.append("\(name): \(try await context.value(of: Self.address))")
      context.markReady()
      try await context.waitUntilShutdown()
    }
  }

  @Test("A service of an application, and one in groups, read the values of its loader")
  func application() async throws {
    let stage = Stage()
    stage.loader.register(Self.address) { _ in "localhost" }
    let ready = AppServiceOptions(reportsReadiness: true)
    let (outer, inner) = (AppServiceGroup("outer"), AppServiceGroup("inner"))
    try inner.add(reading("inside"), options: ready)
    try outer.add(inner, options: ready)
    try stage.app.add(reading(), options: ready)
    try stage.app.add(outer, options: ready)
    #expect(try await stage.runOnce() == 0)
    #expect(log.entries == ["a: localhost", "inside: localhost"])
  }

  @Test("A service alone waits for the values of the given loader, whose launch is up to the test")
  func alone() async throws {
    let loader = LaunchLoader()
    let run = try LoneService(reading(), loader: loader, clock: ManualClock())
    await rest()
    #expect(log.entries.isEmpty)
    loader.register(Self.address) { _ in "localhost" }
    try await loader.launch()
    try await run.waitUntilReady()
    let group = AppServiceGroup("group")
    try group.add(reading("inside"), options: AppServiceOptions(reportsReadiness: true))
    let grouped = try LoneService(group, loader: loader, clock: ManualClock())
    try await grouped.waitUntilReady()
    #expect(log.entries == ["a: localhost", "inside: localhost"])
    for run in [run, grouped] {
      run.shutdown()
      try await run.wait()
    }
  }

  @Test("A value that no launch makes is an error of the service that reads it")
  func missing() async throws {
    let launched = LaunchLoader()
    try await launched.launch()
    for loader in [launched, nil] {
      let run = try LoneService(
        ClosureService { _ = try await $0.value(of: Self.absent) },
        loader: loader,
        clock: ManualClock()
      )
      let error = await #expect(throws: LaunchError.self) { try await run.wait() }
      if case .noValue? = error?.code { continue }
      Issue.record("threw \(String(describing: error))")
    }
  }

  @Test("A service that a worker adds is not part of the work: it waits for a value like any other")
  func addedByWorker() async throws {
    let stage = Stage()
    let app = stage.app
    let (isAsking, hasRead) = (ManualLatch(), ManualLatch())
    stage.loader.register("adds", phase: .idle) { [log] _ async throws in
      try await app.waitUntil(state: .active)
      try app.add("a") { context in
        defer { hasRead.open() }
        async let address = context.value(of: Self.address)
        isAsking.open()
        log.append("a: \(try await address)")
        hasRead.open()
        try await context.waitUntilShutdown()
      }
      // The work lasts until the service has its value.
      await hasRead.wait()
    }
    stage.loader.register(Self.address, phase: .idle) { _ async in
      await isAsking.wait()
      await rest()
      return "localhost"
    }
    try stage.add("b")
    let running = stage.start()
    await hasRead.wait()
    #expect(try await stage.stop(running) == 0)
    #expect(log.entries == ["a: localhost"])
  }

  /// The ways in which a service waits for a value that the stop prevents.
  enum Wait: CaseIterable, Sendable {
    case insideCancelOnShutdown, insideUnlessShuttingDown, alone, inGroup, afterTheRequest
  }

  @Test(
    "A service that waits for a value whose idle maker the stop prevents has not failed",
    arguments: Wait.allCases
  )
  func prevented(wait: Wait) async throws {
    let stage = Stage(stopTimeout: .seconds(20))
    let loader = LaunchLoader(width: 1)
    let app = AppHost(
      bus: stage.bus,
      loader: loader,
      configuration: AppHost.Configuration(clock: stage.clock, signals: [:])
    )
    let (mayEnd, isStopping) = (ManualLatch(), ManualLatch())
    loader.register("hold", phase: .idle) { _ async in await ManualLatch().wait() }
    loader.register(Self.address, phase: .idle) { _ async in "too late" }
    let (isWaiting, log) = (ManualLatch(), log)
    let body: @Sendable (AppServiceContext) async throws -> Void = { context in
      isWaiting.open()
      if wait == .afterTheRequest { await isStopping.wait() }
      let read: @Sendable () async throws -> String? = {
        try await context.value(of: Self.address)
      }
      defer { log.append("asked to stop: \(context.isShuttingDown)") }
      switch wait {
      case .insideUnlessShuttingDown:
        let value = try await context.unlessShuttingDown { try await read() }
        #expect(value == nil)
      case .insideCancelOnShutdown: _ = try await context.cancelOnShutdown { try await read() }
      case .alone, .inGroup, .afterTheRequest: _ = try await read()
      }
    }
    if wait == .inGroup {
      let group = AppServiceGroup("group")
      try group.add("reads", run: body)
      try app.add(group)
    } else {
      try app.add("reads", run: body)
    }
    // It stops first, which leaves the reader time to fail before it is asked.
    try app.add("last") { context in
      try await context.waitUntilShutdown()
      isStopping.open()
      await rest()
    }
    let running = Task { try await app.run() }
    try await app.waitUntil(state: .active)
    await isWaiting.wait()
    app.shutdown()
    #expect(try await running.value == 0)
    #expect(log.entries == ["asked to stop: true"])
    mayEnd.open()
  }

  @Test("A loader that an application has stopped refuses a ServiceRun its value at once")
  func stoppedLoader() async throws {
    let stage = Stage()
    stage.loader.register(Self.address) { _ in "localhost" }
    stage.app.shutdown()
    #expect(try await stage.app.run() == 0)
    let run = try LoneService(
      ClosureService { _ = try await $0.value(of: Self.address) },
      loader: stage.loader,
      clock: ManualClock()
    )
    let error = await #expect(throws: LaunchError.self) { try await run.wait() }
    #expect(error?.code == .noValue("address", .refused))
  }
}
