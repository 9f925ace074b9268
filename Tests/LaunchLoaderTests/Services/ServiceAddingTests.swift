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
    let running = try await stage.startUntilActive()
    let hasStarted = ManualLatch()
    let log = stage.log
    try stage.add("b") { context in
      log.append("+b")
      hasStarted.open()
      try await context.waitUntilShutdown()
      log.append("-b")
    }
    await hasStarted.wait()
    try await stage.stop(running)
    #expect(log.entries == ["+a", "+b", "-b", "-a"])
  }

  @Test("A service added by a service or by launch work runs with the others")
  func fromInside() async throws {
    stage.loader.register { [stage] _ in try stage.add("from launch") }
    try stage.add("a") { [stage] context in
      try stage.add("from a")
      try await context.waitUntilShutdown()
    }
    _ = try await stage.runOnce()
    #expect(
      stage.log.entries == ["+from launch", "+from a", "-from a", "-from launch"]
    )
  }

  @Test("A service added after the request to stop, before, during or after the run, is refused")
  func whileStopping() async throws {
    let refusals = Log<String?>()
    let (app, ended) = (stage.app, Stage().app)
    ended.shutdown()
    refusals.append(serviceErrorKind { () throws(AppServiceError) in try ended.add("b") { _ in } })
    try stage.add("a") { context in
      try await context.waitUntilShutdown()
      refusals.append(serviceErrorKind { () throws(AppServiceError) in try app.add("b") { _ in } })
    }
    _ = try await stage.runOnce()
    refusals.append(serviceErrorKind { () throws(AppServiceError) in try app.add("b") { _ in } })
    #expect(refusals.entries == ["stopped", "stopped", "stopped"])
  }

  @Test(
    "During the run, a duplicate and a dependency on an unknown service or on itself are refused"
  )
  func edgesWhileRunning() async throws {
    let app = stage.app
    try stage.add("a")
    try stage.add("b", after: ["a"])
    #expect(
      serviceErrorKind { () throws(AppServiceError) in try app.add("a") { _ in } } == "duplicate"
    )
    let running = try await stage.startUntilActive()
    var options = AppServiceOptions()
    options.after = ["missing"]
    let unknown = options
    #expect(
      serviceErrorKind { () throws(AppServiceError) in try app.add("a") { _ in } } == "duplicate"
    )
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
    #expect(try await stage.stop(running) == 0)
  }

  @Test("Short-lived services leave nothing behind")
  func comingAndGoing() async throws {
    try stage.add("a")
    let running = try await stage.startUntilActive()
    let tally = Tally()
    let ended = Inbox<Int>()
    for number in 1...size(100, full: 500) {
      let probe = tally.probe()
      try stage.add("guest \(number % 50)\(number)", { $0.onReturn = .ignore }) { _ in
        probe.touch()
        ended.append(number)
      }
      _ = await ended.first(number)
    }
    await until(tally.live <= 1)
    #expect(try await stage.stop(running) == 0)
  }
}
