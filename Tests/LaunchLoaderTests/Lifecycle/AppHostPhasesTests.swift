import EventBus
import LaunchLoader
import TestSupport
import Testing

@Suite("Phases that a system reports", .timeLimit(.minutes(5)))
struct AppHostPhasesTests {
  let stage = Stage()

  @Test("Phases that a system reports lead through the states, and each edge is reported once")
  func script() async throws {
    let running = stage.start()
    let app = stage.app
    try await app.waitUntil(state: .active)
    await app.waitUntilSettled()
    let token = stage.noteEvents()
    stage.log.take()
    let resigns = ["willResignActive in active", "stateDidChange in inactive"]
    let enters = ["stateDidChange in background", "didEnterBackground in background"]
    let leaves = ["willEnterForeground in background", "stateDidChange in inactive"]
    let activates = ["stateDidChange in active", "didBecomeActive in active"]
    let script: [(report: (AppHost) -> Void, state: AppState, events: [String])] = [
      ({ $0.becomeActive() }, .active, []), ({ $0.enterForeground() }, .active, []),
      ({ $0.resignActive() }, .inactive, resigns), ({ $0.resignActive() }, .inactive, []),
      ({ $0.enterForeground() }, .inactive, []), ({ $0.enterBackground() }, .background, enters),
      ({ $0.enterBackground() }, .background, []), ({ $0.resignActive() }, .background, []),
      // It stays inactive, as it was before.
      ({ $0.enterForeground() }, .inactive, leaves), ({ $0.becomeActive() }, .active, activates),
      ({ $0.enterBackground() }, .background, resigns + enters),
      ({ $0.enterForeground() }, .active, leaves + activates),
      ({ $0.enterBackground() }, .background, resigns + enters),
      ({ $0.becomeActive() }, .active, leaves + activates),
      ({ $0.enterBackground() }, .background, resigns + enters),
      ({ $0.resignActive() }, .background, []), ({ $0.enterForeground() }, .inactive, leaves),
    ]
    for (index, step) in script.enumerated() {
      step.report(app)
      #expect(app.state == step.state, "step \(index)")
      #expect(stage.log.take() == step.events.map { "application.\($0)" }, "step \(index)")
    }
    token.cancel()
    #expect(try await stage.stop(running) == 0)
  }

  @Test("An application that resigned before its launch starts inactive, with its services")
  func resignedBeforeLaunch() async throws {
    try stage.add("a")
    stage.app.resignActive()
    #expect(stage.app.state == .notRunning)
    let running = stage.start()
    try await stage.app.waitUntil(state: .inactive)
    await stage.app.waitUntilSettled()
    #expect(stage.app.state == .inactive)
    #expect(stage.log.entries == ["+a"])
    stage.app.becomeActive()
    #expect(stage.app.state == .active)
    try await stage.stop(running)
  }

  @Test("An application sent to the background while it launches starts there")
  func backgroundDuringLaunch() async throws {
    stage.loader.register { [app = stage.app] _ in app.enterBackground() }
    let running = stage.start()
    try await stage.app.waitUntil(state: .background)
    await stage.app.waitUntilSettled()
    stage.app.becomeActive()
    #expect(stage.app.state == .active)
    try await stage.stop(running)
  }

  @Test("From the request to stop services on, phases report nothing")
  func whileStopping() async throws {
    let mayEnd = ManualLatch()
    try stage.add("a") { context in
      try await context.waitUntilShutdown()
      await mayEnd.wait()
    }
    let running = try await stage.startUntilActive()
    stage.app.shutdown()
    try await stage.app.waitUntil(state: .stopping)
    await stage.app.waitUntilSettled()
    let token = stage.noteEvents()
    let replayed = stage.log.entries.count
    let report = { [app = stage.app] in
      app.resignActive()
      app.enterBackground()
      app.enterForeground()
      app.becomeActive()
    }
    report()
    #expect(stage.app.state == .stopping)
    #expect(stage.log.entries.count == replayed)
    mayEnd.open()
    _ = try await running.value
    report()
    #expect(stage.app.state == .terminated)
    #expect(stage.log.entries.dropFirst(replayed) == ["application.stateDidChange in terminated"])
    token.cancel()
  }

  @Test("Threads that report phases leave the edges in a legal order, one at a time")
  func contention() async throws {
    let running = try await stage.startUntilActive()
    await stage.app.waitUntilSettled()
    let (app, log, inside) = (stage.app, stage.log, Counter())
    let token = stage.bus.observeAll { event in
      if inside.add() != 1 { log.append("application.two at once") }
      log.append("\(event.name)")
      inside.add(-1)
    }
    let gate = StartGate(3)
    await onThreads(3) { thread in
      for _ in 0..<200 {
        gate.arriveAndWait()
        switch thread {
        case 0:
          app.resignActive()
          app.becomeActive()
        case 1:
          app.enterBackground()
          app.enterForeground()
        default: app.becomeActive()
        }
      }
    }
    app.becomeActive()
    // Another thread may have to deliver the last edges; all threads have ended.
    #expect(app.state == .active)
    token.cancel()
    // What may follow each edge.
    let next = [
      "willResignActive": ["didEnterBackground", "didBecomeActive"],
      "didEnterBackground": ["willEnterForeground"],
      "willEnterForeground": ["didBecomeActive", "didEnterBackground"],
      "didBecomeActive": ["willResignActive"],
    ]
    let edges = log.entries.map { $0.dropFirst("application.".count) }.filter {
      $0 != "stateDidChange"
    }
    #expect(edges.count > 4)
    for (edge, following) in zip(edges, edges.dropFirst()) {
      #expect(next["\(edge)"]?.contains("\(following)") == true, "\(edge), then \(following)")
    }
    try await stage.stop(running)
  }
}
