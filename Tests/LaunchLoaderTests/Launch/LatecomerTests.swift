import EventBus
import LaunchLoader
import TestSupport
import Testing

@Suite("Registration during and after the launch")
struct LatecomerTests {
  let bus = EventBus()
  let loader = LaunchLoader()
  let log = Log<String>()

  @Test("Work registered after the launch runs at once, on that thread, with the launch options")
  func lateSynchronous() async throws {
    try await loader.launch(LaunchOptions(arguments: ["original"]))
    await onThreads(1) { [loader, log] _ in
      let here = ThreadID.current
      let token = loader.register { options in
        log.append(options.arguments.joined())
        log.append("\(ThreadID.current == here)")
      }
      log.append("\(String(describing: token.outcome?.description))")
    }
    #expect(log.entries == ["original", "true", #"Optional("finished")"#])
  }

  @Test(
    "Asynchronous work registered after the launch runs in a task; the registration has the outcome"
  )
  func lateAsynchronous() async throws {
    try await loader.launch(LaunchOptions(arguments: ["original"]))
    let mayEnd = ManualLatch()
    let token = loader.register { [log] options in
      await mayEnd.wait()
      log.append(options.arguments.joined())
      throw Broken()
    }
    #expect(token.outcome == nil)
    mayEnd.open()
    #expect(try await token.waitUntilFinished().description == "failed: broken")
    #expect(log.entries == ["original"])
  }

  @Test("Late work is not in the report, which no longer changes")
  func lateWorkIsNotInTheReport() async throws {
    loader.register("a") { _ in }
    try await loader.launch()
    loader.register("b") { _ in }
    #expect(try await loader.report().summary == ["a finished"])
  }

  @Test("A name that has run stays taken after the launch")
  func namesStayTaken() async throws {
    loader.register("a") { [log] _ in log.append("first") }
    try await loader.launch()
    let second = loader.register("a") { [log] _ in log.append("second") }
    #expect(second.outcome?.description == "duplicate of a")
    let fresh = loader.register("b") { [log] _ in log.append("fresh") }
    let stale = loader.register("b") { [log] _ in log.append("stale") }
    #expect(fresh.outcome?.description == "finished")
    #expect(stale.outcome?.description == "duplicate of b")
    #expect(log.entries == ["first", "fresh"])
  }

  @Test("Work registered by a worker joins the running launch, after the existing work")
  func joinsFromWorker() async throws {
    loader.register("a") { [loader, log] _ in
      log.append("a")
      loader.register("c") { _ in log.append("c") }
    }
    loader.register("b") { [log] _ in log.append("b") }
    let report = try await loader.launch()
    #expect(log.entries == ["a", "b", "c"])
    #expect(report.summary == ["a finished", "b finished", "c finished"])
  }

  @Test("An asynchronous worker may wait for work it registers", .timeLimit(.minutes(5)))
  func waitsForWhatItRegisters() async throws {
    loader.register("a") { [loader, log] _ in
      let synchronous = loader.register("b") { _ in log.append("b") }
      log.append("\(try await synchronous.waitUntilFinished())")
      let asynchronous = loader.register("c") { _ in
        await Task.yield()
        log.append("c")
      }
      log.append("\(try await asynchronous.waitUntilFinished())")
    }
    let report = try await loader.launch()
    #expect(log.entries == ["b", "finished", "c", "finished"])
    #expect(report.entries.map(\.id) == ["a", "b", "c"])
  }

  @Test("Work registered by another thread during the launch joins it", .timeLimit(.minutes(5)))
  func joinsFromElsewhere() async throws {
    let isRunning = ManualLatch()
    let mayEnd = ManualLatch()
    loader.register("a") { _ in
      isRunning.open()
      await mayEnd.wait()
    }
    async let report = loader.launch()
    await isRunning.wait()
    let token = loader.register("b") { [log] _ in log.append("b") }
    #expect(try await token.waitUntilFinished().description == "finished")
    #expect(log.entries == ["b"])
    mayEnd.open()
    #expect(try await report.summary == ["a finished", "b finished"])
  }

  @Test(
    "Finished late work uses no memory while other late work continues",
    .timeLimit(.minutes(5))
  )
  func finishedLateWorkIsForgotten() async throws {
    struct Failure: Error { let probe: Tally.Probe }
    let mayEnd = ManualLatch()
    let tally = Tally()
    try await loader.launch()
    let unfinished = loader.register("unfinished") { _ in await mayEnd.wait() }
    let dependant = loader.register("dependant", after: ["unfinished"]) { [log] _ in
      log.append("dependant")
    }
    for index in 0..<size(70, full: 1_000) {
      let id = LaunchID("failing \(index)")
      let failing = loader.register(id) { [probe = tally.probe()] _ async throws in
        throw Failure(probe: probe)
      }
      let skipped = loader.register(after: ["unfinished", id]) { _ in }
      let withdrawn = loader.register(after: ["unfinished"]) { [probe = tally.probe()] _ in
        probe.touch()
      }
      withdrawn.cancel()
      _ = try await failing.waitUntilFinished()
      #expect(try await skipped.waitUntilFinished().description == "skipped because of \(id)")
    }
    #expect(tally.live <= 20)
    mayEnd.open()
    #expect(try await unfinished.waitUntilFinished().description == "finished")
    #expect(try await dependant.waitUntilFinished().description == "finished")
    #expect(log.entries == ["dependant"])
    let lacking = loader.register(after: ["failing 7"]) { _ in }
    #expect(lacking.outcome?.description == "skipped because of failing 7")
    let late = loader.register(after: ["unfinished"]) { _ in }
    #expect(late.outcome?.description == "finished")
  }

  @Test("After stopping, registrations are refused and freed")
  func refusedAfterStopping() async throws {
    try await loader.launch()
    loader.stop()
    let tally = Tally()
    let token = loader.register { [probe = tally.probe()] _ in probe.touch() }
    #expect(token.outcome?.description == "refused")
    #expect(tally.live == 0)
    #expect(try await loader.launch().entries.isEmpty, "The stored report stays.")
  }

  @Test("Stopping during the launch refuses new registrations and idle work; the launch goes on")
  func stoppingDuringLaunch() async throws {
    loader.register("a") { [loader, log] _ in
      loader.stop()
      log.append("\(String(describing: loader.register("c") { _ in }.outcome?.description))")
    }
    loader.register("b", phase: .late) { _ in }
    let idle = loader.register("idle", phase: .idle) { _ in }
    #expect(try await loader.launch().summary == ["a finished", "b finished", "idle refused"])
    #expect(idle.outcome?.description == "refused")
    #expect(log.entries == [#"Optional("refused")"#])
    #expect(loader.register { _ in }.outcome?.description == "refused")
  }

  @Test("A loader stopped before its launch never launches, and waiting tasks get an error")
  func stoppedBeforeLaunch() async throws {
    let token = loader.register { [log] _ in log.append("ran") }
    let attachment = loader.attach(to: bus)
    let reading = Task { await launchErrorCode { try await loader.report() } }
    loader.stop()
    #expect(token.outcome?.description == "refused")
    #expect(!attachment.isActive)
    #expect(await launchErrorCode { try await loader.launch() } == .stopped)
    #expect(await reading.value == .stopped)
    #expect(log.entries.isEmpty)
  }
}
