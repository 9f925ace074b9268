import EventBus
import LaunchLoader
import TestSupport
import Testing

@Suite("Service order", .timeLimit(.minutes(5)))
struct ServiceOrderTests {
  let stage = Stage()

  @Test("A service is asked to stop after the one behind it has returned, not before")
  func strictlySerial() async throws {
    let mayEnd = ManualLatch()
    let log = stage.log
    try stage.add("a")
    try stage.add("b") { context in
      try await context.waitUntilShutdown()
      log.append("b winds up")
      await mayEnd.wait()
      log.append("-b")
    }
    let running = try await stage.startUntilActive()
    stage.app.shutdown()
    try await stage.app.waitUntil(state: .stopping)
    mayEnd.open()
    _ = try await running.value
    #expect(log.entries == ["+a", "b winds up", "-b", "-a"])
  }

  @Test("With dependencies, layers stop one after the other, and each layer all at once")
  func layers() async throws {
    let log = stage.log
    let bothStop = Inbox<String>()
    try stage.add("web", after: ["cache", "mail"])
    for name in ["cache", "mail"] {
      try stage.add(name, after: ["database"], { $0.reportsReadiness = true }) { context in
        log.append("+cache or mail")
        context.markReady()
        try await context.waitUntilShutdown()
        bothStop.append(name)
        // Neither returns before both were asked to stop.
        _ = await bothStop.first(2)
        log.append("-cache or mail")
      }
    }
    try stage.add("database")
    _ = try await stage.runOnce()
    #expect(
      log.entries == [
        "+database", "+cache or mail", "+cache or mail", "+web", "-web", "-cache or mail",
        "-cache or mail",
        "-database",
      ]
    )
  }

  @Test("Only started services are stopped")
  func onlyWhatStarted() async throws {
    let log = stage.log
    let isStarting = ManualLatch()
    try stage.add("a")
    try stage.add("b", { $0.reportsReadiness = true }) { context in
      isStarting.open()
      try await context.waitUntilShutdown()
      log.append("-b")
    }
    try stage.add("c")
    let running = stage.start()
    await isStarting.wait()
    #expect(try await stage.stop(running) == 0)
    #expect(log.entries == ["+a", "-b", "-a"])
  }

  @Test("A failed start stops the started services in reverse, and its error comes first")
  func failedStart() async throws {
    try stage.add("a", throwing: Failed(name: "a"))
    try stage.add("b")
    try stage.add("c", { $0.reportsReadiness = true }) { _ in throw Failed(name: "c") }
    try stage.add("d")
    #expect(await errors(of: stage.start()) == ["c failed", "a failed"])
    #expect(stage.log.entries == ["+a", "+b", "-b", "-a"])
  }

  @Test("A failed start is never ignored, whatever the options")
  func failedStartIsNotIgnored() async throws {
    try stage.add(
      "a",
      {
        $0.reportsReadiness = true
        $0.onReturn = .ignore
      }
    ) { _ in }
    try stage.add("b")
    #expect(
      await errors(of: stage.start()) == [
        "Service \"a\" ended before it was ready. Call markReady() on its context first."
      ]
    )
    #expect(stage.log.entries.isEmpty)
  }

  @Test("A dependency cycle is refused with its path before any service starts")
  func cycle() async throws {
    try stage.add("a", after: ["b"])
    try stage.add("b", after: ["a"])
    let errors = await errors(of: stage.start())
    #expect(errors.count == 1)
    #expect(errors[0].contains("a → b → a"))
    #expect(stage.log.entries.isEmpty)
    #expect(stage.app.state == .terminated)
  }

  @Test("A thousand services that wait for each other's readiness start and stop without recursion")
  func longLine() async throws {
    for index in 0..<1_000 { try stage.add("\(index)", { $0.reportsReadiness = true }) }
    _ = try await stage.runOnce()
    let numbers = (0..<1_000).map { "\($0)" }
    #expect(stage.log.entries == numbers.map { "+" + $0 } + numbers.reversed().map { "-" + $0 })
  }
}
