import EventBus
import LaunchLoader
import TestSupport
import Testing

@Suite("Phases that a system reports", .timeLimit(.minutes(5)))
struct AppHostPhasesTests {
  let stage = Stage()

  @Test(
    "Phases that a system reports lead through the states, and each state change is reported once"
  )
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
      ({ $0.report(.active) }, .active, []), ({ $0.enteredForeground() }, .active, []),
      ({ $0.report(.inactive) }, .inactive, resigns), ({ $0.report(.inactive) }, .inactive, []),
      ({ $0.enteredForeground() }, .inactive, []),
      ({ $0.report(.background) }, .background, enters),
      ({ $0.report(.background) }, .background, []), ({ $0.report(.inactive) }, .inactive, leaves),
      // After SIGCONT it is inactive, as it was before.
      ({ $0.report(.background) }, .background, enters),
      ({ $0.enteredForeground() }, .inactive, leaves),
      ({ $0.report(.active) }, .active, activates),
      ({ $0.report(.background) }, .background, resigns + enters),
      ({ $0.enteredForeground() }, .active, leaves + activates),
      ({ $0.report(.background) }, .background, resigns + enters),
      ({ $0.report(.active) }, .active, leaves + activates),
      ({ $0.report(.background) }, .background, resigns + enters),
      ({ $0.report(.inactive) }, .inactive, leaves),
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
    stage.app.report(.inactive)
    #expect(stage.app.state == .notRunning)
    let running = stage.start()
    try await stage.app.waitUntil(state: .inactive)
    await stage.app.waitUntilSettled()
    #expect(stage.app.state == .inactive)
    #expect(stage.log.entries == ["+a"])
    stage.app.report(.active)
    #expect(stage.app.state == .active)
    try await stage.stop(running)
  }

  @Test("An application sent to the background while it launches starts there")
  func backgroundDuringLaunch() async throws {
    stage.loader.register { [app = stage.app] _ in app.report(.background) }
    let running = stage.start()
    try await stage.app.waitUntil(state: .background)
    await stage.app.waitUntilSettled()
    stage.app.report(.active)
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
      app.report(.inactive)
      app.report(.background)
      app.enteredForeground()
      app.report(.active)
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

  @Test("Threads that report phases leave the state changes in a legal order, one at a time")
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
          app.report(.inactive)
          app.report(.active)
        case 1:
          app.report(.background)
          app.enteredForeground()
        default: app.report(.active)
        }
      }
    }
    app.report(.active)
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
