import EventBus
import LaunchLoader
import TestSupport
import Testing

@Suite("Dependencies of late work", .timeLimit(.minutes(5)))
struct LateDependencyTests {
  let loader = LaunchLoader()
  let log = Log<String>()

  @Test("Late work runs at once after a finished dependency; a failed or missing one skips it")
  func waitUntilSettled() async throws {
    loader.register("good") { _ in }
    loader.register("bad") { _ in throw Broken() }
    try await loader.launch()
    let tokens = [
      loader.register("a", after: ["good"]) { _ in },
      loader.register("b", after: ["bad"]) { _ in },
      loader.register("c", after: ["nobody"]) { _ in },
      loader.register("d", after: ["a"], afterIfPresent: ["bad", "nobody"]) { _ in },
      loader.register("e", after: ["b"]) { _ in },
      loader.register("f", after: ["f"]) { _ in },
      loader.register("g", when: { _ in false }) { _ in },
      loader.register("h", after: ["g"]) { _ in },
    ]
    #expect(
      tokens.map { $0.outcome?.description } == [
        "finished", "skipped because of bad", "skipped because of nobody", "finished",
        "skipped because of b", "skipped because of f", "skipped", "skipped because of g",
      ]
    )
  }

  @Test("Late work whose dependency was not registered can be registered again after that")
  func missingAtFirst() async throws {
    let key = LaunchKey<Int>("key")
    try await loader.launch()
    let early = loader.register("needy", needs: key) { _, _ in }
    #expect(early.outcome?.description == "skipped because of key")
    loader.register(key) { _ in 1 }
    let needy = loader.register("needy", needs: key) { [log] _, number in log.append("\(number)") }
    #expect(needy.outcome?.description == "finished" && needy.original == nil)
    #expect(log.entries == ["1"])
  }

  @Test("Late work waits for running late work that it depends on")
  func pending() async throws {
    let mayEnd = ManualLatch()
    try await loader.launch(LaunchOptions(arguments: ["given"]))
    loader.register("a") { _ in await mayEnd.wait() }
    let b = loader.register("b", after: ["a"]) { [log] options in
      log.append(options.arguments.joined())
    }
    let c = loader.register("c", after: ["b"]) { @SampleActor [log] _ in log.append("c") }
    let d = loader.register("d", after: ["a"]) { [log] _ in log.append("d") }
    #expect(b.outcome == nil)
    #expect(d.cancel())
    mayEnd.open()
    #expect(try await c.waitUntilFinished().description == "finished")
    #expect(log.entries == ["given", "c"])
    #expect(b.outcome?.description == "finished" && d.outcome?.description == "skipped")
  }

  @Test("Late work may depend on idle work that has not run")
  func idle() async throws {
    let mayEnd = ManualLatch()
    loader.register("idle", phase: .idle) { _ in
      await mayEnd.wait()
      throw Broken()
    }
    try await loader.launch()
    let needy = loader.register("needy", after: ["idle"]) { _ in }
    let free = loader.register("free", afterIfPresent: ["idle"]) { _ in }
    #expect(needy.outcome == nil && free.outcome == nil)
    mayEnd.open()
    #expect(try await needy.waitUntilFinished().description == "skipped because of idle")
    #expect(try await free.waitUntilFinished().description == "finished")
  }

  @Test("Stopping refuses idle and late work that has not begun, and cancels running work")
  func stopping() async throws {
    let isRunning = ManualLatch()
    let running = loader.register("running", phase: .idle) { [log] _ in
      isRunning.open()
      await ManualLatch().wait()
      log.append("cancelled: \(Task.isCancelled)")
    }
    let idle = loader.register("idle", after: ["running"], phase: .idle) { _ in }
    try await loader.launch()
    await isRunning.wait()
    loader.stop()
    #expect(try await idle.waitUntilFinished().description == "refused")
    #expect(try await running.waitUntilFinished().description == "finished")
    #expect(log.entries == ["cancelled: true"])
  }

  @Test("Late work that fails with a custom error is freed with its token, with no lock held")
  func errorsAreFreed() async throws {
    struct Loud: Error {
      let object: AtDeinit
    }
    try await loader.launch()
    let token = loader.register("loud") { [loader, log] _ in
      // The released object uses the loader, which would trap under its lock.
      throw Loud(object: AtDeinit { loader.register { _ in log.append("freed") } })
    }
    loader.register("asynchronous") { [loader, log] _ in
      await Task.yield()
      throw Loud(object: AtDeinit { loader.register { _ in log.append("freed") } })
    }
    guard case .failed? = token.outcome else {
      Issue.record("It has to fail.")
      return
    }
    let next = loader.register("next", after: ["asynchronous"]) { _ in }
    #expect(try await next.waitUntilFinished().description == "skipped because of asynchronous")
  }
}
