import EventBus
import EventBusTesting
import LaunchLoader
import TestSupport
import Testing

@Suite("Ends of service groups", .timeLimit(.minutes(5)))
struct ServiceGroupEndTests {
  /// What makes a group stop by itself.
  enum Cause: CaseIterable, Sendable {
    case error, cancellingReturn, failedStart
  }

  let stage = Stage(stopTimeout: .seconds(2), cancelTimeout: .seconds(1))
  let never = ManualLatch()
  let mayFail = ManualLatch()

  /// Creates a group with default limits, of a service that ignores everything and one that ends for a cause.
  private func group(_ cause: Cause, named name: String = "storage") throws -> AppServiceGroup {
    let group = AppServiceGroup(name)
    try group.add("deaf") { [never] _ in await waitStubbornly(never) }
    switch cause {
    case .error:
      try group.add("ends") { [mayFail] _ in
        await mayFail.wait()
        throw Failed(name: "ends")
      }
    case .cancellingReturn:
      try group.add("ends", options: AppServiceOptions(onReturn: .cancel)) { [mayFail] _ in
        await mayFail.wait()
      }
    case .failedStart:
      try group.add("ends", options: AppServiceOptions(reportsReadiness: true)) { [mayFail] _ in
        await mayFail.wait()
        throw Failed(name: "ends")
      }
    }
    return group
  }

  /// Returns the descriptions of the error of the service that ends and of the deaf one.
  private func causes(_ cause: Cause, path: String, limit: String) -> String {
    let first =
      switch cause {
      case .error, .failedStart: "ends failed."
      case .cancellingReturn:
        "Service \"ends\" returned before shutdown was requested."
          + " Set onReturn to .shutdown or .ignore if that is intended."
      }
    return "\(first) Service \"\(path)/deaf\" did not stop:"
      + " it ignored cancellation for \(limit) and was abandoned."
  }

  /// Lets time pass until a task has ended, for a minute at most.
  ///
  /// - Returns: The result; `nil` if the task did not end.
  private func result<Value: Sendable>(
    of task: Task<Value, any Error>
  ) async -> Result<Value, any Error>? {
    let end = Inbox<Result<Value, any Error>>()
    Task { end.append(await task.result) }
    await stage.passTime(atMost: 60) { !end.entries.isEmpty }
    let result = end.entries.first
    if result == nil { never.open() }
    return result
  }

  private func error<Value: Sendable, Failure: Error>(
    of task: Task<Value, any Error>,
    as type: Failure.Type
  ) async throws -> Failure {
    let end = try #require(await result(of: task), "the run does not end")
    guard case .failure(let error) = end else { throw Failed(name: "the expectation") }
    return try #require(error as? Failure)
  }

  @Test(
    "A group that stops by itself ends the application within the application's limits",
    arguments: Cause.allCases,
    [1, 3]
  )
  func ownStop(cause: Cause, depth: Int) async throws {
    let options = AppServiceOptions(reportsReadiness: true)
    var outermost = try group(cause)
    var path = "storage"
    for level in 1..<depth {
      let outer = AppServiceGroup("level \(level)")
      try outer.add(outermost, options: options)
      outermost = outer
      path = "level \(level)/\(path)"
    }
    try stage.app.add(outermost, options: options)
    let running = stage.start()
    if cause != .failedStart { try await stage.app.waitUntil(state: .active) }
    mayFail.open()
    let failure = try await error(of: running, as: AppHostError.self)
    #expect(failure.abandonedServices == ["\(path)/deaf"])
    var text = causes(cause, path: path, limit: "1 s")
    for name in path.split(separator: "/").reversed() {
      text = "Service group \"\(name)\" failed: \(text)"
    }
    #expect(failure.errors.map { "\($0)" } == [text])
    #expect(
      stage.messages.entries.filter { !$0.hasPrefix("Still waiting") }
        .map { $0.prefix { $0 != ":" && $0 != "." } }
        == ["Service \"\(path)/deaf\" is cancelled", "Service \"\(path)/deaf\" did not stop"]
    )
    never.open()
  }

  @Test(
    "A group that stops by itself ends its ServiceRun within the limits of the run",
    arguments: Cause.allCases
  )
  func ownStopAlone(cause: Cause) async throws {
    let run = try LoneService(
      try group(cause),
      stopTimeout: .seconds(2),
      cancelTimeout: .seconds(1),
      clock: stage.clock,
      onMessage: { [messages = stage.messages] in messages.append($0.description) }
    )
    mayFail.open()
    let failure = try await error(of: Task { try await run.wait() }, as: AppServiceError.self)
    let text = causes(cause, path: "storage", limit: "1 s")
    #expect(failure.description == "Service group \"storage\" failed: \(text)")
    never.open()
  }

  @Test(
    "The errors of a group that the application abandons are errors of the run",
    arguments: [1, 2]
  )
  func abandoned(depth: Int) async throws {
    let group = AppServiceGroup("storage")
    try group.add("deaf") { [never] _ in await waitStubbornly(never) }
    try group.add("throws") { context in
      try await context.waitUntilShutdown()
      throw Failed(name: "throws")
    }
    var options = AppServiceOptions(reportsReadiness: true)
    options.stopTimeout = .seconds(1)
    if depth == 2 {
      let outer = AppServiceGroup("outer")
      try outer.add(group, options: options)
      try stage.app.add(outer, options: options)
    } else {
      try stage.app.add(group, options: options)
    }
    let running = try await stage.startUntilActive()
    stage.app.shutdown()
    let failure = try await error(of: running, as: AppHostError.self)
    let path = depth == 2 ? "outer/storage" : "storage"
    #expect(failure.abandonedServices == ["\(path)/deaf"])
    let description = "\(failure)"
    #expect(description.contains("throws failed"))
    #expect(description.contains("Service \"\(path)/deaf\" did not stop"))
    // The service is named; its groups are not.
    #expect(stage.messages.entries.count { $0.contains("was abandoned") } == 1)
    never.open()
  }

  @Test("A service that hangs after the group that it runs is abandoned under its own name")
  func wrapper() async throws {
    let group = AppServiceGroup("storage")
    try group.add("a") { try await $0.waitUntilShutdown() }
    let hasEnded = ManualLatch()
    try stage.add("wrapper", { $0.reportsReadiness = true }) { [never] context in
      try await group.run(context)
      hasEnded.open()
      await waitStubbornly(never)
    }
    let running = try await stage.startUntilActive()
    stage.app.shutdown()
    await hasEnded.wait()
    let failure = try await error(of: running, as: AppHostError.self)
    #expect(failure.abandonedServices == ["wrapper"])
    never.open()
  }

  @Test("A group's own limits apply to its own stop, on its own clock")
  func ownLimits() async throws {
    let clock = TestClock()
    let group = AppServiceGroup(
      "storage",
      stopTimeout: .seconds(100),
      cancelTimeout: .seconds(50),
      clock: clock
    )
    try group.add("deaf") { [never] _ in await waitStubbornly(never) }
    try group.add("fails") { [mayFail] _ in
      await mayFail.wait()
      throw Failed(name: "fails")
    }
    try stage.app.add(group, options: AppServiceOptions(reportsReadiness: true))
    let running = try await stage.startUntilActive()
    mayFail.open()
    await clock.waitForSleepers(atLeast: 1)
    await clock.jumpAtRest(by: .seconds(100))
    _ = await stage.messages.first(1)
    await clock.waitForSleepers(atLeast: 1)
    await clock.jumpAtRest(by: .seconds(50))
    let failure = try await error(of: running, as: AppHostError.self)
    #expect(failure.abandonedServices == ["storage/deaf"])
    #expect(
      stage.messages.entries.first { $0.contains("cancelled") }
        == "Service \"storage/deaf\" is cancelled: it did not stop within 100 s."
    )
    never.open()
  }

  @Test("A group without services is ready and ends, and its options decide about the application")
  func empty() async throws {
    let options = AppServiceOptions(onReturn: .shutdown, reportsReadiness: true)
    try stage.app.add(AppServiceGroup("empty"), options: options)
    let end = try #require(await result(of: stage.start()), "the run does not end")
    #expect(try end.get() == 0)
    let alone = try LoneService(AppServiceGroup("empty"), clock: stage.clock)
    let wait = Task {
      try await alone.waitUntilReady()
      try await alone.wait()
    }
    _ = try #require(await result(of: wait), "the run does not end").get()
  }
}

/// The messages about groups.
extension ServiceGroupEndTests {
  @Test(
    "While the application waits for a group, one message names the group's service, on its clock",
    arguments: [1, 2]
  )
  func messagesOfTheApplication(depth: Int) async throws {
    let stage = Stage()
    let (isAsked, mayEnd) = (ManualLatch(), ManualLatch())
    let group = AppServiceGroup("storage", clock: TestClock())
    try group.add("slow") { context in
      context.onShutdown { isAsked.open() }
      await waitStubbornly(mayEnd)
    }
    let options = AppServiceOptions(reportsReadiness: true)
    if depth == 2 {
      let outer = AppServiceGroup("outer")
      try outer.add(group, options: options)
      try stage.app.add(outer, options: options)
    } else {
      try stage.app.add(group, options: options)
    }
    let running = try await stage.startUntilActive()
    stage.app.shutdown()
    await isAsked.wait()
    await stage.passTime(atMost: 16) { stage.messages.entries.count > 1 }
    let path = depth == 2 ? "outer/storage/slow" : "storage/slow"
    #expect(
      stage.messages.entries
        == [5, 15].map { "Still waiting, after \($0) s, for service \"\(path)\" to stop." }
    )
    mayEnd.open()
    #expect(try await running.value == 0)
    await until(stage.clock.sleeperCount == 0)
  }

  @Test("While a group stops by itself, its messages follow the application's clock")
  func messagesOfAnOwnStop() async throws {
    let stage = Stage()
    let mayEnd = ManualLatch()
    let group = AppServiceGroup("storage")
    try group.add("slow") { _ in await waitStubbornly(mayEnd) }
    try stage.add("a") { $0.reportsReadiness = true }
    try stage.app.add(
      group,
      options: AppServiceOptions(onReturn: .shutdown, reportsReadiness: true)
    )
    let running = try await stage.startUntilActive()
    group.shutdown()
    await stage.passTime(atMost: 16) { stage.messages.entries.count > 1 }
    #expect(
      stage.messages.entries
        == [5, 15].map { "Still waiting, after \($0) s, for service \"storage/slow\" to stop." }
    )
    mayEnd.open()
    #expect(try await running.value == 0)
  }
}
