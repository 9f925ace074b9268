import EventBus
import LaunchLoader
import TestSupport
import Testing

@Suite("Adding services at any time", .timeLimit(.minutes(5)))
struct ServiceAddingTests {
  let stage = Stage()

  @Test("A service added while others run starts at once and stops first")
  func whileRunning() async throws {
    try stage.add("a")
    let running = stage.start()
    try await stage.app.waitUntil(state: .active)
    let hasStarted = ManualLatch()
    let log = stage.log
    try stage.add("b") { context in
      log.append("+b")
      hasStarted.open()
      try await context.untilShutdown()
      log.append("-b")
    }
    await hasStarted.wait()
    stage.app.shutdown()
    _ = try await running.value
    #expect(log.entries == ["+a", "+b", "-b", "-a"])
  }

  @Test("A service added by a service or by launch work runs with the others")
  func fromInside() async throws {
    stage.loader.register { [stage] _ in try stage.add("from launch") }
    try stage.add("a") { [stage] context in
      try stage.add("from a")
      try await context.untilShutdown()
    }
    _ = try await stage.runOnce()
    #expect(
      stage.log.entries == ["+from launch", "+from a", "-from a", "-from launch"]
    )
  }

  @Test("A service added during or after the stop is refused")
  func whileStopping() async throws {
    let refusals = Log<String?>()
    let app = stage.app
    try stage.add("a") { context in
      try await context.untilShutdown()
      refusals.append(serviceErrorKind { () throws(AppServiceError) in try app.add("b") { _ in } })
    }
    _ = try await stage.runOnce()
    refusals.append(serviceErrorKind { () throws(AppServiceError) in try app.add("b") { _ in } })
    #expect(refusals.entries == ["stopping", "stopping"])
  }

  @Test("A service added after a shutdown requested before the run is refused")
  func afterEarlyShutdown() throws {
    stage.app.shutdown()
    let app = stage.app
    #expect(
      serviceErrorKind { () throws(AppServiceError) in try app.add("b") { _ in } } == "stopping"
    )
  }

  @Test("A duplicate name is refused, before and during the run")
  func duplicates() async throws {
    let app = stage.app
    try stage.add("a")
    #expect(
      serviceErrorKind { () throws(AppServiceError) in try app.add("a") { _ in } } == "duplicate"
    )
    let running = stage.start()
    try await app.waitUntil(state: .active)
    #expect(
      serviceErrorKind { () throws(AppServiceError) in try app.add("a") { _ in } } == "duplicate"
    )
    app.shutdown()
    #expect(try await running.value == 0)
  }

  @Test("During the run, a dependency on an unknown service or on itself is refused at once")
  func edgesWhileRunning() async throws {
    let app = stage.app
    try stage.add("a")
    try stage.add("b", after: ["a"])
    let running = stage.start()
    try await app.waitUntil(state: .active)
    var options = AppServiceOptions()
    options.after = ["missing"]
    let unknown = options
    #expect(
      serviceErrorKind { () throws(AppServiceError) in try app.add("c", options: unknown) { _ in } }
        == "unknown"
    )
    options.after = ["c"]
    let cycle = options
    #expect(
      serviceErrorKind { () throws(AppServiceError) in try app.add("c", options: cycle) { _ in } }
        == "cycle"
    )
    app.shutdown()
    #expect(try await running.value == 0)
  }

  @Test("Short-lived services leave nothing behind")
  func comingAndGoing() async throws {
    try stage.add("a")
    let running = stage.start()
    try await stage.app.waitUntil(state: .active)
    let tally = Tally()
    let ended = Inbox<Int>()
    for number in 1...500 {
      let probe = tally.probe()
      try stage.add("guest \(number % 50)\(number)", { $0.onReturn = .ignore }) { _ in
        probe.touch()
        ended.append(number)
      }
      _ = await ended.first(number)
    }
    while tally.live > 1, !Task.isCancelled { await Task.yield() }
    stage.app.shutdown()
    #expect(try await running.value == 0)
  }
}
