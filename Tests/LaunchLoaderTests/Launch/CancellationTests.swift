import EventBus
import LaunchLoader
import TestSupport
import Testing

@Suite("Cancelling launches and waits", .timeLimit(.minutes(5)))
struct CancellationTests {
  let loader = LaunchLoader()
  let log = Log<String>()

  @Test("Cancelling the launch skips and frees work that has not begun, and reports it")
  func skipsTheRest() async throws {
    let tally = Tally()
    loader.register("a") { [log] _ in
      cancelCurrentTask()
      log.append("a")
    }
    let token = loader.register("b") { [log, probe = tally.probe()] _ in
      probe.touch()
      log.append("b")
    }
    let asynchronous = loader.register("c") { [log, probe = tally.probe()] _ in
      await Task.yield()
      probe.touch()
      log.append("c")
    }
    let report = try await Task { try await loader.launch() }.value
    #expect(log.entries == ["a"])
    #expect(report.summary == ["a finished", "b skipped", "c skipped"])
    #expect(token.outcome?.description == "skipped")
    #expect(asynchronous.outcome?.description == "skipped")
    #expect(tally.live == 0)
  }

  @Test("Cancelling the launch cancels the tasks of asynchronous workers and still waits for them")
  func cancelsRunningWorkers() async throws {
    let isRunning = ManualLatch()
    loader.register("a") { [log] _ in
      isRunning.open()
      await ManualLatch().wait()
      log.append(Task.isCancelled ? "cancelled" : "not cancelled")
      try Task.checkCancellation()
    }
    let launch = Task { try await loader.launch() }
    await isRunning.wait()
    launch.cancel()
    let report = try await launch.value
    #expect(log.entries == ["cancelled"])
    #expect(report.summary == ["a failed: CancellationError()"])
  }

  @Test("A post from a cancelled task still launches")
  func postFromCancelledTask() async throws {
    let bus = EventBus()
    loader.register { [log] _ in log.append("a") }
    let asynchronous = loader.register { [log] _ in
      await Task.yield()
      log.append(Task.isCancelled ? "cancelled" : "b")
    }
    let attachment = loader.attach(to: bus)
    await Task {
      cancelCurrentTask()
      bus.post(.didFinishLaunching, LaunchOptions())
    }.value
    #expect(try await asynchronous.waitUntilFinished().description == "finished")
    #expect(log.entries == ["a", "b"])
    withExtendedLifetime(attachment) {}
  }

  @Test("A task cancelled while it waits for another task's launch resumes; the launch continues")
  func stopsWaitingForALaunch() async throws {
    let isRunning = ManualLatch()
    let mayEnd = ManualLatch()
    loader.register("a") { _ in
      isRunning.open()
      await mayEnd.wait()
    }
    async let report = loader.launch()
    await isRunning.wait()
    let launching = Task { await launchErrorCode { try await loader.launch() } }
    let reading = Task { await isCancelled { try await loader.report() } }
    launching.cancel()
    reading.cancel()
    #expect(await launching.value == .cancelled)
    #expect(await reading.value)
    mayEnd.open()
    #expect(try await report.summary == ["a finished"])
  }

  @Test("Requesting the report before the launch waits for it without launching")
  func reportWaits() async throws {
    loader.register("a") { [log] _ in log.append("a") }
    let reading = Task { try await loader.report().summary }
    let impatient = Task { await isCancelled { try await loader.report() } }
    impatient.cancel()
    #expect(await impatient.value)
    #expect(log.entries.isEmpty)
    try await loader.launch()
    #expect(try await reading.value == ["a finished"])
  }
}
