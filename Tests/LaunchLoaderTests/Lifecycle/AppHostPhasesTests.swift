import EventBus
import LaunchLoader
import TestSupport
import Testing

@Suite("Phases that a system reports", .timeLimit(.minutes(5)))
struct AppHostPhasesTests {
  let stage = Stage()

  @Test("The phases of a scene are reported in order, and an application can stay inactive")
  func scene() async throws {
    let running = stage.start()
    try await stage.app.waitUntil(state: .active)
    await stage.app.waitUntilSettled()
    let token = stage.noteEvents()
    var states: [AppState] = []
    for report in [
      { (app: AppHost) in app.resignActive() }, { $0.enterBackground() },
      { $0.enterForeground() }, { $0.becomeActive() },
    ] {
      report(stage.app)
      states.append(stage.app.state)
    }
    #expect(states == [.inactive, .background, .inactive, .active])
    #expect(
      stage.log.entries == [
        "application.willResignActive in active",
        "application.stateDidChange in inactive",
        "application.stateDidChange in background",
        "application.didEnterBackground in background",
        "application.willEnterForeground in background",
        "application.stateDidChange in inactive",
        "application.stateDidChange in active",
        "application.didBecomeActive in active",
      ]
    )
    token.cancel()
    stage.app.shutdown()
    _ = try await running.value
  }

  @Test("A phase that is reported twice, or that holds already, reports no edge")
  func twice() async throws {
    let running = stage.start()
    try await stage.app.waitUntil(state: .active)
    await stage.app.waitUntilSettled()
    let token = stage.noteEvents()
    stage.app.becomeActive()
    stage.app.enterForeground()
    #expect(stage.log.entries.isEmpty)
    stage.app.resignActive()
    let count = stage.log.entries.count
    stage.app.resignActive()
    stage.app.enterForeground()
    #expect(stage.log.entries.count == count)
    #expect(stage.app.state == .inactive)
    token.cancel()
    stage.app.shutdown()
    _ = try await running.value
  }

  @Test("In the background, the same phase and the loss of activity report no edge")
  func twiceInBackground() async throws {
    let running = stage.start()
    try await stage.app.waitUntil(state: .active)
    await stage.app.waitUntilSettled()
    stage.app.enterBackground()
    let token = stage.noteEvents()
    stage.log.take()
    stage.app.enterBackground()
    stage.app.resignActive()
    #expect(stage.app.state == .background)
    #expect(stage.log.entries.isEmpty)
    stage.app.enterForeground()
    #expect(stage.app.state == .inactive)
    #expect(
      stage.log.entries == [
        "application.willEnterForeground in background", "application.stateDidChange in inactive",
      ]
    )
    token.cancel()
    stage.app.shutdown()
    _ = try await running.value
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
    stage.app.shutdown()
    _ = try await running.value
  }

  @Test("An application sent to the background while it launches starts there")
  func backgroundDuringLaunch() async throws {
    stage.loader.register { [app = stage.app] _ in app.enterBackground() }
    let running = stage.start()
    try await stage.app.waitUntil(state: .background)
    await stage.app.waitUntilSettled()
    stage.app.becomeActive()
    #expect(stage.app.state == .active)
    stage.app.shutdown()
    _ = try await running.value
  }

  @Test("From the request to stop services on, phases report nothing")
  func whileStopping() async throws {
    let mayEnd = ManualLatch()
    try stage.add("a") { context in
      try await context.untilShutdown()
      await mayEnd.wait()
    }
    let running = stage.start()
    try await stage.app.waitUntil(state: .active)
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

  @Test("An inactive application keeps the work of its level and ends that of active")
  func levels() async throws {
    let entries = Inbox<String>()
    let app = stage.app
    let watching = [("active", AppState.Level.active), ("inactive", .inactive)].map { name, level in
      Task {
        await app.whileState(atLeast: level) {
          entries.append("\(name) begins")
          await ManualLatch().wait()
          entries.append("\(name) ends")
        }
      }
    }
    let running = stage.start()
    _ = await entries.first(2)
    app.resignActive()
    #expect(await entries.first(3).last == "active ends")
    app.becomeActive()
    #expect(await entries.first(4).last == "active begins")
    app.shutdown()
    for task in watching { await task.value }
    _ = try await running.value
    #expect(entries.entries.count(where: { $0 == "inactive begins" }) == 1)
  }

  @Test("Threads that report phases leave the edges in a legal order")
  func contention() async throws {
    let running = stage.start()
    try await stage.app.waitUntil(state: .active)
    await stage.app.waitUntilSettled()
    let (app, log) = (stage.app, stage.log)
    let token = stage.bus.observeAll { event in log.append("\(event.name)") }
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
    app.shutdown()
    _ = try await running.value
  }
}
