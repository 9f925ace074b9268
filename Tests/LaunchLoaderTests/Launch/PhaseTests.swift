import EventBus
import LaunchLoader
import TestSupport
import Testing

@Suite("Phases and width", .timeLimit(.minutes(5)))
struct PhaseTests {
  let bus = EventBus()
  let loader = LaunchLoader()
  let log = Log<String>()

  @Test("A phase is a barrier: the next one begins after all its work has ended")
  func barrier() async throws {
    let mayEnd = ManualLatch()
    loader.register("standard", phase: .standard) { [log] _ in log.append("standard") }
    loader.register("early", phase: .early) { [log] _ in
      await mayEnd.wait()
      log.append("early")
    }
    loader.register("early too", phase: .early) { [log] _ in log.append("early too") }
    loader.register("late", phase: .late) { [log] _ in log.append("late") }
    let launching = Task { try await loader.launch() }
    await rest()
    #expect(log.entries == ["early too"])
    mayEnd.open()
    _ = try await launching.value
    #expect(log.entries == ["early too", "early", "standard", "late"])
  }

  @Test("Idle work runs after the launch, does not delay it, and is not in the report")
  func idle() async throws {
    let mayRun = ManualLatch()
    let token = loader.register("idle", phase: .idle) { [log] options in
      await mayRun.wait()
      log.append(options.arguments.joined())
    }
    let next = loader.register("next", after: ["idle"], phase: .idle) { [log] _ in
      log.append("next")
    }
    loader.register("usual") { _ in }
    let report = try await loader.launch(LaunchOptions(arguments: ["given"]))
    #expect(report.summary == ["usual finished"])
    #expect(token.outcome == nil && next.outcome == nil)
    mayRun.open()
    #expect(try await next.waitUntilFinished().description == "finished")
    #expect(log.entries == ["given", "next"])
    #expect(try await loader.report().entries.count == 1)
  }

  @Test("Launched by the event, idle work runs after the post, not in it")
  func idleAfterThePost() async throws {
    let here = Log<ThreadID>()
    let hasRun = ManualLatch()
    let token = loader.register(phase: .idle) { _ in
      here.append(.current)
      hasRun.open()
    }
    let attachment = loader.attach(to: bus)
    await onThreads(1) { [bus] _ in
      bus.post(.didFinishLaunching, LaunchOptions())
      here.append(.current)
      // A thread that has ended may give its number to the next one.
      hasRun.block()
    }
    #expect(try await token.waitUntilFinished().description == "finished")
    #expect(here.entries.count == 2)
    #expect(Set(here.entries).count == 2)
    withExtendedLifetime(attachment) {}
  }

  @Test("Idle work may launch and request the report, as no launch waits for it")
  func idleMayWait() async throws {
    let token = loader.register(phase: .idle) { [loader, log] _ in
      log.append("\(try await loader.launch().entries.count)")
    }
    loader.register { _ in }
    try await loader.launch()
    #expect(try await token.waitUntilFinished().description == "finished")
    #expect(log.entries == ["1"])
  }

  @Test("A failure of idle work affects only its dependants, under any policy")
  func idleFailure() async throws {
    let loader = LaunchLoader(onFailure: .stop)
    loader.register("a", phase: .idle) { _ in throw Broken() }
    let b = loader.register("b", after: ["a"], phase: .idle) { _ in }
    let c = loader.register("c", phase: .idle) { @SampleActor _ in }
    try await loader.launch()
    #expect(try await b.waitUntilFinished().description == "skipped because of a")
    #expect(try await c.waitUntilFinished().description == "finished")
  }

  @Test("Work that joins a launch runs in its phase, or in the current one if that is over")
  func joining() async throws {
    loader.register("standard") { [loader, log] _ in
      loader.register("early", phase: .early) { _ in log.append("early") }
      loader.register("late", phase: .late) { _ in log.append("late") }
      loader.register("usual") { _ in log.append("usual") }
    }
    loader.register("late as well", phase: .late) { [log] _ in log.append("late as well") }
    let report = try await loader.launch()
    #expect(log.entries == ["early", "usual", "late as well", "late"])
    #expect(report.entries.map(\.phase) == [.standard, .late, .standard, .late, .standard])
  }

  @Test("Work that joins moves its dependencies to the current phase")
  func joiningMoves() async throws {
    loader.register("far", after: ["farther"], phase: .late) { [log] _ in log.append("far") }
    loader.register("farther", phase: .idle) { [log] _ in log.append("farther") }
    loader.register("late", phase: .late) { [log] _ in log.append("late") }
    loader.register("a") { [loader, log] _ in
      loader.register("b", after: ["far"]) { _ in log.append("b") }
      loader.register("c", afterIfPresent: ["nobody"]) { _ in log.append("c") }
    }
    try await loader.launch()
    #expect(log.entries == ["farther", "far", "b", "c", "late"])
  }

  @Test(
    "The width, at least one, limits how many asynchronous workers run at once, in order",
    arguments: [0, 1, 2, 5]
  )
  func width(_ width: Int) async throws {
    let loader = LaunchLoader(width: width)
    let running = Log<Int>()
    let count = Counter()
    for index in 0..<20 {
      loader.register { [log] _ in
        running.append(count.add())
        log.append("\(index)")
        await Task.yield()
        count.add(-1)
      }
    }
    loader.register("synchronous") { [log] _ in log.append("synchronous") }
    try await loader.launch()
    #expect(running.entries.max() ?? 0 <= max(1, width))
    #expect(log.entries.filter { $0 != "synchronous" } == (0..<20).map { "\($0)" })
    #expect(log.entries.contains("synchronous"))
  }

  @Test("A worker waiting for the width does not delay synchronous workers")
  func widthDoesNotBlock() async throws {
    let loader = LaunchLoader(width: 1)
    let mayEnd = ManualLatch()
    loader.register("a") { _ in await mayEnd.wait() }
    loader.register("b") { [log] _ in
      await Task.yield()
      log.append("b")
    }
    loader.register("c") { [log] _ in
      log.append("c")
      mayEnd.open()
    }
    try await loader.launch()
    #expect(log.entries == ["c", "b"])
  }
}
