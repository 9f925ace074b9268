import EventBus
import EventBusTesting
import LaunchLoader
import TestSupport
import Testing

@Suite("Service groups", .timeLimit(.minutes(5)))
struct ServiceGroupTests {
  let stage = Stage()
  let group = AppServiceGroup("group")

  private func addInside(_ name: String, throwing error: (any Error)? = nil) throws {
    try group.add(name) { [log = stage.log] context in
      log.append("+\(name)")
      try await context.untilShutdown()
      log.append("-\(name)")
      if let error { throw error }
    }
  }

  /// Adds the group so that the application is active only when the group's services run.
  private func addGroup(_ another: AppServiceGroup? = nil) throws {
    var options = AppServiceOptions()
    options.waitsForReady = true
    try stage.app.add(another ?? group, options: options)
  }

  @Test("A group starts and stops in its position, and its services in theirs")
  func nesting() async throws {
    try stage.add("a")
    try addInside("x")
    try addInside("y")
    try addGroup()
    try stage.add("b")
    _ = try await stage.runOnce()
    #expect(stage.log.entries == ["+a", "+x", "+y", "+b", "-b", "-y", "-x", "-a"])
  }

  @Test("A group's errors are one error of the application that contains all of them")
  func failing() async throws {
    try addInside("x", throwing: Failed(name: "x"))
    try group.add("y") { _ in throw Failed(name: "y") }
    try stage.app.add(group)
    #expect(
      await errors(of: stage.start()) == ["service group \"group\" failed: y failed; x failed"]
    )
  }

  @Test("Cancelling the application cancels the services of its groups")
  func cancellation() async throws {
    let log = stage.log
    try group.add("x") { context in
      do { try await context.untilShutdown() } catch {
        log.append("x cancelled")
        throw error
      }
    }
    try addGroup()
    let running = try await stage.startUntilActive()
    running.cancel()
    await #expect(throws: CancellationError.self) { try await running.value }
    #expect(log.entries == ["x cancelled"])
  }

  @Test("A group that shuts down by itself returns, and its options decide about the application")
  func ownShutdown() async throws {
    try addInside("x")
    try stage.app.add(group, options: AppServiceOptions(onReturn: .shutdown, waitsForReady: true))
    let running = try await stage.startUntilActive()
    group.shutdown()
    #expect(try await running.value == 0)
    #expect(stage.log.entries == ["+x", "-x"])
  }

  @Test("A service that delays its group's start is named after the group", arguments: [1, 2])
  func slowStart(depth: Int) async throws {
    let clock = stage.clock
    let (isEntered, mayBeReady) = (ManualLatch(), ManualLatch())
    let inner = AppServiceGroup("inner")
    var slow = AppServiceOptions()
    slow.waitsForReady = true
    try inner.add("x", options: slow) { context in
      isEntered.open()
      await mayBeReady.wait()
      context.markReady()
      try await context.untilShutdown()
    }
    let outer = AppServiceGroup("outer", clock: TestClock())
    if depth == 2 { try outer.add(inner, options: slow) }
    try addGroup(depth == 2 ? outer : inner)
    let running = stage.start()
    await isEntered.wait()
    await clock.waitForSleepers(atLeast: 1)
    await clock.jumpAtRest(by: .seconds(5))
    let path = depth == 2 ? "outer/inner/x" : "inner/x"
    #expect(
      await stage.messages.first(1) == ["waiting for service \"\(path)\" to start, for 5 s now"]
    )
    mayBeReady.open()
    try await stage.app.waitUntil(state: .active)
    #expect(try await stage.stop(running) == 0)
  }

  @Test("An error thrown by a service of a group is posted, even if the group ignores it")
  func failuresArePosted() async throws {
    let failures = Log<String>()
    let token = stage.bus.observe(.appServiceDidFail) {
      failures.append("\($0.service): \($0.error)")
    }
    try group.add("x", options: AppServiceOptions(onThrow: .ignore)) { _ in throw Failed(name: "x")
    }
    try addInside("y")
    try addGroup()
    _ = try await stage.runOnce()
    #expect(failures.entries == ["group/x: x failed"])
    token.cancel()
  }
}
