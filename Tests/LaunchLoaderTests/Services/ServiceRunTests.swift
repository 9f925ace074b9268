import EventBus
import EventBusTesting
import LaunchLoader
import TestSupport
import Testing

@Suite("A service alone", .timeLimit(.minutes(5)))
struct ServiceRunTests {
  let clock = TestClock()
  let log = Log<String>()
  let messages = Inbox<String>()

  /// Runs a service on the clock of the test.
  func run(
    _ service: some AppService,
    options: AppServiceOptions = AppServiceOptions(),
    stopTimeout: Duration? = .seconds(20)
  ) -> AppServiceRun {
    AppServiceRun(
      service,
      options: options,
      stopTimeout: stopTimeout,
      clock: clock,
      onMessage: { [messages] in messages.append($0.description) }
    )
  }

  /// A service that notes its start and the request to stop.
  private func noting(_ name: String = "a") -> ClosureService {
    ClosureService(name) { [log] context in
      log.append("+\(name)")
      context.markReady()
      try await context.waitUntilShutdown()
      log.append("-\(name)")
    }
  }

  @Test("A service runs from the creation of its run, becomes ready, and stops when it is asked to")
  func wholeRun() async throws {
    let run = run(noting())
    try await run.waitUntilReady()
    try await run.waitUntilReady()
    #expect(log.entries == ["+a"])
    // Nothing of the run sleeps on the clock before the stop.
    #expect(clock.sleeperCount == 0)
    run.shutdown()
    run.shutdown()
    try await run.wait()
    try await run.wait()
    try await run.waitUntilReady()
    #expect(log.entries == ["+a", "-a"])
    #expect(messages.entries.isEmpty)
    await until(clock.sleeperCount == 0)
  }

  @Test("A service is ready when it calls markReady(), not when it suspends")
  func readiness() async throws {
    let mayBeReady = ManualLatch()
    let run = run(
      ClosureService { [log] context in
        await mayBeReady.wait()
        log.append("ready")
        context.markReady()
        try await context.waitUntilShutdown()
      }
    )
    let waiting = Task { [log] in
      try await run.waitUntilReady()
      log.append("waited")
    }
    await rest()
    mayBeReady.open()
    try await waiting.value
    #expect(log.entries == ["ready", "waited"])
    run.shutdown()
    try await run.wait()
  }

  @Test(
    "A service that returns by itself, ready or not, ends its run without an error",
    arguments: [true, false]
  )
  func returns(isReady: Bool) async throws {
    let run = run(ClosureService { if isReady { $0.markReady() } })
    try await run.wait()
    if isReady {
      try await run.waitUntilReady()
    } else {
      let error = await #expect(throws: AppServiceError.self) { try await run.waitUntilReady() }
      #expect(error?.kind == "endedBeforeReady")
    }
    run.shutdown()
    run.cancel()
    #expect(messages.entries.isEmpty)
  }

  @Test(
    "The error of a service is thrown, whatever its options",
    arguments: [.fail, .shutdown, .cancel, .ignore] as [AppServiceOptions.EndPolicy]
  )
  func throwing(ending: AppServiceOptions.EndPolicy) async throws {
    let failing = ClosureService { _ in throw Failed(name: "a") }
    let early = run(failing, options: AppServiceOptions(onReturn: ending, onThrow: ending))
    await #expect(throws: Failed(name: "a")) { try await early.waitUntilReady() }
    await #expect(throws: Failed(name: "a")) { try await early.wait() }
    let late = run(
      ClosureService { context in
        context.markReady()
        try await context.waitUntilShutdown()
        throw Failed(name: "a")
      },
      options: AppServiceOptions(after: ["missing"], onThrow: ending)
    )
    try await late.waitUntilReady()
    late.shutdown()
    await #expect(throws: Failed(name: "a")) { try await late.wait() }
    try await late.waitUntilReady()
  }

  @Test(
    "Cancelling a run cancels the service, also before it is ready and during its stop",
    arguments: 0..<3
  )
  func cancelling(moment: Int) async throws {
    let (isEntered, isAsked) = (ManualLatch(), ManualLatch())
    let run = run(
      ClosureService { [log] context in
        context.onShutdown { isAsked.open() }
        isEntered.open()
        if moment > 0 { context.markReady() }
        await ManualLatch().wait()
        log.append("cancelled: \(Task.isCancelled)")
        try Task.checkCancellation()
      }
    )
    await isEntered.wait()
    if moment == 2 {
      run.shutdown()
      await isAsked.wait()
    }
    run.cancel()
    await #expect(throws: CancellationError.self) { try await run.wait() }
    if moment == 0 {
      await #expect(throws: CancellationError.self) { try await run.waitUntilReady() }
    }
    #expect(log.entries == ["cancelled: true"])
    #expect(messages.entries == ["service \"a\" is cancelled"])
  }

  @Test("A task that waits for a run can be cancelled without an effect on the run")
  func cancelledWaits() async throws {
    let mayBeReady = ManualLatch()
    let run = run(
      ClosureService { [log] context in
        await mayBeReady.wait()
        context.markReady()
        try await context.waitUntilShutdown()
        log.append("cancelled: \(Task.isCancelled)")
      }
    )
    let waits = [Task { try await run.waitUntilReady() }, Task { try await run.wait() }]
    for wait in waits {
      wait.cancel()
      #expect(await isCancelled { try await wait.value })
    }
    mayBeReady.open()
    try await run.waitUntilReady()
    run.shutdown()
    try await run.wait()
    #expect(log.entries == ["cancelled: false"])
  }

  @Test("A group runs alone like a service: ready with its services, stopped in reverse order")
  func group() async throws {
    let group = AppServiceGroup("storage", clock: clock)
    try group.add(noting("x"), options: AppServiceOptions(reportsReadiness: true))
    try group.add(noting("y"), options: AppServiceOptions(reportsReadiness: true))
    let run = run(group)
    try await run.waitUntilReady()
    #expect(log.entries == ["+x", "+y"])
    run.shutdown()
    try await run.wait()
    #expect(log.entries == ["+x", "+y", "-y", "-x"])
    let again = self.run(group)
    let error = await #expect(throws: AppServiceError.self) { try await again.wait() }
    #expect(error?.kind == "alreadyRan")
  }

  @Test(
    "A service asked to stop before it is ready is not ready, and its run ends without an error"
  )
  func stoppedBeforeReady() async throws {
    let isEntered = ManualLatch()
    let run = run(
      ClosureService { context in
        isEntered.open()
        try await context.waitUntilShutdown()
      }
    )
    await isEntered.wait()
    run.shutdown()
    let error = await #expect(throws: AppServiceError.self) { try await run.waitUntilReady() }
    #expect(error?.kind == "endedBeforeReady")
    try await run.wait()
  }

  @Test("A run stopped at once ends, whether or not its service was entered")
  func stoppedAtOnce() async throws {
    for _ in 0..<200 {
      let run = run(noting())
      run.shutdown()
      try await run.wait()
    }
    #expect(log.entries.count { $0 == "+a" } == log.entries.count { $0 == "-a" })
  }

  @Test("Releasing a run cancels its service, and a message reports that")
  func releasedEarly() async throws {
    let hasEnded = ManualLatch()
    do {
      let run = run(
        ClosureService { context in
          context.markReady()
          await ManualLatch().wait()
          if Task.isCancelled { hasEnded.open() }
        }
      )
      try await run.waitUntilReady()
      withExtendedLifetime(run) {}
    }
    await hasEnded.wait()
    #expect(
      await messages.first(2) == [
        "the AppServiceRun of \"a\" was released: keep it until wait() has returned",
        "service \"a\" is cancelled",
      ]
    )
  }
}
