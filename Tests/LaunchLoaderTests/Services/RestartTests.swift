import EventBus
import EventBusTesting
import LaunchLoader
import TestSupport
import Testing

@Suite("Restarts of services", .timeLimit(.minutes(5)))
struct RestartTests {
  private let stage = Stage(stopTimeout: .seconds(20), cancelTimeout: .seconds(5))
  private let changes = Inbox<AppServiceStateChange>()

  private func observe() -> Token {
    stage.bus.observe(.appServiceStateDidChange) { [changes] in changes.append($0) }
  }

  /// The states of a service so far, with the numbers of its attempts.
  private func states(_ service: String) -> [String] {
    changes.entries.filter { $0.service == service }.map { "\($0.state) \($0.attempt)" }
  }

  @Test("A service that fails starts again after a pause, with a new context and a new lifetime")
  func fresh() async throws {
    let token = observe()
    let contexts = Log<AppServiceContext>()
    let log = stage.log
    try stage.add("feed", { $0.onThrow = .restart(RestartPolicy()) }) { context in
      contexts.append(context)
      context.lifetime.onEnd { log.append("lifetime \(context.attempt) ended") }
      context.onShutdown { log.append("asked in \(context.attempt)") }
      if context.attempt < 3 { throw Failed(name: "attempt \(context.attempt)") }
      try await context.waitUntilShutdown()
    }
    let running = try await stage.startUntilActive()
    await stage.passTime { states("feed").last == "ready 3" }
    #expect(
      states("feed") == [
        "starting 1", "ready 1", "pausing 1", "starting 2", "ready 2", "pausing 2", "starting 3",
        "ready 3",
      ]
    )
    #expect(
      changes.entries.compactMap { ($0.error as? Failed)?.name } == ["attempt 1", "attempt 2"]
    )
    #expect(changes.entries.filter { $0.state == .pausing }.allSatisfy { $0.error != nil })
    #expect(
      stage.messages.entries == [
        "Service \"feed\" has failed and starts again in 100 ms, restart 1 in a row: attempt 1 failed.",
        "Service \"feed\" has failed and starts again in 200 ms, restart 2 in a row: attempt 2 failed.",
      ]
    )
    #expect(contexts.entries.map(\.lifetime.hasEnded) == [true, true, false])
    // The request reaches the attempt that runs, and no other.
    #expect(log.entries == ["lifetime 1 ended", "lifetime 2 ended"])
    #expect(try await stage.stop(running) == 0)
    #expect(log.entries.dropFirst(2) == ["lifetime 3 ended", "asked in 3"])
    token.cancel()
  }

  @Test("A context of an earlier attempt changes nothing")
  func staleContext() async throws {
    let contexts = Log<AppServiceContext>()
    let isSecond = ManualLatch()
    try stage.add(
      "feed",
      {
        $0.reportsReadiness = true
        $0.onThrow = .restart(RestartPolicy())
      }
    ) { context in
      contexts.append(context)
      if context.attempt == 1 { throw Failed(name: "first") }
      isSecond.open()
      try await context.waitUntilShutdown()
    }
    let running = stage.start()
    await stage.passTime { isSecond.isOpen }
    let (first, second) = (contexts.entries[0], contexts.entries[1])
    first.markReady()
    #expect(stage.app.services.map(\.isReady) == [false])
    second.markReady()
    try await stage.app.waitUntil(state: .active)
    first.markUnready()
    #expect(stage.app.services.map(\.isReady) == [true])
    #expect(try await stage.stop(running) == 0)
  }

  @Test("A service that fails too often in a row ends the run with its last error")
  func tooOften() async throws {
    let policy = RestartPolicy(pause: .seconds(1), growingBy: 1, limit: 2)
    try stage.add("good")
    try stage.add("bad", { $0.onThrow = .restart(policy) }) { context in
      throw Failed(name: "attempt \(context.attempt)")
    }
    let running = stage.start()
    await stage.passTime { stage.app.state == .terminated }
    let error = try await failure(of: running, as: AppHostError.self)
    let cause = try #require(error.errors.first as? AppServiceError)
    guard case .restartedTooOften("bad", let last) = cause.code else {
      Issue.record("threw \(cause)")
      return
    }
    #expect(last as? Failed == Failed(name: "attempt 3"))
    #expect(
      cause.description
        == "Service \"bad\" failed after as many restarts in a row as its policy allows: attempt 3 failed."
    )
    #expect(stage.log.entries == ["+good", "-good"])
  }

  @Test("An attempt that lasts long enough begins a new row, with the first pause")
  func newRow() async throws {
    let policy = RestartPolicy(pause: .seconds(1), limit: 1, resetAfter: .seconds(60))
    let token = observe()
    let mayFail = (0..<3).map { _ in ManualLatch() }
    try stage.add("feed", { $0.onThrow = .restart(policy) }) { context in
      if context.attempt > 3 { return try await context.waitUntilShutdown() }
      await mayFail[context.attempt - 1].wait()
      throw Failed(name: "\(context.attempt)")
    }
    let running = try await stage.startUntilActive()
    for (index, latch) in mayFail.enumerated() {
      await stage.clock.jumpAtRest(by: .seconds(60))
      latch.open()
      await stage.passTime { states("feed").last == "ready \(index + 2)" }
    }
    #expect(stage.messages.entries.count { $0.contains("in 1 s, restart 1 in a row") } == 3)
    #expect(try await stage.stop(running) == 0)
    token.cancel()
  }

  @Test("A service that returns starts again if its policy says so")
  func returns() async throws {
    let policy = RestartPolicy(pause: .zero, limit: 1)
    try stage.add("job", { $0.onReturn = .restart(policy) }) { [log = stage.log] context in
      log.append("\(context.attempt)")
    }
    let running = stage.start()
    await stage.passTime { stage.app.state == .terminated }
    let error = try await failure(of: running, as: AppHostError.self)
    #expect("\(error)".contains("Service \"job\" returned before shutdown was requested"))
    #expect(stage.log.entries == ["1", "2"])
    #expect(
      stage.messages.entries.first?.hasPrefix(
        "Service \"job\" has returned and starts again in 0 ns, restart 1 in a row: "
      ) == true
    )
  }

  @Test("Services wait for the first start of one that starts again, and not for later ones")
  func dependants() async throws {
    let token = observe()
    let mayFail = ManualLatch()
    try stage.add("web", after: ["database"])
    try stage.add(
      "database",
      {
        $0.reportsReadiness = true
        $0.onThrow = .restart(RestartPolicy())
      }
    ) { context in
      // It is not there yet.
      if context.attempt == 1 { throw Failed(name: "absent") }
      context.markReady()
      if context.attempt > 2 { return try await context.waitUntilShutdown() }
      await mayFail.wait()
      throw Failed(name: "lost")
    }
    let running = stage.start()
    _ = await changes.first(2)
    #expect(stage.app.state == .launching)
    #expect(stage.app.services.map { $0.state } == [nil, .pausing])
    await stage.passTime { stage.app.state == .active }
    #expect(stage.app.isReady)
    mayFail.open()
    _ = await changes.first(7)
    #expect(!stage.app.isReady)
    #expect(stage.app.state == .active)
    await stage.passTime { stage.app.isReady }
    #expect(stage.log.entries == ["+web"])
    #expect(try await stage.stop(running) == 0)
    #expect(stage.log.entries == ["+web", "-web"])
    token.cancel()
  }

  @Test(
    "A stop during a pause ends the service at once, and the error of its attempt is not a failure"
  )
  func stoppedInPause() async throws {
    let token = observe()
    let policy = RestartPolicy(pause: .seconds(30))
    try stage.add("feed", { $0.onThrow = .restart(policy) }) { _ in throw Failed(name: "feed") }
    let running = stage.start()
    _ = await changes.first(3)
    #expect(stage.app.services.map(\.state) == [.pausing])
    #expect(try await stage.stop(running) == 0)
    #expect(states("feed").last == "ended 1")
    token.cancel()
  }

  @Test("While the services stop, a service that would start again fails like any other")
  func failsInStop() async throws {
    try stage.add(
      "feed",
      { $0.onThrow = .restart(RestartPolicy()) },
      throwing: Failed(name: "feed")
    )
    let running = try await stage.startUntilActive()
    stage.app.shutdown()
    #expect(await errors(of: running) == ["feed failed"])
  }

  @Test("A service that misses its start is cancelled, and starts again when it has ended")
  func missedStart() async throws {
    let token = observe()
    try stage.add(
      "slow",
      {
        $0.reportsReadiness = true
        $0.startTimeout = .seconds(3)
        $0.onThrow = .restart(RestartPolicy(pause: .seconds(1)))
      }
    ) { context in
      if context.attempt > 1 { context.markReady() }
      try await context.waitUntilShutdown()
    }
    let running = stage.start()
    await stage.passTime { stage.app.state == .active }
    #expect(
      states("slow") == ["starting 1", "cancelled 1", "pausing 1", "starting 2", "ready 2"]
    )
    let pausing = try #require(changes.entries.first { $0.state == .pausing })
    #expect((pausing.error as? AppServiceError)?.kind == "notStarted")
    #expect(try await stage.stop(running) == 0)
    token.cancel()
  }

  @Test(
    "A service that misses its start and ignores its cancellation is abandoned, and ends the run"
  )
  func missedStartForGood() async throws {
    let mayEnd = ManualLatch()
    try stage.add(
      "slow",
      {
        $0.reportsReadiness = true
        $0.startTimeout = .seconds(3)
        $0.onThrow = .restart(RestartPolicy(limit: nil))
      }
    ) { _ in await waitStubbornly(mayEnd) }
    let running = stage.start()
    await stage.passTime { stage.app.state == .terminated }
    let error = try await failure(of: running, as: AppHostError.self)
    #expect(error.abandonedServices == ["slow"])
    mayEnd.open()
  }

  @Test("A group that fails starts again with all its services, under their names")
  func group() async throws {
    let token = observe()
    let log = stage.log
    let group = AppServiceGroup("storage")
    try group.add("cache", options: AppServiceOptions(reportsReadiness: true)) { context in
      context.markReady()
      try await context.waitUntilShutdown()
      log.append("-cache")
    }
    try group.add("index") { [counter = Counter()] context in
      if counter.add() == 1 { throw Failed(name: "index") }
      try await context.waitUntilShutdown()
      log.append("-index")
    }
    try stage.app.add(group, options: AppServiceOptions(onThrow: .restart(RestartPolicy())))
    let running = try await stage.startUntilActive()
    await stage.passTime { states("storage").last == "ready 2" }
    #expect(states("storage/index").suffix(2) == ["starting 1", "ready 1"])
    #expect(states("storage/cache").count { $0 == "starting 1" } == 2)
    #expect(
      stage.messages.entries.first?.contains("\"storage\" has failed and starts again") == true
    )
    #expect(log.entries == ["-cache"])
    #expect(try await stage.stop(running) == 0)
    #expect(log.entries == ["-cache", "-index", "-cache"])
    token.cancel()
  }

  @Test(
    "A group that restarted, and one that did not, release their services, which may refer to the group"
  )
  func released() async throws {
    for restarts in [true, false] {
      let tally = Tally()
      let stage = Stage()
      do {
        let group = AppServiceGroup("group")
        let probe = tally.probe()
        try group.add("member") { [counter = Counter()] context in
          withExtendedLifetime((group, probe)) {}
          if restarts, counter.add() == 1 { throw Failed(name: "member") }
          try await context.waitUntilShutdown()
        }
        let policy = RestartPolicy(pause: .zero)
        let options = AppServiceOptions(onThrow: restarts ? .restart(policy) : .fail)
        try stage.app.add(group, options: options)
      }
      let running = stage.start()
      await stage.passTime { stage.app.isReady && (!restarts || stage.messages.entries.count == 1) }
      await stage.passTime {
        stage.app.services.first?.attempt == (restarts ? 2 : 1) && stage.app.isReady
      }
      #expect(try await stage.stop(running) == 0)
      await until(tally.live == 0)
    }
  }

  @Test("A service that is not ready for a while is visible to probes, and changes nothing else")
  func unready() async throws {
    let token = observe()
    let contexts = Inbox<AppServiceContext>()
    try stage.add("feed", { $0.reportsReadiness = true }) { context in
      // Before it is ready, it cannot become unready.
      context.markUnready()
      context.markReady()
      contexts.append(context)
      try await context.waitUntilShutdown()
    }
    try stage.add("web")
    #expect(!stage.app.isReady)
    let running = try await stage.startUntilActive()
    #expect(stage.app.isReady)
    let context = await contexts.first(1)[0]
    context.markUnready()
    context.markUnready()
    #expect(!stage.app.isReady)
    #expect(stage.app.state == .active)
    #expect(stage.app.services.map(\.isReady) == [false, true])
    context.markReady()
    #expect(stage.app.isReady)
    context.markUnready()
    stage.app.shutdown()
    #expect(!stage.app.isReady)
    #expect(try await running.value == 0)
    context.markReady()
    #expect(
      states("feed") == [
        "starting 1", "ready 1", "unready 1", "ready 1", "unready 1", "stopping 1", "ended 1",
      ]
    )
    #expect(stage.log.entries == ["+web", "-web"])
    token.cancel()
  }
}
