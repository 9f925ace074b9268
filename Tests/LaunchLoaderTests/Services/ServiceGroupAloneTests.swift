import EventBus
import EventBusTesting
import LaunchLoader
import TestSupport
import Testing

@Suite("A group by itself", .timeLimit(.minutes(5)))
struct ServiceGroupAloneTests {
  let clock = TestClock()
  let log = Log<String>()
  let messages = Inbox<String>()

  /// A group on the clock of the test, with one service.
  private func group(
    _ options: AppServiceOptions = AppServiceOptions(reportsReadiness: true),
    run body: @escaping @Sendable (AppServiceContext) async throws -> Void
  ) throws -> AppServiceGroup {
    let group = AppServiceGroup("group", clock: clock)
    try group.add("a", options: options, run: body)
    return group
  }

  private func start(_ group: AppServiceGroup) throws(AppServiceError) {
    try group.start { [messages] in messages.append($0.description) }
  }

  /// A service that notes its start and the request to stop.
  private func noting(_ name: String) -> @Sendable (AppServiceContext) async throws -> Void {
    { [log] context in
      log.append("+\(name)")
      context.markReady()
      try await context.waitUntilShutdown()
      log.append("-\(name)")
    }
  }

  /// The errors that ended a group.
  private func errors(_ group: AppServiceGroup) async throws -> [any Error] {
    let error = await #expect(throws: AppServiceError.self) { try await group.waitUntilStopped() }
    guard case .failed("group", let errors) = try #require(error).code else {
      Issue.record("threw \(String(describing: error))")
      return []
    }
    return errors
  }

  @Test("A group that is started becomes ready, and stops in reverse order when it is asked to")
  func wholeRun() async throws {
    let group = try group(run: noting("a"))
    try group.add("b", options: AppServiceOptions(reportsReadiness: true), run: noting("b"))
    #expect(log.entries.isEmpty)
    try start(group)
    try await group.waitUntilReady()
    try await group.waitUntilReady()
    #expect(log.entries == ["+a", "+b"])
    group.shutdown()
    group.shutdown()
    try await group.waitUntilStopped()
    try await group.waitUntilStopped()
    try await group.waitUntilReady()
    #expect(log.entries == ["+a", "+b", "-b", "-a"])
    #expect(messages.entries.isEmpty)
    await until(clock.sleeperCount == 0)
  }

  @Test("A group is ready when its services have called markReady()")
  func readiness() async throws {
    let mayBeReady = ManualLatch()
    let group = try group { [log] context in
      await mayBeReady.wait()
      log.append("ready")
      context.markReady()
      try await context.waitUntilShutdown()
    }
    try start(group)
    let waiting = Task { [log] in
      try await group.waitUntilReady()
      log.append("waited")
    }
    await rest()
    mayBeReady.open()
    try await waiting.value
    #expect(log.entries == ["ready", "waited"])
    group.shutdown()
    try await group.waitUntilStopped()
  }

  @Test("A group cannot be started twice, nor after it was added or ran as a service")
  func oneUse() async throws {
    let group = try group(run: noting("a"))
    try start(group)
    #expect(serviceErrorKind { () throws(AppServiceError) in try start(group) } == "alreadyRan")
    group.shutdown()
    try await group.waitUntilStopped()
    #expect(serviceErrorKind { () throws(AppServiceError) in try start(group) } == "alreadyRan")
    let stage = Stage()
    try stage.app.add(group)
    #expect(await LaunchLoaderTests.errors(of: stage.start()).count == 1)
    let added = AppServiceGroup("added")
    try AppServiceGroup("outer").add(added)
    #expect(serviceErrorKind { () throws(AppServiceError) in try start(added) } == "alreadyRan")
    let hosted = AppServiceGroup("hosted")
    try Stage().app.add(hosted)
    #expect(serviceErrorKind { () throws(AppServiceError) in try start(hosted) } == "alreadyRan")
  }

  @Test("The error of a service fails the group, and the wait for readiness if it was not ready")
  func throwing() async throws {
    let early = try group { _ in throw Failed(name: "a") }
    try start(early)
    await #expect(throws: AppServiceError.self) { try await early.waitUntilReady() }
    #expect(try await errors(early) as? [Failed] == [Failed(name: "a")])
    let late = try group { context in
      context.markReady()
      try await context.waitUntilShutdown()
      throw Failed(name: "a")
    }
    try start(late)
    try await late.waitUntilReady()
    late.shutdown()
    #expect(try await errors(late) as? [Failed] == [Failed(name: "a")])
    try await late.waitUntilReady()
  }

  @Test("A group that ends in order before it is ready was not ready, and has not failed")
  func stoppedBeforeReady() async throws {
    let isEntered = ManualLatch()
    let group = try group { context in
      isEntered.open()
      try await context.waitUntilShutdown()
    }
    try start(group)
    await isEntered.wait()
    group.shutdown()
    let error = await #expect(throws: AppServiceError.self) { try await group.waitUntilReady() }
    #expect(error?.kind == "endedBeforeReady")
    try await group.waitUntilStopped()
  }

  @Test("A group without services, or stopped before its start, ends without an error")
  func nothingToRun() async throws {
    let empty = AppServiceGroup("group")
    try start(empty)
    try await empty.waitUntilReady()
    try await empty.waitUntilStopped()
    let stopped = try group(run: noting("a"))
    stopped.shutdown()
    try start(stopped)
    try await stopped.waitUntilStopped()
    #expect(log.entries.isEmpty)
  }

  @Test(
    "Cancelling a group cancels its services, even before they are ready and during the stop",
    arguments: 0..<3
  )
  func cancelling(moment: Int) async throws {
    let (isEntered, isAsked) = (ManualLatch(), ManualLatch())
    let group = try group { [log] context in
      context.onShutdown { isAsked.open() }
      isEntered.open()
      if moment > 0 { context.markReady() }
      await ManualLatch().wait()
      log.append("cancelled: \(Task.isCancelled)")
      try Task.checkCancellation()
    }
    try start(group)
    await isEntered.wait()
    if moment == 2 {
      group.shutdown()
      await isAsked.wait()
    }
    group.cancel()
    try await group.waitUntilStopped()
    #expect(log.entries == ["cancelled: true"])
    #expect(messages.entries == ["Service \"a\" is cancelled."])
  }

  @Test("A task that waits for a group can be cancelled without an effect on the group")
  func cancelledWaits() async throws {
    let mayBeReady = ManualLatch()
    let group = try group { [log] context in
      await mayBeReady.wait()
      context.markReady()
      try await context.waitUntilShutdown()
      log.append("cancelled: \(Task.isCancelled)")
    }
    try start(group)
    let waits = [
      Task { try await group.waitUntilReady() }, Task { try await group.waitUntilStopped() },
    ]
    for wait in waits {
      wait.cancel()
      #expect(await isCancelled { try await wait.value })
    }
    mayBeReady.open()
    try await group.waitUntilReady()
    group.shutdown()
    try await group.waitUntilStopped()
    #expect(log.entries == ["cancelled: false"])
  }

  @Test("A group stopped at once ends, whether or not its service was entered")
  func stoppedAtOnce() async throws {
    for _ in 0..<200 {
      let group = try group(run: noting("a"))
      try start(group)
      group.shutdown()
      try await group.waitUntilStopped()
    }
    #expect(log.entries.count { $0 == "+a" } == log.entries.count { $0 == "-a" })
  }

  @Test("Releasing a group that runs by itself cancels its services, and a message reports that")
  func releasedEarly() async throws {
    let hasEnded = ManualLatch()
    do {
      let group = try group { context in
        context.markReady()
        await ManualLatch().wait()
        if Task.isCancelled { hasEnded.open() }
      }
      try start(group)
      try await group.waitUntilReady()
      withExtendedLifetime(group) {}
    }
    await hasEnded.wait()
    #expect(
      await messages.first(2) == [
        "The AppServiceGroup \"group\" was released. Keep it until waitUntilStopped() has returned.",
        "Service \"a\" is cancelled.",
      ]
    )
  }

  @Test("A slow start is named after 5 s and then every 10 s, with the name of the service alone")
  func slowStart() async throws {
    let (isEntered, mayBeReady) = (ManualLatch(), ManualLatch())
    let group = try group { context in
      isEntered.open()
      await mayBeReady.wait()
      context.markReady()
      try await context.waitUntilShutdown()
    }
    try start(group)
    await isEntered.wait()
    for (index, seconds) in [5, 10, 10].enumerated() {
      await clock.waitForSleepers(atLeast: 1)
      await clock.jumpAtRest(by: .seconds(seconds))
      _ = await messages.first(index + 1)
    }
    let said = [5, 15, 25].map {
      "Still waiting, after \($0) s, for service \"a\" to start: it has not called markReady()."
    }
    #expect(messages.entries == said)
    mayBeReady.open()
    try await group.waitUntilReady()
    await until(clock.sleeperCount == 0)
    group.shutdown()
    try await group.waitUntilStopped()
    #expect(messages.entries.count == 3)
  }

  @Test(
    "By default, a group has 20 s to stop and 5 s to end: reported, cancelled, abandoned"
  )
  func timeLimits() async throws {
    let (mayEnd, isAsked) = (ManualLatch(), ManualLatch())
    let group = try group { context in
      context.onShutdown { isAsked.open() }
      context.markReady()
      await waitStubbornly(mayEnd)
    }
    try start(group)
    try await group.waitUntilReady()
    await clock.jumpAtRest(by: .seconds(3_600))
    group.shutdown()
    await isAsked.wait()
    for (seconds, count) in [(5, 1), (10, 2), (5, 3)] {
      await clock.waitForSleepers(atLeast: 1)
      await clock.jumpAtRest(by: .seconds(seconds))
      _ = await messages.first(count)
    }
    await clock.waitForSleepers(atLeast: 1)
    await clock.jumpAtRest(by: .seconds(5))
    let errors = try await errors(group)
    #expect((errors.first as? AppServiceError)?.kind == "abandoned")
    let said = messages.entries
    #expect(
      Array(said.prefix(3)) == [
        "Still waiting, after 5 s, for service \"a\" to stop.",
        "Still waiting, after 15 s, for service \"a\" to stop.",
        "Service \"a\" is cancelled: it did not stop within 20 s.",
      ]
    )
    #expect(
      said.last?.hasPrefix("Service \"a\" did not stop: it ignored cancellation for 5 s") == true
    )
    mayEnd.open()
  }

  @Test(
    "A service that is added while another thread starts the group runs; after the end, it is refused"
  )
  func addedDuringTheStart() async throws {
    for _ in 0..<100 {
      let group = AppServiceGroup("group", clock: clock)
      let running = Inbox<String>()
      let body: @Sendable (AppServiceContext) async throws -> Void = { context in
        running.append("run")
        try await context.waitUntilShutdown()
      }
      try group.add("first", run: body)
      let adding = Task.detached {
        for number in 0..<20 { try group.add("\(number)", run: body) }
      }
      try group.start()
      try await adding.value
      _ = await running.first(21)
      group.shutdown()
      try await group.waitUntilStopped()
      #expect(
        serviceErrorKind { () throws(AppServiceError) in try group.add("late", run: body) }
          == "stopped"
      )
    }
  }
}
