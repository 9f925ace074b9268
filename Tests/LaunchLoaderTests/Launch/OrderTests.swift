import EventBus
import LaunchLoader
import TestSupport
import Testing

@Suite("Launch order")
struct OrderTests {
  let bus = EventBus()
  let loader = LaunchLoader()
  let log = Log<String>()

  @Test("Nonisolated synchronous workers run on the posting thread, before the post returns")
  func inlineOnPostingThread() async {
    let threads = Log<ThreadID>()
    for _ in 0..<3 { loader.register { _ in threads.append(.current) } }
    let attachment = loader.attach(to: bus)
    await onThreads(1) { [bus] _ in
      bus.post(.didFinishLaunching, LaunchOptions())
      threads.append(.current)
    }
    #expect(threads.entries.count == 4)
    #expect(Set(threads.entries).count == 1)
    withExtendedLifetime(attachment) {}
  }

  @MainActor
  @Test("Synchronous workers run on the launching thread, actor-isolated ones on their actor")
  func isolation() async throws {
    let threads = Log<ThreadID>()
    func nonisolated(_ loader: LaunchLoader) {
      loader.register { @Sendable _ in threads.append(.current) }
    }
    nonisolated(loader)
    loader.register { @MainActor [log] _ in
      MainActor.preconditionIsolated()
      log.append("main actor")
    }
    loader.register { @SampleActor [log] _ in
      SampleActor.preconditionIsolated()
      log.append("another actor")
    }
    loader.register { @MainActor [log] _ in
      await Task.yield()
      MainActor.preconditionIsolated()
      log.append("main actor, asynchronous")
    }
    nonisolated(loader)
    try await loader.launch()
    // A task may change threads where it waits, so the threads themselves are not compared.
    #expect(threads.entries.count == 2)
    #expect(log.entries == ["main actor", "another actor", "main actor, asynchronous"])
  }

  /// Registers nonisolated work that requires a call on this actor.
  private func registerForTheMainActor() {
    loader.register { [log] _ in
      MainActor.preconditionIsolated()
      log.append("synchronous")
    }
  }

  @MainActor
  @Test("A launch on an actor runs synchronous workers there, even after a wait")
  func onTheLaunchingActor() async throws {
    registerForTheMainActor()
    loader.register { @SampleActor [log] _ in log.append("on another actor") }
    registerForTheMainActor()
    loader.register(phase: .late) { @concurrent [log] _ async in log.append("asynchronous") }
    loader.register(phase: .late) { @SampleActor _ in await Task.yield() }
    loader.register(phase: .idle) { @SampleActor _ in }
    try await loader.launch()
    #expect(log.entries == ["synchronous", "on another actor", "synchronous", "asynchronous"])
  }

  @Test("Asynchronous workers start in order and run concurrently; the launch awaits all of them")
  func asynchronousWorkers() async throws {
    let everybodyStarted = ManualLatch()
    let count = 20
    for index in 0..<count {
      loader.register { [log] _ in
        log.append("\(index)")
        if index == count - 1 { everybodyStarted.open() }
        await everybodyStarted.wait()
        log.append("end")
      }
    }
    try await loader.launch()
    #expect(log.entries.prefix(count) == (0..<count).map { "\($0)" }[...])
    #expect(log.entries.dropFirst(count) == Array(repeating: "end", count: count)[...])
  }

  @MainActor
  @Test("Posted on an actor, the event runs that actor's workers before the post returns")
  func eventCallsWorkersOfItsActor() async throws {
    loader.register("a") { @Sendable [log] _ in log.append("a") }
    loader.register("b") { [log] _ in
      MainActor.preconditionIsolated()
      log.append("b")
    }
    let elsewhere = loader.register("c") { @SampleActor _ in SampleActor.preconditionIsolated() }
    loader.register("d") { [log] _ in
      log.append("d")
      throw Broken()
    }
    let attachment = loader.attach(to: bus)
    #expect(bus.post(.didFinishLaunching, LaunchOptions()) == 1)
    #expect(log.entries == ["a", "b", "d"])
    #expect(try await elsewhere.waitUntilFinished().description == "finished")
    #expect(
      try await loader.report().summary == [
        "a finished", "b finished", "c finished", "d failed: broken",
      ]
    )
    withExtendedLifetime(attachment) {}
  }

  @Test("Posted elsewhere, the event leaves an actor's workers to a task on that actor")
  func eventPostedElsewhere() async throws {
    let onMain = loader.register { @MainActor _ in MainActor.preconditionIsolated() }
    let attachment = loader.attach(to: bus)
    await onThreads(1) { [bus] _ in bus.post(.didFinishLaunching, LaunchOptions()) }
    #expect(try await onMain.waitUntilFinished().description == "finished")
    withExtendedLifetime(attachment) {}
  }
}
