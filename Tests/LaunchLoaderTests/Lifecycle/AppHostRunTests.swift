import EventBus
import EventBusTesting
import LaunchLoader
import TestSupport
import Testing

@Suite("Running an application", .timeLimit(.minutes(5)))
struct AppHostRunTests {
  let stage = Stage()

  @Test("run() launches, starts the services, waits, stops them, and returns the exit code")
  func wholeLife() async throws {
    let log = stage.log
    stage.loader.register { options in log.append("launch work \(options.arguments)") }
    try stage.add("a")
    let token = stage.noteEvents()
    let running = try await stage.startUntilActive()
    stage.app.shutdown(exitCode: 3)
    #expect(try await running.value == 3)
    #expect(
      log.entries == [
        "application.stateDidChange in launching",
        "application.willFinishLaunching in launching",
        "launch work [\"stage\"]",
        "application.didFinishLaunching in launching",
        "+a",
        "application.stateDidChange in inactive",
        "application.stateDidChange in active",
        "application.didBecomeActive in active",
        "application.willResignActive in active",
        "application.stateDidChange in inactive",
        "application.stateDidChange in stopping",
        "application.willTerminate in stopping",
        "-a",
        "application.stateDidChange in terminated",
      ]
    )
    token.cancel()
  }

  @Test("An application asked to end before it runs launches and starts nothing")
  func earlyShutdown() async throws {
    stage.loader.register { [log = stage.log] _ in log.append("launch work") }
    try stage.add("a")
    stage.app.shutdown(exitCode: 7)
    stage.app.shutdown(exitCode: 8)
    #expect(try await stage.start().value == 7)
    #expect(stage.log.entries.isEmpty)
    #expect(stage.app.state == .terminated)
  }

  @Test("An application asked to end while it launches skips work that has not begun")
  func shutdownDuringLaunch() async throws {
    // Many times: the first worker may run before the launching task continues.
    for _ in 0..<size(50, full: 300) {
      let stage = Stage()
      let log = stage.log
      stage.loader.register("first") { [app = stage.app] _ in app.shutdown(exitCode: 4) }
      stage.loader.register("second") { _ in log.append("second") }
      try stage.add("a")
      #expect(try await stage.start().value == 4)
      #expect(log.entries.isEmpty)
      #expect(try await stage.loader.report().summary == ["first finished", "second skipped"])
    }
  }

  @Test(
    "Launch work that ignores its cancellation is abandoned and named, and the run ends",
    arguments: [false, true]
  )
  func stuckLaunchWork(isCancelled: Bool) async throws {
    let stage = Stage(stopTimeout: .seconds(10), cancelTimeout: .seconds(5))
    let isEntered = ManualLatch()
    let mayEnd = ManualLatch()
    stage.loader.register("deaf") { _ in
      isEntered.open()
      await waitStubbornly(mayEnd)
    }
    try stage.add("a")
    let running = stage.start()
    await isEntered.wait()
    if isCancelled {
      running.cancel()
    } else {
      stage.app.shutdown()
    }
    await stage.passTime { stage.app.state == .terminated }
    let error = await #expect(throws: AppHostError.self) { try await running.value }
    #expect(error?.abandonedServices == ["launch work \"deaf\""])
    #expect(
      stage.messages.entries.contains(
        "Launch work \"deaf\" did not stop: it ignored cancellation for 5 s and was abandoned."
      )
    )
    #expect(stage.log.entries.isEmpty)
    #expect(stage.app.state == .terminated)
    mayEnd.open()
  }

  @Test("A request to end before the run starts no clock; its timeout begins with the run")
  func noClockBeforeTheRun() async throws {
    let stage = Stage(stopTimeout: .seconds(10))
    stage.app.shutdown()
    await rest()
    await until(stage.clock.sleeperCount == 0)
    await stage.clock.jumpAtRest(by: .seconds(100))
    #expect(try await stage.start().value == 0)
    #expect(stage.messages.entries.isEmpty)
  }

  @Test("A request to end after the end has no effect")
  func lateShutdown() async throws {
    #expect(try await stage.runOnce() == 0)
    stage.app.shutdown(exitCode: 1)
    stage.app.interrupt(2)
    #expect(stage.app.state == .terminated)
  }

  @Test("A request to end by the delegate, a handler or a service ends the run in order")
  func shutdownFromInside() async throws {
    for place in ["didFinishLaunching [\"stage\"]", "didBecomeActive", "handler", "service"] {
      let log = Log<String>()
      let delegate = RecordingDelegate(log) { app, edge in
        if edge == place { app.shutdown(exitCode: 9) }
      }
      let stage = Stage(delegate: delegate)
      let token = stage.bus.observe(.didBecomeActive) {
        if place == "handler" { stage.app.shutdown(exitCode: 9) }
      }
      try stage.add("a") { context in
        if place == "service" { stage.app.shutdown(exitCode: 9) }
        try await context.waitUntilShutdown()
      }
      #expect(try await stage.start().value == 9)
      #expect(log.entries.last == "willTerminate")
      token.cancel()
    }
  }

  @Test("Launch work, the delegate and transitions run on the caller's actor, here the main actor")
  @MainActor
  func isolation() async throws {
    let edges = Log<String>()
    let stage = Stage(
      delegate: RecordingDelegate(edges) { _, _ in MainActor.preconditionIsolated() }
    )
    let log = stage.log
    stage.loader.register { @MainActor _ in log.append("launch work") }
    let bus = stage.bus
    let tokens = [
      bus.observe(.didFinishLaunching) { @MainActor _ in log.append("didFinish") },
      bus.observe(.didBecomeActive) { @MainActor in log.append("didBecomeActive") },
    ]
    let noted = bus.observe(.didFinishLaunching) { _ in log.append("and after it the next") }
    let app = stage.app
    let ending = bus.observe(.didBecomeActive) { app.shutdown() }
    _ = try await app.run()
    #expect(
      log.entries == ["launch work", "didFinish", "and after it the next", "didBecomeActive"]
    )
    #expect(edges.entries.count == 5)
    withExtendedLifetime((tokens, noted, ending)) {}
  }

  @Test("An ended application is freed with its services and its delegate")
  func released() async throws {
    let tally = Tally()
    weak var app: AppHost?
    do {
      let probe = tally.probe()
      let stage = Stage(delegate: RecordingDelegate(Log()) { _, _ in probe.touch() })
      app = stage.app
      try stage.add("a") { context in
        probe.touch()
        try await context.waitUntilShutdown()
      }
      _ = try await stage.runOnce()
    }
    await until(tally.live == 0)
    #expect(app == nil)
  }
}
