import EventBus
import LaunchLoader
import TestSupport
import Testing

@Suite("Clean-up after a launch")
struct CleanUpTests {
  let bus = EventBus()
  let loader = LaunchLoader()
  let tally = Tally()

  @Test("A closure is freed when it has finished, before the next one runs")
  func closuresAreFreed() async throws {
    let living = Log<Int>()
    for _ in 0..<3 {
      loader.register { [probe = tally.probe(), tally] _ in
        probe.touch()
        living.append(tally.live)
      }
    }
    loader.launchByEvent(on: bus)
    #expect(living.entries == [3, 2, 1])
    #expect(tally.live == 0)
  }

  @Test("Late closures are freed before their outcome is known")
  func lateClosuresAreFreed() async throws {
    try await loader.launch()
    loader.register { [probe = tally.probe()] _ in probe.touch() }
    #expect(tally.live == 0)
    let onActor = loader.register { @SampleActor [probe = tally.probe()] _ in probe.touch() }
    _ = try await onActor.waitUntilFinished()
    #expect(tally.live == 0)
    let token = loader.register { [probe = tally.probe()] _ in
      await Task.yield()
      probe.touch()
    }
    _ = try await token.waitUntilFinished()
    #expect(tally.live == 0)
  }

  @Test("A closure that never ran is freed with its loader, and its registration reports that")
  func closuresDieWithTheLoader() async throws {
    var loader: LaunchLoader? = LaunchLoader()
    let token = loader?.register { [probe = tally.probe()] _ in probe.touch() }
    #expect(tally.live == 1)
    loader = nil
    #expect(tally.live == 0)
    #expect(token?.outcome?.description == "skipped")
    #expect(token?.cancel() == false)
    #expect(try await token?.waitUntilFinished().description == "skipped")
  }

  @Test("A closure's captures may use the loader in their deinit, as no lock is held")
  func freeingMayReenter() async throws {
    let log = Log<String>()
    func reentrant(_ name: String) -> AtDeinit {
      AtDeinit { [loader, log] in
        let token = loader.register { _ in log.append(name) }
        if name == "from a cancelled one" { token.cancel() }
      }
    }
    loader.register { [object = reentrant("from a finished one")] _ in object.touch() }
    loader.register("named") { _ in }
    loader.register("named") { [object = reentrant("from a duplicate")] _ in object.touch() }
    let cancelled = loader.register { [object = reentrant("from a cancelled one")] _ in
      object.touch()
    }
    cancelled.cancel()
    try await loader.launch()
    #expect(log.entries == ["from a duplicate", "from a finished one"])
  }

  @Test("A worker that the event calls on its actor does not keep the actor, nor does its report")
  func actorOfTheEvent() async throws {
    let log = Log<String>()
    let registration = await Owner(tally.probe()).launch(loader, bus, log)
    let report = try await loader.report()
    #expect(log.entries == ["worker", "plain", "posted"])
    #expect(tally.live == 0)
    #expect(report.entries.count == 2)
    #expect(registration.outcome?.description == "finished")
  }

  @Test("A closure that only a rollback calls is freed when no rollback can come")
  func undoIsFreed() async throws {
    loader.register(
      LaunchKey<Int>("number"),
      undo: { [probe = tally.probe()] _ in probe.touch() },
      close: { _ in }
    ) { _ in 1 }
    try await loader.launch()
    #expect(tally.live == 0)
  }
}

/// An actor that registers its own work, and launches.
private actor Owner {
  let probe: Tally.Probe

  init(_ probe: Tally.Probe) { self.probe = probe }

  func launch(_ loader: LaunchLoader, _ bus: EventBus, _ log: Log<String>) -> LaunchRegistration {
    let registration = loader.register("worker") { _ in self.note(in: log) }
    loader.register("plain") { _ in log.append("plain") }
    let attachment = loader.attach(to: bus)
    bus.post(.didFinishLaunching, LaunchOptions())
    log.append("posted")
    withExtendedLifetime(attachment) {}
    return registration
  }

  private func note(in log: Log<String>) {
    probe.touch()
    log.append("worker")
  }
}
