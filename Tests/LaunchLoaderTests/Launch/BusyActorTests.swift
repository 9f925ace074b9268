import EventBus
import EventBusTesting
import LaunchLoader
import TestSupport
import Testing

@Suite("Workers waiting for a busy actor", .timeLimit(.minutes(5)))
struct BusyActorTests {
  let clock = ManualClock()
  let log = Log<String>()
  let actor = BusyActor()

  /// Does nothing while its executor is held.
  actor BusyActor {
    nonisolated let executor = HeldExecutor()

    nonisolated var unownedExecutor: UnownedSerialExecutor {
      unsafe executor.asUnownedSerialExecutor()  // Reason: the actor keeps it.
    }

    /// Registers a synchronous or an asynchronous worker of this actor, which is busy from then on.
    static func register(
      _ id: LaunchID,
      isSynchronous: Bool,
      with loader: LaunchLoader,
      phase: LaunchPhase = .standard,
      timeout: Duration? = nil,
      _ log: Log<String>,
      on actor: isolated BusyActor
    ) -> LaunchRegistration {
      actor.executor.hold()
      return if isSynchronous {
        loader.register(id, phase: phase, timeout: timeout) { _ in
          actor.assertIsolated()
          log.append("\(id)")
        }
      } else {
        loader.register(id, phase: phase, timeout: timeout) { _ in
          actor.assertIsolated()
          log.append("\(id)")
          await Task.yield()
        }
      }
    }

    /// Returns when everything that was handed to the actor before has run.
    func barrier() {}
  }

  /// Registers a worker while the actor runs, and makes the actor busy.
  private func worker(
    _ id: LaunchID,
    isSynchronous: Bool,
    of loader: LaunchLoader,
    phase: LaunchPhase = .standard,
    timeout: Duration? = nil
  ) async -> LaunchRegistration {
    actor.executor.open()
    return await BusyActor.register(
      id,
      isSynchronous: isSynchronous,
      with: loader,
      phase: phase,
      timeout: timeout,
      log,
      on: actor
    )
  }

  /// Lets the actor run its jobs.
  private func release() async {
    actor.executor.open()
    await actor.barrier()
  }

  /// What becomes of work that waits for its actor.
  enum End: CaseIterable, Sendable {
    case timedOut, launchTimedOut, launchCancelled, registrationCancelled
    case launchStopped, launchRolledBack, lateWorkRefused, idleWorkRefused

    var outcome: String {
      switch self {
      case .timedOut: "timed out"
      case .launchTimedOut, .launchCancelled, .registrationCancelled: "skipped"
      case .launchStopped, .launchRolledBack: "skipped because of fails"
      case .lateWorkRefused, .idleWorkRefused: "refused"
      }
    }
  }

  @Test(
    "Work that is given up while it waits for its actor has its outcome then, and never runs",
    arguments: End.allCases,
    [false, true]
  )
  func givenUp(end: End, isSynchronous: Bool) async throws {
    let fails = end == .launchStopped || end == .launchRolledBack
    let loader = LaunchLoader(
      onFailure: end == .launchStopped ? .stop : fails ? .rollback : .continue,
      timeout: end == .launchTimedOut ? .seconds(1) : nil,
      width: end == .registrationCancelled ? 1 : nil,
      clock: clock
    )
    if end == .lateWorkRefused { try await loader.launch() }
    if fails {
      loader.register("fails") { [clock] _ in
        try await clock.sleep(for: .seconds(1))
        throw Broken()
      }
    }
    let token = await worker(
      "a",
      isSynchronous: isSynchronous,
      of: loader,
      phase: end == .idleWorkRefused ? .idle : .standard,
      timeout: end == .launchTimedOut ? nil : .seconds(end == .timedOut ? 1 : 9)
    )
    let goesOn = end == .timedOut || end == .registrationCancelled
    if goesOn {
      loader.register("b") { [log] _ in
        log.append("b")
        await Task.yield()
      }
    }
    let launch = Task { await launchErrorCode { try await loader.launch() } }
    await actor.executor.waitForJobs(1)
    switch end {
    case .timedOut, .launchTimedOut, .launchStopped, .launchRolledBack:
      await clock.jumpAtRest(by: .seconds(1))
    case .launchCancelled: launch.cancel()
    case .registrationCancelled:
      #expect(token.cancel())
      #expect(!token.cancel())
    case .lateWorkRefused, .idleWorkRefused: loader.stop()
    }
    let outcome = try await token.waitUntilFinished().description
    _ = await launch.value
    await release()
    #expect(outcome == end.outcome && token.outcome?.description == outcome)
    #expect(log.entries == (goesOn ? ["b"] : []))
    if end == .timedOut { #expect(try await loader.report().abandoned == ["a"]) }
    await clock.waitUntilSettled()
    #expect(clock.sleeperCount == 0, "Nothing watches the worker any more.")
  }

  @Test(
    "Work that exceeds its limit while it waits for its actor has no start and no duration in the report",
    arguments: [false, true]
  )
  func neverBegan(isSynchronous: Bool) async throws {
    let loader = LaunchLoader(clock: clock)
    loader.register("first") { [clock] _ in clock.jump(by: .seconds(3)) }
    _ = await worker("a", isSynchronous: isSynchronous, of: loader, timeout: .seconds(1))
    let launch = Task { try await loader.launch() }
    await actor.executor.waitForJobs(1)
    await clock.jumpAtRest(by: .seconds(1))
    let report = try await launch.value
    await release()
    let entry = try #require(report.entries.last)
    #expect(entry.id == "a" && entry.outcome.description == "timed out")
    #expect(entry.start == .zero && entry.duration == .zero && entry.turn == nil && !entry.hasRun)
    #expect(report.abandoned == ["a"] && report.total == .seconds(4))
    #expect(report.description.contains("never began, because its actor was not free in time"))
  }

  @Test("A worker that waits for its actor runs there once the actor is free")
  func runsOnceFree() async throws {
    let loader = LaunchLoader(clock: clock)
    let first = await worker("a", isSynchronous: true, of: loader, timeout: .seconds(1))
    let second = await worker("b", isSynchronous: false, of: loader, timeout: .seconds(1))
    async let launch = loader.launch()
    await clock.waitForSleepers(atLeast: 1)
    actor.executor.open()
    #expect(try await launch.summary == ["a finished", "b finished"])
    #expect(log.entries == ["a", "b"])
    #expect(!first.cancel() && !second.cancel())
  }

  private static func registerBlocking(
    with loader: LaunchLoader,
    _ log: Log<String>,
    _ latches: (hasBegun: ManualLatch, mayEnd: ManualLatch),
    on actor: isolated BusyActor
  ) {
    // The actor's jobs run on a separate thread.
    loader.register("a", timeout: .seconds(1)) { _ in
      actor.assertIsolated()
      latches.hasBegun.open()
      latches.mayEnd.block()
      log.append("a")
    }
  }

  @Test("A launch waits for a synchronous worker that has begun on its actor, however late it is")
  func begunIsWaitedFor() async throws {
    let loader = LaunchLoader(timeout: .seconds(5), clock: clock)
    let latches = (hasBegun: ManualLatch(), mayEnd: ManualLatch())
    actor.executor.open()
    await Self.registerBlocking(with: loader, log, latches, on: actor)
    loader.register("b", phase: .late) { [log] _ in log.append("b") }
    let launch = Task { try await loader.launch() }
    await latches.hasBegun.wait()
    await clock.jumpAtRest(by: .seconds(9))
    await rest()
    #expect(log.entries.isEmpty)
    latches.mayEnd.open()
    let report = try await launch.value
    #expect(report.entries.first?.outcome.description == "timed out")
    #expect(report.abandoned.isEmpty)
    #expect(log.entries.first == "a")
  }

  @Test(
    "A worker does not run if its launch is cancelled during its condition",
    arguments: [false, true]
  )
  func cancelledInCondition(isSynchronous: Bool) async throws {
    let loader = LaunchLoader()
    let condition: @Sendable (LaunchOptions) -> Bool = { _ in
      cancelCurrentTask()
      return true
    }
    if isSynchronous {
      loader.register("a", when: condition) { [log] _ in log.append("a") }
    } else {
      loader.register("a", when: condition) { [log] _ in
        log.append("a")
        await Task.yield()
      }
    }
    let report = try await Task { try await loader.launch() }.value
    #expect(report.summary == ["a skipped"])
    #expect(log.entries.isEmpty)
  }
}
