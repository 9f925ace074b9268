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

  @Test("A worker, a child task, a task that it awaits and an inner launch cannot await its launch")
  func reentrant() async throws {
    let (tokens, codes) = (Log<LaunchRegistration>(), Log<LaunchError.Code?>())
    let ask = { @Sendable [loader] in await launchErrorCode { try await loader.launch() } }
    let inner = LaunchLoader()
    inner.register { _ in codes.append(await ask()) }
    let token = loader.register { [loader] _ in
      codes.append(await ask())
      codes.append(await launchErrorCode { try await loader.report() })
      for token in tokens.entries {
        codes.append(await launchErrorCode { try await token.waitUntilFinished() })
      }
      async let child = ask()
      codes.append(await child)
      await withTaskGroup(of: Void.self) { group in
        group.addTask { codes.append(await ask()) }
      }
      codes.append(await Task { await ask() }.value)
      try await inner.launch()
    }
    tokens.append(token)
    try await loader.launch()
    #expect(codes.entries == Array(repeating: .reentrant, count: 7))
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

  @Test("A task that outlives its worker may wait once the worker has ended, synchronous or not")
  func abandoned() async throws {
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
    for worker in workers { _ = try await worker.waitUntilFinished() }
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
