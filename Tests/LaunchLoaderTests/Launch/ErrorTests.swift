import EventBus
import LaunchLoader
import TestSupport
import Testing

@Suite("Errors of workers and of self-waiting", .timeLimit(.minutes(5)))
struct ErrorTests {
  let loader = LaunchLoader()
  let log = Log<String>()

  @Test("A worker that throws stops no other worker; report and token hold the error")
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

  @Test("No error is thrown through the post to the bus")
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

  @Test("A worker that launches, or waits for the report or itself, gets an error")
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

  @Test("A worker's child task cannot launch")
  func reentrantFromChild() async throws {
    loader.register { [loader, log] _ in
      async let code = launchErrorCode { try await loader.launch() }
      log.append("\(String(describing: await code))")
    }
    try await loader.launch()
    #expect(log.entries.first?.contains("reentrant") == true)
  }

  @Test("A task group's child, or a task a worker starts and awaits, cannot launch")
  func reentrantFromGroupAndTask() async throws {
    loader.register { [loader, log] _ in
      await withTaskGroup(of: String.self) { group in
        group.addTask {
          "\(String(describing: await launchErrorCode { try await loader.launch() }))"
        }
        for await code in group { log.append(code) }
      }
      let task = Task { await launchErrorCode { try await loader.launch() } }
      log.append("\(String(describing: await task.value))")
    }
    try await loader.launch()
    #expect(log.entries.count == 2)
    #expect(log.entries.allSatisfy { $0.contains("reentrant") })
  }

  @Test("A detached task may wait for the launch, as it is not part of its worker")
  func detached() async throws {
    let codes = Log<String>()
    let waits = Log<Task<Int?, Never>>()
    loader.register { [loader] _ in
      waits.append(Task.detached { try? await loader.launch().entries.count })
      await Task.yield()
      codes.append("ended")
    }
    try await loader.launch()
    #expect(codes.entries == ["ended"])
    for wait in waits.entries { #expect(await wait.value == 1) }
  }

  @Test("A worker of an inner launch cannot wait for the outer launch")
  func reentrantThroughAnotherLoader() async throws {
    let inner = LaunchLoader()
    inner.register { [loader, log] _ in
      log.append("\(String(describing: await launchErrorCode { try await loader.launch() }))")
    }
    loader.register { _ in try await inner.launch() }
    try await loader.launch()
    #expect(log.entries.first?.contains("reentrant") == true)
  }

  @Test("A task that outlives its worker may wait once the worker has ended, synchronous or not")
  func leftBehind() async throws {
    let workersEnded = ManualLatch()
    let asked = [ManualLatch(), ManualLatch()]
    // A cancelled task learns at once whether it may wait: `cancelled`, not `reentrant`.
    @Sendable func ask(_ index: Int) async {
      await workersEnded.wait()
      cancelCurrentTask()
      log.append("\(String(describing: await launchErrorCode { try await loader.launch() }))")
      asked[index].open()
    }
    let workers = [
      loader.register { _ in Task { await ask(0) } },
      loader.register { _ in
        await Task.yield()
        Task { await ask(1) }
      },
    ]
    loader.register { _ in for latch in asked { await latch.wait() } }
    async let report = loader.launch()
    for worker in workers { _ = try await worker.wait() }
    workersEnded.open()
    _ = try await report
    #expect(log.entries.count == 2)
    #expect(log.entries.allSatisfy { $0.contains("cancelled") })
  }

  @Test("Errors name the subject and the remedy")
  func descriptions() async {
    loader.stop()
    await #expect {
      try await loader.launch()
    } throws: { error in
      "\(error)".contains("stopped before it launched") && "\(error)".contains("new LaunchLoader")
    }
  }
}
