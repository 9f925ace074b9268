import EventBus
import EventBusTesting
import LaunchLoader
import TestSupport
import Testing

/// Services whose waits the stop ends with an error.
@Suite("Waits that the stop ends", .timeLimit(.minutes(5)))
struct EndedWaitTests {
  private static let refused = LaunchKey<Int>("refused")

  /// What the service waits for.
  enum Wait: CaseIterable, Sendable {
    case state, valueOfContext, valueOfLoader, otherLaunch, event, cancellation
  }

  /// Where the service waits.
  enum Place: CaseIterable, Sendable {
    case service, group, groupOfGroup, startingGroup, cancelOnShutdown, unlessShuttingDown,
      startingService
  }

  struct Example: Sendable, CustomTestStringConvertible {
    let wait: Wait
    let place: Place
    var testDescription: String { "\(wait), \(place)" }

    /// Whether the stop, or the cancellation that it causes there, ends the wait.
    var isEnded: Bool {
      switch wait {
      case .state, .valueOfContext, .valueOfLoader: true
      case .otherLaunch, .event, .cancellation:
        place == .cancelOnShutdown || place == .unlessShuttingDown
      }
    }

    static let all = Wait.allCases.flatMap { wait in
      Place.allCases.map { Example(wait: wait, place: $0) }.filter(\.isEnded)
    }

    /// Each wait and each place, but not each pair of them.
    static let some = all.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
  }

  @Test(
    "The error of a wait that the stop ends is not a failure",
    arguments: isFullSize ? Example.all : Example.some
  )
  func isNoFailure(_ example: Example) async throws {
    let stage = Stage(stopTimeout: .seconds(20))
    let (loader, other) = (LaunchLoader(width: 1), LaunchLoader())
    let configuration = AppHost.Configuration(
      clock: stage.clock,
      signals: [:],
      onMessage: { [messages = stage.messages] in messages.append($0.description) }
    )
    let app = AppHost(bus: stage.bus, loader: loader, configuration: configuration)
    let (holds, isWaiting, isLaunching) = (ManualLatch(), ManualLatch(), ManualLatch())
    loader.register("hold", phase: .idle) { _ async in await ManualLatch().wait() }
    loader.register(Self.refused, phase: .idle) { _ async in 1 }
    other.register("hold") { _ async in
      isLaunching.open()
      await waitStubbornly(holds)
    }
    let launching = Task { try await other.launch() }
    await isLaunching.wait()
    let failures = Log<String>()
    let token = stage.bus.observeFailures { failures.append("\($0): \($1)") }
    let wait: @Sendable (AppServiceContext) async throws -> Void = { context in
      isWaiting.open()
      switch example.wait {
      case .state: try await app.waitUntil(state: .background)
      case .valueOfContext: _ = try await context.value(of: Self.refused)
      case .valueOfLoader: _ = try await loader.value(of: Self.refused)
      case .otherLaunch: try await other.launch()
      case .event: _ = try await app.bus.next(.appShouldReload)
      case .cancellation: try await stage.clock.sleep(for: .seconds(3_600))
      }
    }
    let body: @Sendable (AppServiceContext) async throws -> Void = { context in
      switch example.place {
      case .cancelOnShutdown: try await context.cancelOnShutdown { try await wait(context) }
      case .unlessShuttingDown:
        let result: Void? = try await context.unlessShuttingDown { try await wait(context) }
        if result == nil { stage.log.append("ended") }
      case .service, .group, .groupOfGroup, .startingGroup, .startingService:
        try await wait(context)
      }
    }
    switch example.place {
    case .group, .groupOfGroup, .startingGroup:
      var group = AppServiceGroup("inner")
      let options = AppServiceOptions(reportsReadiness: example.place == .startingGroup)
      try group.add("waits", options: options, run: body)
      if example.place == .groupOfGroup {
        let outer = AppServiceGroup("outer")
        try outer.add(group)
        group = outer
      }
      try app.add(group)
    case .startingService:
      try app.add("waits", options: AppServiceOptions(reportsReadiness: true), run: body)
    case .service, .cancelOnShutdown, .unlessShuttingDown: try app.add("waits", run: body)
    }
    if example.place != .startingService {
      // It stops first, which leaves the other time to fail before it is asked.
      try app.add("last") { context in
        try await context.waitUntilShutdown()
        await rest()
      }
    }
    let running = Task { try await app.run() }
    await isWaiting.wait()
    await rest()
    app.shutdown()
    #expect(await errors(of: running) == [])
    #expect(failures.entries == [])
    #expect(stage.messages.entries == [])
    if example.place == .unlessShuttingDown {
      #expect(stage.log.entries == ["ended"])
    }
    holds.open()
    _ = try await launching.value
    token.cancel()
  }

  @Test(
    "A service in a group that returns after the request, before its group is asked, has not failed"
  )
  func returnInGroup() async throws {
    let stage = Stage()
    let group = AppServiceGroup("group")
    let (announced, log) = (ManualLatch(), stage.log)
    try group.add("returns") { _ in
      await announced.wait()
      log.append("returned")
    }
    try group.add("stays") { context in
      try await context.waitUntilShutdown()
      log.append("-stays")
    }
    try stage.app.add(group)
    try stage.add("last") { context in
      try await context.waitUntilShutdown()
      announced.open()
      await rest()
      log.append("-last")
    }
    let running = try await stage.startUntilActive()
    stage.app.shutdown()
    #expect(await errors(of: running) == [])
    #expect(log.entries == ["returned", "-last", "-stays"])
  }

  @Test("Such an error is a failure if no stop was requested, or if another error caused it")
  func failures() async throws {
    let stage = Stage()
    let ended = Stage()
    #expect(try await ended.runOnce() == 0)
    try stage.add("a") { _ in try await ended.app.waitUntil(state: .active) }
    #expect(await errors(of: stage.start()).count == 1)
    let other = Stage()
    try other.add("b") { context in
      do {
        try await other.app.waitUntil(state: .background)
      } catch {
        throw Failed(name: "b")
      }
    }
    let running = try await other.startUntilActive()
    other.app.shutdown()
    #expect(await errors(of: running) == ["b failed"])
  }

  @Test("In a service alone, such an error after the request to stop is not a failure either")
  func alone() async throws {
    let ended = Stage()
    #expect(try await ended.runOnce() == 0)
    let service = ClosureService { context in
      context.markReady()
      try await context.waitUntilShutdown()
      try await ended.app.waitUntil(state: .active)
    }
    let run = try LoneService(service, clock: TestClock())
    try await run.waitUntilReady()
    run.shutdown()
    try await run.wait()
  }

  @Test("Launch work that the stop has cancelled is not reported as failed")
  func launchWork() async throws {
    for policy in [LaunchFailurePolicy.continue, .stop, .rollback] {
      let stage = Stage(onFailure: policy)
      let app = stage.app
      let isWaiting = Counter()
      let works: [@Sendable () async throws -> Void] = [
        { try await app.waitUntil(state: .active) },
        { try await stage.clock.sleep(for: .seconds(3_600)) },
      ]
      for work in works {
        stage.loader.register { _ async throws in
          isWaiting.add()
          try await work()
        }
      }
      let running = stage.start()
      await until(isWaiting.value == works.count)
      await rest()
      app.shutdown()
      #expect(await errors(of: running) == [])
      #expect(stage.messages.entries == [])
    }
  }
}
