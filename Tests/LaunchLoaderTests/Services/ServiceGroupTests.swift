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
    let options = AppServiceOptions(reportsReadiness: true)
    try group.add(name, options: options) { [log = stage.log] context in
      log.append("+\(name)")
      context.markReady()
      try await context.waitUntilShutdown()
      log.append("-\(name)")
      if let error { throw error }
    }
  }

  /// Adds the group so that the application is active only when the group's services run.
  private func addGroup(_ another: AppServiceGroup? = nil) throws {
    var options = AppServiceOptions()
    options.reportsReadiness = true
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
      await errors(of: stage.start()) == ["Service group \"group\" failed: y failed. x failed."]
    )
  }

  @Test("A group that shuts down by itself returns, and its options decide about the application")
  func ownShutdown() async throws {
    try addInside("x")
    try stage.app.add(
      group,
      options: AppServiceOptions(onReturn: .shutdown, reportsReadiness: true)
    )
    let running = try await stage.startUntilActive()
    group.shutdown()
    #expect(try await running.value == 0)
    #expect(stage.log.entries == ["+x", "-x"])
  }

  @Test("An error thrown by a service of a group is posted, even if the group ignores it")
  func failuresArePosted() async throws {
    let failures = Log<String>()
    let token = stage.bus.observeFailures { failures.append("\($0): \($1)") }
    try group.add("x", options: AppServiceOptions(onThrow: .ignore)) { _ in throw Failed(name: "x")
    }
    try addInside("y")
    try addGroup()
    _ = try await stage.runOnce()
    #expect(failures.entries == ["group/x: x failed"])
    token.cancel()
  }
}
