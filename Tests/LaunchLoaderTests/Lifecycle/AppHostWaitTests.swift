import EventBus
import EventBusTesting
import LaunchLoader
import TestSupport
import Testing

@Suite("Bounded waits of an application", .timeLimit(.minutes(5)))
struct AppHostWaitTests {
  @Test("Services are asked to stop after the announcement's asynchronous handlers")
  func asynchronousHandler() async throws {
    let stage = Stage()
    let log = stage.log
    let (hasBegun, mayEnd) = (ManualLatch(), ManualLatch())
    try stage.add("a")
    let token = stage.bus.observe(.willTerminate) { () async in
      hasBegun.open()
      await mayEnd.wait()
      log.append("saved")
    }
    let running = try await stage.startUntilActive()
    stage.app.shutdown()
    await hasBegun.wait()
    await rest()
    log.append("may end")
    mayEnd.open()
    #expect(try await running.value == 0)
    #expect(log.entries == ["+a", "may end", "saved", "-a"])
    token.cancel()
  }

  private static func observeEnd(
    _ bus: EventBus,
    _ log: Log<String>,
    on actor: isolated HeldActor
  ) -> Token {
    bus.observe(.willTerminate) {
      actor.assertIsolated()
      log.append("saved")
    }
  }

  @Test("Services are asked to stop after the announcement's actor-isolated handlers")
  func actorsHandler() async throws {
    let stage = Stage()
    let log = stage.log
    let executor = HeldExecutor()
    executor.open()
    try stage.add("a")
    let token = await Self.observeEnd(stage.bus, log, on: HeldActor(executor))
    executor.hold()
    let running = try await stage.startUntilActive()
    stage.app.shutdown()
    await executor.waitForJobs(1)
    await rest()
    log.append("may go on")
    executor.open()
    #expect(try await running.value == 0)
    #expect(log.entries == ["+a", "may go on", "saved", "-a"])
    token.cancel()
  }

  /// The event that ends the wait for a handler that does not return.
  enum Ending: CaseIterable, Sendable { case deadline, interrupt, cancellation }

  @Test("A handler that does not return is named and abandoned", arguments: Ending.allCases)
  func abandoned(_ ending: Ending) async throws {
    let stage = Stage(stopTimeout: .seconds(20), cancelTimeout: .seconds(5))
    let hasBegun = ManualLatch()
    try stage.add("a")
    let token = stage.bus.observe(.willTerminate) { () async in
      hasBegun.open()
      await waitStubbornly(ManualLatch.never)
    }
    let running = try await stage.startUntilActive()
    stage.app.interrupt(15)
    await hasBegun.wait()
    switch ending {
    case .deadline: stage.clock.jump(by: .seconds(20))
    case .interrupt: stage.interruptAgain(15)
    case .cancellation: running.cancel()
    }
    switch ending {
    case .deadline: #expect(try await running.value == 0)
    case .interrupt: #expect(try await running.value == 143)
    case .cancellation:
      await #expect(throws: CancellationError.self) { try await running.value }
    }
    let named = stage.messages.entries.filter {
      $0.hasPrefix("Abandoned: handlers of application.willTerminate (registered at ")
        && $0.contains("AppHostWaitTests.swift")
    }
    #expect(named.count == 1)
    #expect(stage.app.state == .terminated)
    token.cancel()
  }

  @Test("Handlers that have finished are not named as abandoned")
  func abandonedUnfinished() async throws {
    let stage = Stage()
    let (reads, saves) = (ManualLatch(), ManualLatch())
    try stage.add("a")
    let tokens = [
      stage.bus.observe(.appShouldReload) { () async in
        reads.open()
        await waitStubbornly(ManualLatch.never)
      },
      stage.bus.observe(.willTerminate) { @MainActor in saves.open() },
    ]
    let running = try await stage.startUntilActive()
    let reloading = Task { [app = stage.app] in await app.reload() }
    await reads.wait()
    stage.app.interrupt(15)
    await saves.wait()
    // The application has noticed that the handler has returned.
    await rest()
    stage.interruptAgain(15)
    #expect(try await running.value == 143)
    await reloading.value
    let left = stage.messages.entries.filter { $0.hasPrefix("Abandoned: ") }
    #expect(left.count == 1)
    #expect(left.first?.contains("application.shouldReload") == true)
    withExtendedLifetime(tokens) {}
  }

  @Test("A second signal sets the exit code unless one is set", arguments: [nil, 3] as [Int32?])
  func codeOfSecondSignal(earlier: Int32?) async throws {
    let stage = Stage()
    try stage.add("slow") { _ in await ManualLatch().wait() }
    let running = try await stage.startUntilActive()
    if let earlier { stage.app.shutdown(exitCode: earlier) }
    stage.app.interrupt(15)
    try await stage.app.waitUntil(state: .stopping)
    stage.interruptAgain(15)
    #expect(try await running.value == earlier ?? 143)
  }

  @Test("The run returns when the handlers of its last events have finished, even on actors")
  func lastEvents() async throws {
    let stage = Stage(cancelTimeout: .seconds(5))
    let (log, seen) = (stage.log, Log<AppState>())
    let tokens = [
      stage.bus.observe(.appStateDidChange) { @MainActor state in seen.append(state) },
      stage.bus.observe(.appStateDidChange) { state async in
        guard state == .terminated else { return }
        await rest()
        log.append("terminated")
      },
      stage.bus.observe(.willResignActive) { () async in
        await rest()
        log.append("inactive")
      },
    ]
    #expect(try await stage.runOnce() == 0)
    #expect(seen.entries.last == .terminated)
    #expect(log.entries.sorted() == ["inactive", "terminated"])
    #expect(stage.messages.entries.isEmpty)
    withExtendedLifetime(tokens) {}
  }

  @Test("A handler of the last state that never ends is abandoned, and named")
  func endlessLastEvent() async throws {
    let stage = Stage(cancelTimeout: .seconds(5))
    let never = ManualLatch()
    let token = stage.bus.observe(.appStateDidChange) { state async in
      if state == .terminated { await waitStubbornly(never) }
    }
    let running = try await stage.startUntilActive()
    stage.app.shutdown()
    let end = Inbox<Int32>()
    let ending = Task { end.append(try await running.value) }
    await stage.passTime(atMost: 60) { !end.entries.isEmpty }
    #expect(end.entries == [0])
    #expect(stage.messages.entries.count == 1)
    let text = stage.messages.entries.first ?? ""
    #expect(text.hasPrefix("Abandoned: handlers of application.stateDidChange (registered at"))
    never.open()
    try await ending.value
    token.cancel()
  }

  @Test("Of much unfinished launch work, eight workers are named and the others counted")
  func muchSlowLaunch() async throws {
    let stage = Stage()
    let (mayEnd, working) = (ManualLatch(), Counter())
    for number in 0..<20 {
      stage.loader.register(LaunchID("worker \(number)")) { _ async in
        working.add()
        await mayEnd.wait()
      }
    }
    let quick = stage.loader.register("quick") { _ async in }
    let running = stage.start()
    await until(working.value == 20 && quick.outcome != nil)
    await stage.clock.waitForSleepers(atLeast: 1)
    await stage.clock.jumpAtRest(by: .seconds(5))
    let names = (0..<8).map { "\"worker \($0)\"" }.joined(separator: ", ")
    #expect(
      await stage.messages.first(1)
        == ["Still waiting, after 5 s, for launch work \(names) and 12 more to start."]
    )
    mayEnd.open()
    try await stage.app.waitUntil(state: .active)
    #expect(try await stage.stop(running) == 0)
  }

  @Test("After 5 s of stopping, the service and the handler that delay it are named")
  func slowStop() async throws {
    let stage = Stage()
    let (mayEnd, maySave, saves, isAsked) = (
      ManualLatch(), ManualLatch(), ManualLatch(), ManualLatch()
    )
    try stage.add("slow") { context in
      context.onShutdown { isAsked.open() }
      await mayEnd.wait()
    }
    let token = stage.bus.observe(.willTerminate) { () async in
      saves.open()
      await maySave.wait()
    }
    let running = try await stage.startUntilActive()
    stage.app.shutdown()
    await saves.wait()
    await stage.passTime(atMost: 7) { stage.messages.entries.count >= 1 }
    let first = await stage.messages.first(1)
    #expect(
      first[0].hasPrefix(
        "Still waiting, after 5 s, for handlers of application.willTerminate (registered at"
      )
    )
    #expect(first[0].hasSuffix("to stop."))
    maySave.open()
    await isAsked.wait()
    await stage.passTime(atMost: 12) { stage.messages.entries.count >= 2 }
    let second = await stage.messages.first(2)
    #expect(second.last == "Still waiting, after 15 s, for service \"slow\" to stop.")
    mayEnd.open()
    #expect(try await running.value == 0)
    token.cancel()
  }

  @Test(
    "A request to end during a launch that stops at failures keeps its exit code, or the failure",
    arguments: [false, true]
  )
  func endOfLaunch(fails: Bool) async throws {
    let stage = Stage(onFailure: .stop)
    let isWorking = ManualLatch()
    stage.loader.register { _ async throws in
      isWorking.open()
      await ManualLatch().wait()
      if fails { throw Failed(name: "work") }
      try Task.checkCancellation()
    }
    let running = stage.start()
    await isWorking.wait()
    stage.app.shutdown(exitCode: 6)
    if fails {
      #expect(await errors(of: running).first?.contains("work failed") == true)
    } else {
      #expect(try await running.value == 6)
    }
  }
}

extension ManualLatch {
  /// Opened by no test.
  fileprivate static let never = ManualLatch()
}
