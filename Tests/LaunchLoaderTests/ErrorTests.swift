import EventBus
import LaunchLoader
import TestSupport
import Testing

@Suite("Errors of workers, and of waiting for oneself")
struct ErrorTests {
  let loader = LaunchLoader()
  let log = Log<String>()

  @Test("A worker that throws stops nobody; report and token have the error")
  func errorsAreRecorded() async throws {
    let token = loader.register("a") { _ in throw Broken() }
    loader.register("b") { _ in
      await Task.yield()
      throw Broken()
    }
    loader.register("c") { @SampleActor _ in throw Broken() }
    loader.register("d") { _ in }
    let report = try await loader.launch()
    #expect(
      report.summary == ["a failed: broken", "b failed: broken", "c failed: broken", "d finished"]
    )
    guard case .failed(let error)? = token.outcome else {
      Issue.record("The token has to have the error.")
      return
    }
    #expect(error is Broken)
  }

  @Test("Nothing is thrown through the post: the bus hears of no error")
  func nothingThroughThePost() {
    var hooks = EventHooks()
    hooks.onError = { [log] failure in log.append("\(failure.error)") }
    let bus = EventBus(hooks: hooks)
    let token = loader.register { _ in throw Broken() }
    let attachment = loader.attach(to: bus)
    #expect(bus.post(.didFinishLaunching, LaunchOptions()) == 1)
    #expect(log.entries.isEmpty)
    #expect(token.outcome?.description == "failed: broken")
    withExtendedLifetime(attachment) {}
  }

  @Test("A worker that launches, or waits for the report or for itself, is told that it cannot")
  func reentrant() async throws {
    let tokens = Log<LaunchToken>()
    let token = loader.register { [loader, log] _ in
      log.append("\(String(describing: await launchErrorCode { try await loader.launch() }))")
      log.append("\(String(describing: await launchErrorCode { try await loader.report }))")
      for token in tokens.entries {
        log.append("\(String(describing: await launchErrorCode { try await token.wait() }))")
      }
    }
    tokens.append(token)
    try await loader.launch()
    #expect(log.entries.count == 3)
    #expect(log.entries.allSatisfy { $0.contains("reentrant") })
  }

  @Test("A child task of a worker cannot launch either")
  func reentrantFromChild() async throws {
    loader.register { [loader, log] _ in
      async let code = launchErrorCode { try await loader.launch() }
      log.append("\(String(describing: await code))")
    }
    try await loader.launch()
    #expect(log.entries.first?.contains("reentrant") == true)
  }

  @Test("A worker of an inner launch cannot wait for the outer one")
  func reentrantThroughAnotherLoader() async throws {
    let inner = LaunchLoader()
    inner.register { [loader, log] _ in
      log.append("\(String(describing: await launchErrorCode { try await loader.launch() }))")
    }
    loader.register { _ in try await inner.launch() }
    try await loader.launch()
    #expect(log.entries.first?.contains("reentrant") == true)
  }

  @Test("A task that a worker leaves behind gets the report", .timeLimit(.minutes(1)))
  func leftBehind() async throws {
    let workerEnded = ManualLatch()
    let reports = Log<Int>()
    let done = [ManualLatch(), ManualLatch()]
    loader.register("a") { [loader] _ in
      Task {
        await workerEnded.wait()
        reports.append(try await loader.launch().entries.count)
        done[0].open()
      }
    }
    let asynchronous = loader.register("b") { [loader] _ in
      await Task.yield()
      Task {
        await workerEnded.wait()
        reports.append(try await loader.report.entries.count)
        done[1].open()
      }
    }
    async let report = loader.launch()
    _ = try await asynchronous.wait()
    workerEnded.open()
    _ = try await report
    for latch in done { await latch.wait() }
    #expect(reports.entries == [2, 2])
  }

  @Test("Errors name the thing and the way out")
  func descriptions() async {
    loader.stop()
    await #expect {
      try await loader.launch()
    } throws: { error in
      "\(error)".contains("stopped before it launched") && "\(error)".contains("new LaunchLoader")
    }
  }
}
